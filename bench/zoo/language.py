# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of networks that read or write text. make_kinds.py writes them."""

import numpy as np
from onnx import TensorProto

from zoo.net import kind

# Of hidden positions. Exporters write the lowest float32, which a sum may overflow, or this number.
HIDDEN = -3.4e38


@kind("CRNN")
def crnn(net):
    """CRNN for lines of text, 32 x 100: convolutions, two bidirectional LSTMs"""
    x = net.image((32, 100), 1)
    for channels, pool in [(64, 2), (128, 2), (256, 0), (256, (2, 1)), (512, 0), (512, (2, 1))]:
        x = net.relu(net.conv(x, channels, 3)) if pool else net.conv_norm(x, channels, 3, activate=net.relu)
        if pool:
            x = net.pool(x, 2, pool, 0 if pool == 2 else [0, 1, 0, 1])
    x = net.Squeeze(net.conv_norm(x, 512, 2, pad=0, activate=net.relu), [2]).transpose(2, 0, 1)
    x = net.linear(net.lstm(x, 256, 2), 256)
    return net.linear(net.lstm(x, 256, 2), 37)


@kind("LSTM with lengths")
def lstm_lengths(net):
    """Bidirectional LSTM, 16 steps, batch 4, with sequence_lens"""
    x, lengths = net.add_input(16, 4, 128), net.add_input(4, dtype=np.int32)
    return net.linear(net.lstm(x, 256, 2, lengths), 64)


@kind("BERT")
def bert_tokens(net):
    """BERT, 2 layers of 512, 128 tokens: embeddings and a mask that the graph computes from integers"""
    tokens, kinds, mask = (net.add_input(1, 128, dtype=np.int64) for _ in range(3))
    x = net.embed(tokens, 2000, 512) + net.embed(net.Clip(kinds, np.int64(0), np.int64(1)), 2, 512)
    x = net.layer_norm(x + net.weight(1, 128, 512), 1e-12)
    mask = net.Cast(net.Unsqueeze(mask, [1, 2]), to=TensorProto.FLOAT)
    mask = (1.0 - net.Min(mask, 1.0)) * -1e4
    for _ in range(2):
        parts = [net.heads(net.linear(x, 512), 8) for _ in range(3)]
        x = net.layer_norm(x + net.linear(net.attend(*parts, mask), 512), 1e-12)
        x = net.layer_norm(x + net.linear(net.gelu(net.linear(x, 2048)), 512), 1e-12)
    return net.Tanh(net.linear(net.pick(x, 1, 0), 512))


def gpt2(net, tokens, past):
    """Adds two layers of GPT-2 small (published: 12) with a vocabulary of 1,000."""
    width, heads, layers = 768, 12, 2

    def flat_linear(y, size):
        return net.linear(y.reshape(-1, y.shape[-1]), size).reshape(1, tokens, size)

    table = net.weight(1000, width, dev=0.1)
    x = net.Gather(table, net.add_input(1, tokens, dtype=np.int64), axis=0)
    x = x + net.weight(1, tokens, width, dev=0.1)
    caches = [net.add_input(1, heads, past, 64) for _ in range(2 * layers)] if past else []
    present = []
    for layer in range(layers):
        y = net.split(flat_linear(net.layer_norm(x), 3 * width), 2, *[width] * 3)
        query, key, value = (net.heads(part, heads) for part in y)
        if past:
            key, value = (net.join(2, cache, y) for cache, y in zip(caches[2 * layer:], (key, value)))
            present += [key, value]
        scores = query @ key.transpose(0, 1, 3, 2) / 8.0
        if not past:
            scores = net.Where(np.tril(np.ones((1, 1, tokens, tokens), bool)), scores, np.float32(HIDDEN))
        y = net.softmax(scores, -1) @ value
        x = x + flat_linear(y.transpose(0, 2, 1, 3).reshape(1, tokens, width), width)
        x = x + flat_linear(net.gelu_tanh(flat_linear(net.layer_norm(x), 4 * width)), width)
    return [net.layer_norm(x) @ table.transpose(1, 0)] + present


@kind("GPT-2")
def gpt2_prefill(net):
    """GPT-2 small, 2 layers (published: 12), vocabulary 1000 (published: 50257), 64 tokens"""
    return gpt2(net, 64, 0)


@kind("GPT-2")
def gpt2_decode(net):
    """GPT-2 small with the same sizes, one token after 128, caches by Concat"""
    return gpt2(net, 1, 128)


@kind("T5")
def t5_encoder(net):
    """Encoder of T5-small, 2 layers (published: 6), 64 tokens: relative bias, RMS norm, no scale"""
    x = net.embed(net.add_input(1, 64, dtype=np.int64), 2000, 512)
    far = np.arange(64)[None] - np.arange(64)[:, None]
    near = np.abs(far)
    bucket = np.where(far > 0, 16, 0) + np.minimum(near, 8 + np.log2(np.maximum(near, 8) / 8)).astype(np.int64)
    bias = net.Unsqueeze(net.embed(net.const(bucket), 32, 8).transpose(2, 0, 1), [0])
    for _ in range(2):
        y = net.rms_norm(x)
        query, key, value = (net.heads(net.linear(y, 512, bias=False), 8) for _ in range(3))
        scores = (query * 0.3) @ key.transpose(0, 1, 3, 2) + bias
        y = (net.softmax(scores, -1) @ value).transpose(0, 2, 1, 3).reshape(1, 64, 512)
        x = x + net.linear(y, 512, bias=False)
        x = x + net.linear(net.relu(net.linear(net.rms_norm(x), 2048, bias=False)), 512, bias=False)
    return net.rms_norm(x)


class Llama:
    """A small LLaMA: width 512, 8 heads, 4 of keys and values, dense size 1376, 4 layers."""

    WIDTH, HEADS, GROUPS, SIZE, LAYERS = 512, 8, 4, 64, 4

    def __init__(self, net, tokens, past):
        self.net, self.past, self.keys = net, past, past + tokens
        angle = np.outer(np.arange(past, self.keys), 10000.0 ** (-np.arange(0, self.SIZE, 2) / self.SIZE))
        self.cosine, self.sine = (np.tile(np.float32(part(angle)), 2)[None, None] for part in (np.cos, np.sin))
        self.mask = None if past else np.triu(np.full((1, 1, tokens, tokens), HIDDEN, np.float32), 1)

    def rotate(self, y):
        net, half = self.net, self.SIZE // 2
        turned = net.join(-1, net.Neg(net.slice(y, 3, half)), net.slice(y, 3, 0, half))
        return y * self.cosine + turned * self.sine

    def repeat(self, y):
        """Repeats each group of keys or values for its heads."""
        shape = [1, self.GROUPS, self.HEADS // self.GROUPS, self.keys, self.SIZE]
        return self.net.Expand(self.net.Unsqueeze(y, [2]), shape).reshape(1, self.HEADS, self.keys, self.SIZE)

    def project(self, y, parts):
        return self.net.heads(self.net.linear(y, parts * self.SIZE, bias=False), parts)

    def layer(self, x, caches):
        """Adds a layer. Returns its result, and the keys and values after the caches."""
        net = self.net
        y = net.rms_norm(x)
        query = self.rotate(self.project(y, self.HEADS))
        kept = [self.rotate(self.project(y, self.GROUPS)), self.project(y, self.GROUPS)]
        if self.past:
            kept = [net.join(2, cache, z) for cache, z in zip(caches, kept)]
        y = net.attend(query, *[self.repeat(z) for z in kept], self.mask)
        x = x + net.linear(y, self.WIDTH, bias=False)
        y = net.rms_norm(x)
        y = net.silu(net.linear(y, 1376, bias=False)) * net.linear(y, 1376, bias=False)
        return x + net.linear(y, self.WIDTH, bias=False), kept


def llama(net, tokens, past):
    """Adds a Llama with a vocabulary of 2,000. Returns the scores, and with `past` the caches."""
    x = net.embed(net.add_input(1, tokens, dtype=np.int64), 2000, Llama.WIDTH)
    caches = [net.add_input(1, Llama.GROUPS, past, Llama.SIZE) for _ in range(2 * Llama.LAYERS)] if past else []
    network, present = Llama(net, tokens, past), []
    for layer in range(Llama.LAYERS):
        x, kept = network.layer(x, caches[2 * layer:])
        present += kept if past else []
    return [net.linear(net.rms_norm(x), 2000, bias=False)] + present


@kind("LLaMA")
def llama_prefill(net):
    """Small LLaMA, 4 layers, 64 tokens: RMS norm, rotary embedding, grouped queries, SwiGLU"""
    return llama(net, 64, 0)


@kind("LLaMA")
def llama_decode(net):
    """Small LLaMA with the same sizes, one token after 128, caches by Concat"""
    return llama(net, 1, 128)


@kind("Einsum attention")
def einsum_attention(net):
    """Two transformer layers whose projections and attention are Einsum nodes"""
    def einsum(equation, *operands):
        labels = [label for part, of in zip(equation.split(","), operands) for label in zip(part, of.shape)]
        shape = [dict(labels)[label] for label in equation.split("->")[1]]
        return net.Einsum(*operands, equation=equation, types=[(shape, np.float32)])

    x = net.add_input(1, 64, 256)
    for _ in range(2):
        y = net.layer_norm(x)
        query, key, value = (einsum("bnd,dhk->bhnk", y, net.weight(256, 8, 32, dev=1 / 16)) for _ in range(3))
        weights = net.softmax(einsum("bhik,bhjk->bhij", query, key) * 0.17, -1)
        y = einsum("bhij,bhjk->bhik", weights, value)
        x = x + einsum("bhik,hkd->bid", y, net.weight(8, 32, 256, dev=1 / 16))
        x = x + net.linear(net.gelu(net.linear(net.layer_norm(x), 1024)), 256)
    return x

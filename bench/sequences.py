# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the transformers and recurrent networks of make_models.py: encoders of the BERT family
without embeddings, ViT-B/16, the encoder of Whisper tiny, and an LSTM and a GRU of two layers.
The networks have the shapes of the published networks and the ops of PyTorch exports."""

import math

from network import CLASSES, Network


def encoder(name, length, layers, width, heads, inner):
    """Builds an encoder of the BERT family without embeddings. Each layer is attention and
    two dense layers, each followed by a sum and a normalization."""
    net = Network(name, (1, length, width))
    x = net.layer_norm(net.input)
    for _ in range(layers):
        x = net.layer_norm(net.add(net.attention(x, heads), x))
        y = net.linear(net.gelu(net.linear(x, inner)), width)
        x = net.layer_norm(net.add(y, x))
    return net, x


def minilm_s128():
    return encoder("minilm_s128", 128, 6, 384, 12, 1536)


def minilm_s16():
    return encoder("minilm_s16", 16, 6, 384, 12, 1536)


def bert_base_s128():
    return encoder("bert_base_s128", 128, 12, 768, 12, 3072)


def joint_attention(net, x, heads):
    """Adds attention whose query, key and value are parts of one product. The query and the
    transposed key are each multiplied by the fourth root of 1 / size, as PyTorch exports
    scaled_dot_product_attention."""
    batch, length, width = x.shape
    size = width // heads
    joint = net.reshape(net.linear(x, 3 * width), (batch, length, 3, heads, size))
    joint = net.transpose(joint, [2, 0, 3, 1, 4])
    query, key, value = (net.gather(joint, part, 0) for part in range(3))
    root = math.sqrt(1 / math.sqrt(size))
    key = net.scaled(net.transpose(key, [0, 1, 3, 2]), root)
    y = net.matmul(net.softmax(net.matmul(net.scaled(query, root), key), -1), value)
    return net.linear(net.reshape(net.transpose(y, [0, 2, 1, 3]), x.shape), width)


def vit_b16():
    """Builds the classifier of 224 x 224 images: 196 patches and a class token, normalized before
    attention and before the dense layers."""
    net = Network("vit_b16", (1, 3, 224, 224))
    width = 768
    x = net.conv(net.input, width, 16, 16, pad=0, bias=True)
    x = net.transpose(net.reshape(x, (1, width, 196)), [0, 2, 1])
    x = net.learned(net.learned(x, (1, 1, width), prepends=True), (1, 197, width))
    for _ in range(12):
        x = net.add(x, joint_attention(net, net.layer_norm(x, 1e-6), 12))
        y = net.gelu(net.linear(net.layer_norm(x, 1e-6), 4 * width))
        x = net.add(x, net.linear(y, width))
    return net, net.dense(net.gather(net.layer_norm(x, 1e-6), 0, 1), CLASSES)


def stacked_attention(net, x, heads):
    """Adds attention as Whisper's export has it: the key has no bias, the query is scaled before it
    is divided into heads, and batch and heads are one dimension of the products."""
    batch, length, width = x.shape
    size = width // heads

    def of_heads(y):
        y = net.transpose(net.reshape(y, (batch, length, heads, size)), [0, 2, 1, 3])
        return net.reshape(y, (batch * heads, length, size))

    query = of_heads(net.scaled(net.linear(x, width), 1 / math.sqrt(size)))
    key = of_heads(net.linear(x, width, bias=False))
    value = of_heads(net.linear(x, width))
    weights = net.softmax(net.matmul(query, net.transpose(key, [0, 2, 1])), -1)
    y = net.reshape(net.matmul(weights, value), (batch, heads, length, size))
    return net.linear(net.reshape(net.transpose(y, [0, 2, 1, 3]), x.shape), width)


def whisper_tiny_encoder():
    """Builds the encoder for 30 s of audio: 3,000 spectra of 80 bands, 1,500 positions. The
    normalizations are decomposed, as exports before opset 17 write them."""
    net = Network("whisper_tiny_encoder", (1, 80, 3000))
    width = 384
    x = net.gelu(net.conv1d(net.input, width, 3))
    x = net.gelu(net.conv1d(x, width, 3, 2))
    x = net.learned(net.transpose(x, [0, 2, 1]), (1500, width))
    for _ in range(4):
        x = net.add(x, stacked_attention(net, net.decomposed_layer_norm(x), 6))
        y = net.gelu(net.linear(net.decomposed_layer_norm(x), 4 * width))
        x = net.add(x, net.linear(y, width))
    return net, net.decomposed_layer_norm(x)


def recurrent(name, op):
    """Builds two layers of 256 units for 100 steps."""
    net = Network(name, (100, 1, 256))
    return net, net.recurrent(op, net.recurrent(op, net.input, 256), 256)


def lstm_256x2():
    return recurrent("lstm_256x2", "LSTM")


def gru_256x2():
    return recurrent("gru_256x2", "GRU")


SEQUENCES = [minilm_s128, minilm_s16, bert_base_s128, vit_b16, whisper_tiny_encoder, lstm_256x2, gru_256x2]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of networks that read or write audio. make_kinds.py writes them."""

import numpy as np

from zoo.net import kind


@kind("WaveNet")
def wavenet(net):
    """WaveNet, 2 stacks of 10 layers: causal convolutions with dilations 1 to 512, gates, skips"""
    x, total = net.conv(net.add_input(1, 1, 2048), 64, 1), None
    for layer in range(20):
        far = 2 ** (layer % 10)
        y = net.Pad(x, [0, 0, far, 0, 0, 0], 0.0, mode="constant")
        signal, gate = net.split(net.conv(y, 128, 2, pad=0, dilation=far), 1, 64, 64)
        y = net.Tanh(signal) * net.sigmoid(gate)
        skip = net.conv(y, 256, 1)
        total = total + skip if total else skip
        x = x + net.conv(y, 64, 1) * 0.5
    return net.conv(net.relu(net.conv(net.relu(total * 0.2), 256, 1)), 256, 1)


@kind("wav2vec 2.0")
def wav2vec2_encoder(net):
    """Feature encoder of wav2vec 2.0, one second of audio: strided convolutions, GroupNorm, GELU"""
    x = net.add_input(1, 1, 16000)
    for layer, (kernel, stride) in enumerate([(10, 5)] + [(3, 2)] * 4 + [(2, 2)] * 2):
        x = net.conv(x, 512, kernel, stride, pad=0, bias=False)
        x = net.gelu(x if layer else net.group_norm(x, 512))
    return net.layer_norm(x.transpose(0, 2, 1))


def relative_attention(net, x, positions, heads=4):
    """Adds attention with scores that depend on the distance, computed by a pad, a reshape and a slice."""
    _, steps, width = x.shape
    query, key, value = (net.linear(x, width) for _ in range(3))
    query = query.reshape(1, steps, heads, width // heads)
    content, position = ((query + net.weight(heads, width // heads)).transpose(0, 2, 1, 3) for _ in range(2))
    place = net.heads(net.linear(positions, width, bias=False), heads)
    scores = position @ place.transpose(0, 1, 3, 2)
    scores = net.join(3, np.zeros((1, heads, steps, 1), np.float32), scores).reshape(1, heads, 2 * steps, steps)
    scores = net.slice(scores, 2, 1).reshape(1, heads, steps, 2 * steps - 1)
    scores = content @ net.heads(key, heads).transpose(0, 1, 3, 2) + net.slice(scores, 3, 0, steps)
    y = net.softmax(scores / 8.0, -1) @ net.heads(value, heads)
    return net.linear(y.transpose(0, 2, 1, 3).reshape(1, steps, width), width)


@kind("Conformer")
def conformer(net):
    """Four Conformer blocks, 100 frames: relative attention with a shift, GLU, depthwise 1-D convolution"""
    x, steps, width = net.add_input(1, 100, 256), 100, 256

    def feed(y):
        return net.linear(net.silu(net.linear(net.layer_norm(y), 1024)), width) * 0.5

    positions = net.weight(1, 2 * steps - 1, width, dev=0.5)
    for _ in range(4):
        x = x + feed(x)
        x = x + relative_attention(net, net.layer_norm(x), positions)
        y = net.conv(net.layer_norm(x).transpose(0, 2, 1), 2 * width, 1)
        y, gate = net.split(y, 1, width, width)
        y = net.silu(net.norm(net.conv(y * net.sigmoid(gate), width, 31, groups=width)))
        x = x + net.conv(y, width, 1).transpose(0, 2, 1)
        x = net.layer_norm(x + feed(x))
    return x


@kind("HiFi-GAN")
def hifigan(net):
    """HiFi-GAN vocoder with 256 channels, 32 frames: transposed and dilated 1-D convolutions"""
    x = net.conv(net.add_input(1, 80, 32), 256, 7)
    for rate, kernel in [(8, 16), (8, 16), (2, 4), (2, 4)]:
        x = net.transposed_conv(net.leaky(x), x.shape[1] // 2, kernel, rate, (kernel - rate) // 2)
        total = None
        for size in (3, 7, 11):
            y = x
            for far in (1, 3, 5):
                z = net.conv(net.leaky(y), x.shape[1], size, dilation=far)
                y = y + net.conv(net.leaky(z), x.shape[1], size) * 0.3
            total = total + y if total else y
        x = total / 3.0
    return net.Tanh(net.conv(net.leaky(x), 1, 7))


def log_mel(net, signal):
    """Adds the log-mel features of one second of audio, 16,000 samples."""
    window = net.HannWindow(np.int64(400), types=[([400], np.float32)])
    y = net.STFT(signal, np.int64(160), window, np.int64(400), types=[([1, 98, 201, 2], np.float32)])
    real, imaginary = (net.pick(y, 3, index) for index in (0, 1))
    mel = net.MelWeightMatrix(np.int64(80), np.int64(400), np.int64(16000), np.float32(20), np.float32(8000),
                              types=[([201, 80], np.float32)])
    y = net.Log((real * real + imaginary * imaginary) @ mel + 1e-6)
    return y - net.ReduceMean(y, axes=[1])


@kind("STFT")
def audio_stft(net):
    """Log-mel features by STFT, HannWindow and MelWeightMatrix; the signal has two dimensions, as in PyTorch exports"""
    return log_mel(net, net.add_input(1, 16000))


@kind("STFT")
def audio_stft_3d(net):
    """The same with a signal of three dimensions, as in the specification of STFT"""
    return log_mel(net, net.add_input(1, 16000, 1))


@kind("DFT")
def audio_dft(net):
    """Power spectrum by DFT of 100 frames of 512 samples"""
    frames = net.add_input(1, 100, 512) * np.hanning(512).astype(np.float32)
    y = net.DFT(net.Unsqueeze(frames, [3]), axis=2, onesided=1)
    return net.Log(net.ReduceSumSquare(y, axes=[3], keepdims=0) @ net.weight(257, 80, mean=0.1) + 1.0)


@kind("STFT by convolution")
def audio_conv_stft(net):
    """Log-mel features by a strided 1-D convolution with Fourier kernels, as PyTorch audio models export"""
    phase = 2 * np.pi * np.outer(np.arange(201), np.arange(400)) / 400
    kernels = np.concatenate([np.cos(phase), -np.sin(phase)]) * np.hanning(400)
    x = net.Pad(net.add_input(1, 1, 16000), [0, 0, 200, 0, 0, 200], mode="reflect")
    y = net.Conv(x, net.stored(kernels[:, None].astype(np.float32)), kernel_shape=[400], strides=[160])
    real, imaginary = net.slice(y, 1, 0, 201), net.slice(y, 1, 201, 402)
    power = net.Pow(real, 2.0) + net.Pow(imaginary, 2.0)
    return net.Log(net.Clip(net.weight(80, 201, mean=0.1) @ power, 1e-5))


@kind("Tacotron")
def tacotron(net):
    """Tacotron-like: encoder of 60 letters (embedding, 1-D convolutions, BiLSTM), prenet and LSTM over 60 frames"""
    x = net.embed(net.add_input(1, 60, dtype=np.int64), 148, 512).transpose(0, 2, 1)
    for _ in range(3):
        x = net.conv_norm(x, 512, 5, activate=net.relu)
    memory = net.lstm(x.transpose(2, 0, 1), 256, 2)
    y = net.add_input(60, 1, 80)
    for _ in range(2):
        y = net.relu(net.linear(y, 256, bias=False))
    y = net.lstm(y, 512)
    scores = net.softmax(y.transpose(1, 0, 2) @ memory.transpose(1, 2, 0) * 0.04, -1)
    y = net.join(2, y.transpose(1, 0, 2), scores @ memory.transpose(1, 0, 2))
    return net.linear(y, 80)

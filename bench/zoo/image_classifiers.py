# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of networks that classify images and videos. make_kinds.py writes them."""

import numpy as np

from zoo.net import kind


@kind("ConvNeXt")
def convnext_t(net):
    """ConvNeXt-T with 5 and 1 blocks in the last two stages (published: 9 and 3)"""
    def norm(y):
        return net.layer_norm(y.nhwc(), 1e-6).nchw()

    x = norm(net.conv(net.image(224), 96, 4, 4, pad=0))
    for channels, blocks in [(96, 3), (192, 3), (384, 5), (768, 1)]:
        if channels > 96:
            x = net.conv(norm(x), channels, 2, 2, pad=0)
        for _ in range(blocks):
            y = net.layer_norm(net.conv(x, channels, 7, groups=channels).nhwc(), 1e-6)
            y = net.linear(net.gelu(net.linear(y, 4 * channels)), channels)
            x = x + (net.weight(channels, mean=0.3) * y).nchw()
    return net.linear(net.layer_norm(net.Flatten(net.global_pool(x))), 1000)


WINDOW = 7  # of Swin


def windows(x, width):
    """Cuts an image (1, side, side, width) into windows (count, positions, width)."""
    across = x.shape[1] // WINDOW
    x = x.reshape(1, across, WINDOW, across, WINDOW, width).transpose(0, 1, 3, 2, 4, 5)
    return x.reshape(-1, WINDOW ** 2, width)


def roll(net, x, by):
    for axis in (1, 2):
        x = net.join(axis, net.slice(x, axis, by), net.slice(x, axis, 0, by))
    return x


def relative_bias(net, heads):
    """Gathers the bias of each pair of positions in a window from a learned table."""
    grid = np.stack(np.meshgrid(*[np.arange(WINDOW)] * 2, indexing="ij")).reshape(2, -1)
    far = grid[:, :, None] - grid[:, None, :] + WINDOW - 1
    size = 2 * WINDOW - 1
    bias = net.Gather(net.weight(size ** 2, heads, dev=0.5), (far[0] * size + far[1]).reshape(-1), axis=0)
    return net.Unsqueeze(bias.reshape(WINDOW ** 2, WINDOW ** 2, heads).transpose(2, 0, 1), [0])


def shift_mask(side, shift):
    """Returns -100 for the pairs of positions that were not neighbors before the roll."""
    across = side // WINDOW
    part = np.repeat([0, 1, 2], [side - WINDOW, WINDOW - shift, shift])
    label = (3 * part[:, None] + part[None]).reshape(across, WINDOW, across, WINDOW).transpose(0, 2, 1, 3)
    label = label.reshape(-1, 1, WINDOW ** 2)
    mask = np.where(label == label.transpose(0, 2, 1), 0, -100).astype(np.float32)
    return mask[None, :, None]


def swin_block(net, x, heads, shift):
    """Adds a block of Swin with attention inside windows, which start at `shift`."""
    side, width = x.shape[1], x.shape[-1]
    across = side // WINDOW
    y = net.layer_norm(x)
    y = windows(roll(net, y, shift) if shift else y, width)
    y = net.linear(y, 3 * width).reshape(-1, WINDOW ** 2, 3, heads, width // heads).transpose(2, 0, 3, 1, 4)
    query, key, value = (net.pick(y, 0, index) for index in range(3))
    scores = (query * (width // heads) ** -0.5) @ key.transpose(0, 1, 3, 2) + relative_bias(net, heads)
    if shift:
        scores = scores.reshape(1, across ** 2, heads, WINDOW ** 2, WINDOW ** 2) + net.stored(shift_mask(side, shift))
        scores = scores.reshape(-1, heads, WINDOW ** 2, WINDOW ** 2)
    y = (net.softmax(scores, -1) @ value).transpose(0, 2, 1, 3).reshape(-1, WINDOW ** 2, width)
    y = net.linear(y, width).reshape(1, across, across, WINDOW, WINDOW, width).transpose(0, 1, 3, 2, 4, 5)
    y = y.reshape(1, side, side, width)
    x = x + (roll(net, y, side - shift) if shift else y)
    return x + net.linear(net.gelu(net.linear(net.layer_norm(x), 4 * width)), width)


@kind("Swin")
def swin_t(net):
    """Swin-T, the first two stages: windows, rolls, relative bias"""
    x = net.layer_norm(net.conv(net.image(224), 96, 4, 4, pad=0).nhwc())
    x = swin_block(net, swin_block(net, x, 3, 0), 3, 3)
    rows = [net.slice(x, 1, first, step=2) for first in (0, 1)]
    parts = [net.slice(row, 2, first, step=2) for first in (0, 1) for row in rows]
    x = net.linear(net.layer_norm(net.join(-1, *parts)), 192, bias=False)
    x = swin_block(net, swin_block(net, x, 6, 0), 6, 3)
    return net.classifier(net.layer_norm(x).nchw())


def mobilevit_block(net, x, width, layers):
    """Unfolds the image into 2 x 2 patches, adds transformer layers between equal positions of the
    patches, and folds the result."""
    channels, half = x.shape[1], x.shape[2] // 2
    y = net.conv(net.conv_norm(x, channels, 3, activate=net.silu), width, 1, bias=False)
    y = y.reshape(width * half, 2, half, 2).transpose(0, 2, 1, 3).reshape(1, width, half * half, 4)
    y = y.transpose(0, 3, 2, 1).reshape(4, half * half, width)
    for _ in range(layers):
        y = y + net.attention(net.layer_norm(y), 4)
        y = y + net.linear(net.silu(net.linear(net.layer_norm(y), 2 * width)), width)
    y = net.layer_norm(y).reshape(1, 4, half * half, width).transpose(0, 3, 2, 1)
    y = y.reshape(width * half, half, 2, 2).transpose(0, 2, 1, 3).reshape(1, width, 2 * half, 2 * half)
    y = net.join(1, x, net.conv_norm(y, channels, 1, activate=net.silu))
    return net.conv_norm(y, channels, 3, activate=net.silu)


@kind("MobileViT")
def mobilevit_xs(net):
    """MobileViT-XS: inverted residuals, unfold into patches, transformer, fold"""
    x = net.conv_norm(net.image(256), 16, 3, 2, activate=net.silu)
    for channels, stride in [(32, 1), (48, 2), (48, 1), (48, 1)]:
        x = net.inverted(x, channels, stride, 4, net.silu)
    for channels, width, layers in [(64, 96, 2), (80, 120, 4), (96, 144, 3)]:
        x = mobilevit_block(net, net.inverted(x, channels, 2, 4, net.silu), width, layers)
    return net.classifier(net.conv_norm(x, 384, 1, activate=net.silu))


@kind("MLP-Mixer")
def mixer_s16(net):
    """MLP-Mixer-S/16 with 6 layers (published: 8)"""
    x = net.conv(net.image(224), 512, 16, 16, pad=0).reshape(1, 512, 196).transpose(0, 2, 1)
    for _ in range(6):
        y = net.linear(net.gelu(net.linear(net.layer_norm(x).transpose(0, 2, 1), 256)), 196)
        x = x + y.transpose(0, 2, 1)
        x = x + net.linear(net.gelu(net.linear(net.layer_norm(x), 2048)), 512)
    return net.linear(net.ReduceMean(net.layer_norm(x), axes=[1], keepdims=0), 1000)


@kind("RegNetY")
def regnety_400mf(net):
    """RegNetY-400MF: grouped convolutions with 8 channels per group, gates"""
    x = net.conv_norm(net.image(224), 32, 3, 2, activate=net.relu)
    for width, blocks in [(48, 1), (104, 3), (208, 6), (440, 6)]:
        for block in range(blocks):
            stride = 1 if block else 2
            y = net.conv_norm(x, width, 1, activate=net.relu)
            y = net.conv_norm(y, width, 3, stride, groups=width // 8, activate=net.relu)
            y = net.conv_norm(net.gate(y, x.shape[1] // 4, net.relu, net.sigmoid), width, 1)
            x = net.relu((x if block else net.conv_norm(x, width, 1, stride)) + y)
    return net.classifier(x)


def shuffle(x):
    """Interleaves both halves of the channels."""
    channels, size = x.shape[1], x.shape[2:]
    return x.reshape(1, 2, channels // 2, *size).transpose(0, 2, 1, 3, 4).reshape(1, channels, *size)


@kind("ShuffleNetV2")
def shufflenet_v2(net):
    """ShuffleNetV2 1.0x: split, concatenation, channel shuffle by a five-dimensional transpose"""
    x = net.pool(net.conv_norm(net.image(224), 24, 3, 2, activate=net.relu), 3, 2, 1)
    for channels, blocks in [(116, 4), (232, 8), (464, 4)]:
        half = channels // 2
        for block in range(blocks):
            stride = 1 if block else 2
            kept, y = net.split(x, 1, half, half) if block else (x, x)
            if not block:
                kept = net.conv_norm(x, x.shape[1], 3, 2, groups=x.shape[1])
                kept = net.conv_norm(kept, half, 1, activate=net.relu)
            y = net.conv_norm(net.conv_norm(y, half, 1, activate=net.relu), half, 3, stride, groups=half)
            x = shuffle(net.join(1, kept, net.conv_norm(y, half, 1, activate=net.relu)))
    x = net.conv_norm(x, 1024, 1, activate=net.relu)
    return net.linear(net.ReduceMean(x, axes=[2, 3], keepdims=0), 1000)


# Kernel, expanded channels, channels, whether there is a gate, stride.
GHOSTNET = [(3, 16, 16, 0, 1), (3, 48, 24, 0, 2), (3, 72, 24, 0, 1), (5, 72, 40, 1, 2), (5, 120, 40, 1, 1),
            (3, 240, 80, 0, 2), (3, 200, 80, 0, 1), (3, 184, 80, 0, 1), (3, 184, 80, 0, 1), (3, 480, 112, 1, 1),
            (3, 672, 112, 1, 1), (5, 672, 160, 1, 2), (5, 960, 160, 0, 1), (5, 960, 160, 1, 1), (5, 960, 160, 0, 1),
            (5, 960, 160, 1, 1)]


@kind("GhostNet")
def ghostnet(net):
    """GhostNet 1.0x: half of the channels from cheap depthwise convolutions, concatenation"""
    def ghost(y, channels, activate=None):
        y = net.conv_norm(y, channels // 2, 1, activate=activate)
        return net.join(1, y, net.conv_norm(y, channels // 2, 3, groups=channels // 2, activate=activate))

    x = net.conv_norm(net.image(224), 16, 3, 2, activate=net.relu)
    for kernel, middle, channels, gated, stride in GHOSTNET:
        y = ghost(x, middle, net.relu)
        y = net.conv_norm(y, middle, kernel, stride, groups=middle) if stride > 1 else y
        y = net.gate(y, middle // 4, net.relu, net.hard_sigmoid) if gated else y
        y = ghost(y, channels)
        if x.shape != y.shape:
            x = net.conv_norm(net.conv_norm(x, x.shape[1], kernel, stride, groups=x.shape[1]), channels, 1)
        x = x + y
    x = net.global_pool(net.conv_norm(x, 960, 1, activate=net.relu))
    return net.linear(net.Flatten(net.relu(net.conv(x, 1280, 1))), 1000)


# Channels and stride of each separable convolution of MobileNetV1.
MOBILENET_V1 = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + [(512, 1)] * 5 + [(1024, 2), (1024, 1)]


@kind("MobileNetV1")
def mobilenet_v1_tf(net):
    """MobileNetV1 as tf2onnx writes it: NHWC input, padding SAME, biases, Squeeze"""
    def same(y):
        return [0, 0, 1, 1] if y.shape[2] % 2 == 0 else [1, 1, 1, 1]

    x = net.add_input(1, 224, 224, 3).nchw()
    x = net.relu6(net.conv(x, 32, 3, 2, pad=same(x)))
    for channels, stride in MOBILENET_V1:
        pad = same(x) if stride == 2 else None
        x = net.relu6(net.conv(x, x.shape[1], 3, stride, pad, groups=x.shape[1], gain=2.2))
        x = net.relu6(net.conv(x, channels, 1, gain=2.2))
    return net.softmax(net.Squeeze(net.conv(net.global_pool(x), 1001, 1), [2, 3]), -1)


@kind("ResNet in float16")
def resnet18_fp16(net):
    """ResNet-18 with float16 weights, inputs and outputs"""
    net.float_type = np.float16
    x = net.pool(net.conv_norm(net.image(224), 64, 7, 2, activate=net.relu), 3, 2, 1)
    for channels, stride in [(64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)]:
        x = net.basic_block(x, channels, stride)
    return net.classifier(x)


@kind("3-D ResNet")
def r3d_18(net):
    """R3D-18 with half of the channels on 8 frames (published: 64 to 512 channels, 16 frames)"""
    x = net.conv_norm(net.add_input(1, 3, 8, 112, 112), 32, (3, 7, 7), (1, 2, 2), activate=net.relu)
    for channels, stride in [(32, 1), (32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1)]:
        x = net.basic_block(x, channels, stride)
    return net.classifier(x, 400)


@kind("X3D")
def x3d_xs(net):
    """X3D-XS: depthwise three-dimensional convolutions, gates, 4 frames of 160 x 160"""
    x = net.conv(net.add_input(1, 3, 4, 160, 160), 24, (1, 3, 3), (1, 2, 2), bias=False)
    x = net.conv_norm(x, 24, (5, 1, 1), groups=24, activate=net.relu)
    for channels, blocks in [(24, 3), (48, 5), (96, 11), (192, 7)]:
        for block in range(blocks):
            stride = 1 if block else (1, 2, 2)
            middle = int(channels * 2.25)
            y = net.conv_norm(x, middle, 1, activate=net.relu)
            y = net.conv_norm(y, middle, 3, stride, groups=middle)
            y = net.gate(y, max(8, middle // 16), net.relu, net.sigmoid) if block % 2 == 0 else y
            y = net.conv_norm(net.silu(y), channels, 1)
            x = net.relu(y + (x if x.shape == y.shape else net.conv_norm(x, channels, 1, stride)))
    x = net.global_pool(net.conv_norm(x, 432, 1, activate=net.relu))
    return net.linear(net.Flatten(net.relu(net.conv(x, 2048, 1, bias=False))), 400)

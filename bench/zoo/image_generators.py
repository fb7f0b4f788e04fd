# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of networks that produce, enlarge or resample images. make_kinds.py writes them."""

import math

import numpy as np
from onnx import TensorProto

from zoo.net import kind


@kind("ESPCN")
def espcn(net):
    """ESPCN x3 on one channel of 224 x 224: DepthToSpace"""
    x = net.image(224, 1)
    for channels, kernel in [(64, 5), (64, 3), (32, 3)]:
        x = net.relu(net.conv(x, channels, kernel))
    return net.DepthToSpace(net.conv(x, 9, 3), blocksize=3, mode="CRD")


@kind("EDSR")
def edsr(net):
    """EDSR baseline x2 with 12 blocks (published: 16) on 48 x 48: DepthToSpace"""
    x = first = net.conv(net.image(48), 64, 3)
    for _ in range(12):
        x = x + net.conv(net.relu(net.conv(x, 64, 3)), 64, 3) * 0.3
    x = net.DepthToSpace(net.conv(first + net.conv(x, 64, 3), 256, 3), blocksize=2, mode="CRD")
    return net.conv(x, 3, 3)


@kind("DCGAN")
def dcgan(net):
    """DCGAN generator: transposed convolutions 4 x 4 with stride 2"""
    x = net.relu(net.norm(net.transposed_conv(net.add_input(1, 100, 1, 1), 512, 4, 1, 0)))
    for channels in (256, 128, 64):
        x = net.relu(net.norm(net.transposed_conv(x, channels, 4, 2, 1)))
    return net.Tanh(net.transposed_conv(x, 3, 4, 2, 1))


@kind("style transfer")
def style_transfer(net):
    """Fast neural style on 160 x 160: reflecting Pad, InstanceNormalization, Resize nearest"""
    def conv(y, channels, kernel, stride=1):
        pad = kernel // 2
        return net.conv(net.Pad(y, [0, 0, pad, pad] * 2, mode="reflect"), channels, kernel, stride, pad=0)

    x = net.image(160)
    for channels, kernel, stride in [(32, 9, 1), (64, 3, 2), (128, 3, 2)]:
        x = net.relu(net.instance_norm(conv(x, channels, kernel, stride)))
    for _ in range(5):
        y = net.relu(net.instance_norm(conv(x, 128, 3)))
        x = x + net.instance_norm(conv(y, 128, 3))
    for channels in (64, 32):
        x = net.relu(net.instance_norm(conv(net.double(x), channels, 3)))
    return conv(x, 3, 9)


def spatial_attention(net, x, text):
    """Adds the transformer of Stable Diffusion: attention over the pixels, over the text, and a gated layer."""
    _, width, side, _ = x.shape
    y = net.conv(net.group_norm(x, 32), width, 1).transpose(0, 2, 3, 1).reshape(1, side * side, width)
    y = y + net.attention(net.layer_norm(y), 8, bias=False)
    y = y + net.attention(net.layer_norm(y), 8, text, bias=False)
    value, gate = net.split(net.linear(net.layer_norm(y), 8 * width), -1, 4 * width, 4 * width)
    y = y + net.linear(value * net.gelu(gate), width)
    return x + net.conv(y.reshape(1, side, side, width).transpose(0, 3, 1, 2), width, 1)


@kind("diffusion U-Net")
def diffusion_unet(net):
    """Blocks of the U-Net of Stable Diffusion, 320 channels, 24 x 24: GroupNorm, cross attention"""
    x, time, text = net.image(24, 4), net.add_input(1, 320), net.add_input(1, 77, 768)
    time = net.linear(net.silu(net.linear(time, 1280)), 320)

    def residual(y, channels):
        z = net.conv(net.silu(net.group_norm(y, 32)), channels, 3)
        z = z + net.linear(net.silu(time), channels).reshape(1, channels, 1, 1)
        z = net.conv(net.silu(net.group_norm(z, 32)), channels, 3)
        return z + (y if y.shape == z.shape else net.conv(y, channels, 1))

    x = skip = spatial_attention(net, residual(net.conv(x, 320, 3), 320), text)
    x = net.conv(net.double(net.conv(x, 320, 3, 2)), 320, 3)
    x = residual(net.join(1, x, skip), 320)
    return net.conv(net.silu(net.group_norm(x, 32)), 4, 3)


@kind("preprocessing")
def preprocess_cubic(net):
    """A uint8 NHWC photo of 480 x 640, resized by cubic interpolation, normalized, and the stem of a ResNet"""
    x = net.Cast(net.add_input(1, 480, 640, 3, dtype=np.uint8), to=TensorProto.FLOAT).nchw()
    x = net.resize(x, 224, "cubic") / 255.0
    mean, deviation = (np.float32(values).reshape(1, 3, 1, 1) for values in ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]))
    x = (x - mean) / deviation
    return net.pool(net.conv_norm(x, 64, 7, 2, activate=net.relu), 3, 2, 1)


@kind("spatial transformer")
def spatial_transformer(net):
    """A localization network, then GridSample of 128 x 128 along the computed affine grid"""
    x = net.image(128)
    y = net.relu(net.pool(net.conv(x, 8, 7), 2, 2))
    y = net.relu(net.pool(net.conv(y, 10, 5), 4, 4))
    y = net.relu(net.linear(net.Flatten(y), 32))
    # The bias is the identity, so that the grid stays within the image.
    identity = net.stored(np.float32([1, 0, 0, 0, 1, 0]))
    theta = net.Gemm(y, net.weight(6, 32, dev=0.05), identity, alpha=1.0, beta=1.0, transB=1).reshape(1, 2, 3)
    line = np.linspace(-1, 1, 128, dtype=np.float32)
    grid = np.stack([*np.meshgrid(line, line), np.ones((128, 128), np.float32)], -1).reshape(1, -1, 3)
    grid = (net.const(grid) @ theta.transpose(0, 2, 1)).reshape(1, 128, 128, 2)
    y = net.GridSample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=1)
    return net.classifier(net.relu(net.conv(y, 32, 3, 2)), 10)


@kind("NeRF")
def nerf(net):
    """NeRF, 1024 points: positional encoding by Sin and Cos, 8 dense layers of 256, one skip"""
    points = net.add_input(1024, 3)
    waves = [part(points * float(2 ** power * math.pi)) for power in range(10) for part in (net.Sin, net.Cos)]
    x = code = net.join(-1, points, *waves)
    for layer in range(8):
        x = net.relu(net.linear(net.join(-1, code, x) if layer == 5 else x, 256))
    return net.sigmoid(net.linear(x, 3)), net.relu(net.linear(x, 1))

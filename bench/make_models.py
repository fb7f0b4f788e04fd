#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the benchmark networks with random weights, batch 1: thirteen image classifiers in
fp32, two more for the comparison of accelerators only, resnext50 with grouped convolutions, unet
with transposed convolutions, and the transformers and recurrent networks of sequences.py. The
speed does not depend on the weights as long as no number overflows, becomes zero or becomes
denormal. Therefore every convolution keeps the variance of its input (He initialization), and
every residual branch adds a fraction. Equal versions of this script write equal bytes. Two
networks are also written in 8 bits, as resnet50_v15_int8 and mobilenet_v2_int8 (quantize_static.py), and
one with dynamic quantization, as bert_base_s128_dynamic_int8 (quantize_dynamic.py).

  make_models.py DIR [NAME...]   write DIR/NAME.onnx, or all networks without a name
  make_models.py --list          print the size of each network and stop
"""

import argparse
import os
import sys

import onnx

# Tests load this file from another folder.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from network import CLASSES, Network  # noqa: E402
from quantize_static import quantize  # noqa: E402
from quantize_dynamic import quantize_dynamic  # noqa: E402
from sequences import SEQUENCES, encoder  # noqa: E402,F401  (tests call `encoder`)


def image_network(name):
    return Network(name, (1, 3, 224, 224))


def resnet_stem(net, x):
    x = net.relu(net.norm(net.conv(x, 64, 7, 2)))
    return net.max_pool(x, 3, 2, (1, 1))


def resnet18():
    net = image_network("resnet18")
    x = resnet_stem(net, net.input)
    for channels, stride in [(64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)]:
        y = net.relu(net.norm(net.conv(x, channels, 3, stride)))
        y = net.norm(net.conv(y, channels, 3), 0.3)
        if x.shape != y.shape:
            x = net.norm(net.conv(x, channels, 1, stride))
        x = net.relu(net.add(y, x))
    return net, net.classifier(x)


# Channels of the blocks of the encoder, largest image first.
UNET = [32, 64, 128, 256]

# Channels inside the bottleneck, number of blocks, stride of the first block.
RESNET50 = [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)]


def bottlenecks(name, widening, groups):
    """Builds the layers of ResNet-50. The 3x3 convolutions have `groups` groups and `widening`
    times the channels of ResNet-50."""
    net = image_network(name)
    x = resnet_stem(net, net.input)
    for channels, blocks, first_stride in RESNET50:
        for block in range(blocks):
            stride = first_stride if block == 0 else 1
            y = net.relu(net.norm(net.conv(x, widening * channels, 1)))
            y = net.relu(net.norm(net.conv(y, widening * channels, 3, stride, groups=groups)))
            y = net.norm(net.conv(y, 4 * channels, 1), 0.3)
            if block == 0:
                x = net.norm(net.conv(x, 4 * channels, 1, stride))
            x = net.relu(net.add(y, x))
    return net, net.classifier(x)


def resnet50_v15():
    """Builds version 1.5, which has the stride in the 3x3 convolution."""
    return bottlenecks("resnet50_v15", 1, 1)


def resnext50():
    """Builds ResNeXt-50 32x4d: 32 groups of 4 channels in the first 3x3 convolutions."""
    return bottlenecks("resnext50", 2, 32)


def resnet50_v2():
    """Normalization and Relu precede each convolution, so not every normalization can be
    folded into the preceding convolution."""
    net = image_network("resnet50_v2")
    x = resnet_stem(net, net.norm(net.input))
    for channels, blocks, first_stride in RESNET50:
        for block in range(blocks):
            stride = first_stride if block == 0 else 1
            before = net.relu(net.norm(x))
            y = net.relu(net.norm(net.conv(before, channels, 1), 0.6))
            y = net.relu(net.norm(net.conv(y, channels, 3, stride), 0.6))
            y = net.conv(y, 4 * channels, 1)
            x = net.add(y, net.conv(before, 4 * channels, 1, stride) if block == 0 else x)
    return net, net.classifier(net.relu(net.norm(x, 0.3)))


def vgg19():
    net = image_network("vgg19")
    x = net.input
    for channels, layers in [(64, 2), (128, 2), (256, 4), (512, 4), (512, 4)]:
        for _ in range(layers):
            x = net.relu(net.conv(x, channels, 3, bias=True))
        x = net.max_pool(x, 2, 2)
    x = net.flatten(x)
    x = net.relu(net.dense(x, 4096))
    x = net.relu(net.dense(x, 4096))
    return net, net.dense(x, CLASSES)


def mobilenet_v1():
    net = image_network("mobilenet_v1")
    x = net.relu(net.norm(net.conv(net.input, 32, 3, 2)))
    steps = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + 5 * [(512, 1)] + [(1024, 2), (1024, 1)]
    for channels, stride in steps:
        inputs = x.shape[1]
        x = net.relu(net.norm(net.conv(x, inputs, 3, stride, groups=inputs)))
        x = net.relu(net.norm(net.conv(x, channels, 1)))
    return net, net.classifier(x)


def mobilenet_v2():
    net = image_network("mobilenet_v2")
    x = net.relu6(net.norm(net.conv(net.input, 32, 3, 2)))
    # Expansion factor, channels, number of blocks, stride of the first block.
    for factor, channels, blocks, first_stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                                   (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for block in range(blocks):
            stride = first_stride if block == 0 else 1
            wide = x.shape[1] * factor
            y = net.relu6(net.norm(net.conv(x, wide, 1))) if factor > 1 else x
            y = net.relu6(net.norm(net.conv(y, wide, 3, stride, groups=wide)))
            y = net.norm(net.conv(y, channels, 1), 0.5)
            x = net.add(x, y) if x.shape == y.shape else y
    x = net.relu6(net.norm(net.conv(x, 1280, 1)))
    return net, net.classifier(x)


def squeezenet():
    """Version 1.1."""
    net = image_network("squeezenet")
    x = net.max_pool(net.relu(net.conv(net.input, 64, 3, 2, pad=0, bias=True)), 3, 2)
    # Channels of the squeeze. Each of the two expansions has four times as many channels.
    for squeeze in [16, 16, "pool", 32, 32, "pool", 48, 48, 64, 64]:
        if squeeze == "pool":
            x = net.max_pool(x, 3, 2)
            continue
        x = net.relu(net.conv(x, squeeze, 1, bias=True))
        x = net.concat([net.relu(net.conv(x, 4 * squeeze, kernel, bias=True)) for kernel in (1, 3)])
    x = net.relu(net.conv(x, CLASSES, 1, bias=True))
    return net, net.softmax(net.global_pool(x))


# Channels: 1x1 | 1x1, 3x3 | 1x1, 5x5 | pool, 1x1. None: a pool between the stages.
INCEPTION = [(64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64), None, (192, 96, 208, 16, 48, 64),
             (160, 112, 224, 24, 64, 64), (128, 128, 256, 24, 64, 64), (112, 144, 288, 32, 64, 64),
             (256, 160, 320, 32, 128, 128), None, (256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128)]


def inception_v1():
    net = image_network("inception_v1")

    def conv(x, channels, kernel, stride=1):
        return net.relu(net.conv(x, channels, kernel, stride, bias=True))

    x = net.lrn(net.max_pool(conv(net.input, 64, 7, 2), 3, 2))
    x = net.lrn(conv(conv(x, 64, 1), 192, 3))
    x = net.max_pool(x, 3, 2)
    for channels in INCEPTION:
        if channels is None:
            x = net.max_pool(x, 3, 2)
            continue
        one, before_three, three, before_five, five, after_pool = channels
        x = net.concat([conv(x, one, 1), conv(conv(x, before_three, 1), three, 3),
                        conv(conv(x, before_five, 1), five, 5), conv(net.max_pool(x, 3, 1, (1, 1)), after_pool, 1)])
    x = net.average_pool(x, x.shape[2], 1)
    return net, net.softmax(net.dense(net.flatten(x), CLASSES))


def densenet121():
    """Builds the network in the form of Caffe exports, with the scale layers of training."""
    net = image_network("densenet121")
    growth = 32

    def norm_relu(x):
        return net.relu(net.scale(net.norm(x)))

    x = net.max_pool(norm_relu(net.conv(net.input, 64, 7, 2)), 3, 2, (1, 1))
    for stage, layers in enumerate([6, 12, 24, 16]):
        if stage > 0:
            x = net.average_pool(net.conv(norm_relu(x), x.shape[1] // 2, 1), 2, 2)
        for _ in range(layers):
            y = net.conv(norm_relu(x), 4 * growth, 1)
            y = net.conv(norm_relu(y), growth, 3)
            x = net.concat([x, y])
    x = net.global_pool(norm_relu(x))
    return net, net.conv(x, CLASSES, 1, bias=True)


def alexnet_layers(net, normalize, last_pads):
    """Builds the network; `normalize` adds the pool and the normalization, in either order."""
    x = normalize(net.relu(net.conv(net.input, 96, 11, 4, pad=0, bias=True)))
    x = normalize(net.relu(net.conv(x, 256, 5, groups=2, bias=True)))
    x = net.relu(net.conv(x, 384, 3, bias=True))
    x = net.relu(net.conv(x, 384, 3, groups=2, bias=True))
    x = net.relu(net.conv(x, 256, 3, groups=2, bias=True))
    x = net.flatten(net.max_pool(x, 3, 2, last_pads))
    x = net.relu(net.dense(x, 4096))
    x = net.relu(net.dense(x, 4096))
    return net, net.softmax(net.dense(x, CLASSES))


def bvlc_alexnet():
    """Builds the version of ONNX's model zoo, for images of 224 x 224."""
    net = image_network("bvlc_alexnet")
    return alexnet_layers(net, lambda x: net.max_pool(net.lrn(x), 3, 2), (0, 1))


def alexnet():
    """Builds the version of Caffe's model zoo, for images of 227 x 227."""
    net = Network("alexnet", (1, 3, 227, 227))
    return alexnet_layers(net, lambda x: net.max_pool(net.lrn(x), 3, 2), (0, 0))


def caffenet():
    """Builds AlexNet with each pool before its normalization."""
    net = Network("caffenet", (1, 3, 227, 227))
    return alexnet_layers(net, lambda x: net.lrn(net.max_pool(x, 3, 2)), (0, 0))


# Expansion factor, kernel size, stride of the first block, channels, number of blocks.
EFFICIENTNET_B0 = [(1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3),
                   (6, 5, 2, 192, 4), (6, 3, 1, 320, 1)]

# Kernel size, expanded channels, channels, whether the block has a gate, whether it uses HardSwish, stride.
MOBILENET_V3 = [(3, 16, 16, False, False, 1), (3, 64, 24, False, False, 2), (3, 72, 24, False, False, 1),
                (5, 72, 40, True, False, 2), (5, 120, 40, True, False, 1), (5, 120, 40, True, False, 1),
                (3, 240, 80, False, True, 2), (3, 200, 80, False, True, 1), (3, 184, 80, False, True, 1),
                (3, 184, 80, False, True, 1), (3, 480, 112, True, True, 1), (3, 672, 112, True, True, 1),
                (5, 672, 160, True, True, 2), (5, 960, 160, True, True, 1), (5, 960, 160, True, True, 1)]


def inverted_block(net, x, expanded, channels, kernel, stride, activate, gate):
    """Adds a 1x1 convolution to `expanded` channels, a depthwise convolution, `gate`, and a 1x1
    convolution to `channels`. A gate halves its input; the factor of the last norm makes up for it."""
    y = activate(net.norm(net.conv(x, expanded, 1))) if expanded != x.shape[1] else x
    y = activate(net.norm(net.conv(y, expanded, kernel, stride, groups=expanded)))
    y = gate(y) if gate else y
    is_residual = stride == 1 and x.shape[1] == channels
    y = net.norm(net.conv(y, channels, 1), (0.5 if is_residual else 1) * (2 if gate else 1))
    return net.add(y, x) if is_residual else y


def efficientnet_b0():
    net = image_network("efficientnet_b0")
    x = net.silu(net.norm(net.conv(net.input, 32, 3, 2)))
    for factor, kernel, first_stride, channels, blocks in EFFICIENTNET_B0:
        for block in range(blocks):
            squeezed = x.shape[1] // 4
            x = inverted_block(net, x, factor * x.shape[1], channels, kernel, first_stride if block == 0 else 1,
                               net.silu, lambda y: net.gate(y, squeezed, net.silu, net.sigmoid))
    x = net.silu(net.norm(net.conv(x, 1280, 1)))
    return net, net.classifier(x)


def mobilenet_v3():
    """Builds the large version."""
    net = image_network("mobilenet_v3")
    x = net.hard_swish(net.norm(net.conv(net.input, 16, 3, 2)))
    for kernel, expanded, channels, has_gate, is_swish, stride in MOBILENET_V3:
        # A quarter of the channels, rounded to a multiple of 8; at least 90 % of the quarter.
        squeezed = (expanded // 4 + 4) // 8 * 8
        squeezed += 8 if squeezed < 0.9 * (expanded // 4) else 0
        gate = (lambda y: net.gate(y, squeezed, net.relu, net.hard_sigmoid)) if has_gate else None
        x = inverted_block(net, x, expanded, channels, kernel, stride, net.hard_swish if is_swish else net.relu, gate)
    x = net.hard_swish(net.norm(net.conv(x, 960, 1)))
    x = net.hard_swish(net.dense(net.flatten(net.global_pool(x)), 1280))
    return net, net.dense(x, CLASSES)


def unet():
    """Builds a U-Net for 256x256 images with 32 channels at full size. The decoder concatenates
    each enlarged result with the result of the encoder at the same size."""
    net = Network("unet", (1, 3, 256, 256))

    def block(x, channels):
        for _ in range(2):
            x = net.relu(net.norm(net.conv(x, channels, 3)))
        return x

    x = net.input
    sizes = []
    for channels in UNET:
        sizes.append(block(x, channels))
        x = net.max_pool(sizes[-1], 2, 2)
    x = block(x, 2 * UNET[-1])
    for channels, same_size in zip(reversed(UNET), reversed(sizes)):
        x = block(net.concat([net.up_conv(x, channels), same_size]), channels)
    return net, net.sigmoid(net.conv(x, 1, 1, bias=True))


def mnist_cnn():
    net = Network("mnist_cnn", (1, 1, 28, 28))
    x = net.max_pool(net.relu(net.conv(net.input, 8, 5, bias=True)), 2, 2)
    x = net.max_pool(net.relu(net.conv(x, 16, 5, bias=True)), 3, 3)
    return net, net.dense(net.flatten(x), 10)


NETWORKS = [resnet50_v15, resnet50_v2, vgg19, resnet18, mobilenet_v1, mobilenet_v2, squeezenet, inception_v1,
            densenet121, bvlc_alexnet, mnist_cnn, alexnet, caffenet, resnext50, unet, efficientnet_b0,
            mobilenet_v3] + SEQUENCES


# Quantized from the network with the same name without the suffix.
INT8 = "_int8"
DYNAMIC = "_dynamic_int8"
QUANTIZED = [resnet50_v15.__name__ + INT8, mobilenet_v2.__name__ + INT8, "bert_base_s128" + DYNAMIC]


def describe(name, net, output):
    shape = "x".join(str(size) for size in output.shape)
    return (f"{name:<27} {2e-9 * net.macs:8.4f} GFLOP {net.parameters():>10} parameters "
            f"{len(net.nodes):>4} nodes, output {shape}")


def write(folder, name, net, output):
    """Writes a temporary file and renames it, so that no reader sees an incomplete model."""
    model = net.model(output)
    if name.endswith(DYNAMIC):
        model = quantize_dynamic(model)
    elif name.endswith(INT8):
        model = quantize(model)
    path = os.path.join(folder, name + ".onnx")
    onnx.save(model, path + ".part")
    onnx.checker.check_model(path + ".part")
    os.replace(path + ".part", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", metavar="DIR")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    builders = {builder.__name__: builder for builder in NETWORKS}
    known = list(builders) + QUANTIZED
    unknown = [name for name in args.names if name not in known]
    if unknown:
        sys.exit(f"make_models: unknown network '{unknown[0]}'; expected one of {', '.join(known)}")
    if not args.list and args.folder is None:
        sys.exit("make_models: expected an output folder or --list")
    for name in args.names or known:
        net, output = builders[name.removesuffix(DYNAMIC).removesuffix(INT8)]()
        print(describe(name, net, output), flush=True)
        if not args.list:
            os.makedirs(args.folder, exist_ok=True)
            write(args.folder, name, net, output)


if __name__ == "__main__":
    main()

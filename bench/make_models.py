#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the benchmark networks: eleven image classifiers of batch 1 in fp32 with
random weights, two more for the comparison of accelerators only, the encoder of
MiniLM-L6 for sequences of 128 and 16 tokens, and two networks with layers that the
classifiers lack: resnext50 with grouped convolutions and unet with transposed
convolutions. The speed does not depend on the
weights as long as no number overflows, becomes zero or becomes denormal. Therefore
every convolution keeps the variance of its input (He initialisation), and every
residual branch adds a fraction. Equal versions of this script write equal bytes. Two
networks are also written in 8 bits, as resnet50_v15_int8 and mobilenet_v2_int8
(quantize.py).

  make_models.py DIR [NAME...]   write DIR/NAME.onnx, or all networks without a name
  make_models.py --list          print the size of each network and stop
"""

import argparse
import collections
import math
import os
import sys
import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 13
OPSET_OF_LAYER_NORM = 17
CLASSES = 1000

# A value of the network. Its shape is known, so the size of a network is known before its
# weights are generated.
Tensor = collections.namedtuple("Tensor", "name shape")
# Weights with a normal distribution.
Weight = collections.namedtuple("Weight", "name shape mean deviation")


def window(size, kernel, stride, pads):
    return (size + pads - kernel) // stride + 1


class Network:
    """Builds a graph. Each method adds one layer and returns its result."""

    def __init__(self, name, input_shape):
        self.name = name
        self.nodes = []
        self.weights = []
        self.macs = 0
        self.opset = OPSET
        self.constants = []
        self.input = Tensor("input", tuple(input_shape))

    def parameters(self):
        return sum(math.prod(weight.shape) for weight in self.weights)

    # Layers with weights.

    def conv(self, x, channels, kernel, stride=1, pad=None, groups=1, bias=False):
        pad = kernel // 2 if pad is None else pad
        _, inputs, height, width = x.shape
        fan_in = inputs // groups * kernel * kernel
        operands = [x.name, self._weight((channels, inputs // groups, kernel, kernel), 0, math.sqrt(2 / fan_in))]
        if bias:
            operands.append(self._weight((channels,), 0, 0.01))
        shape = (1, channels, window(height, kernel, stride, 2 * pad), window(width, kernel, stride, 2 * pad))
        self.macs += math.prod(shape) * fan_in
        return self._node("Conv", operands, shape, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4,
                          group=groups)

    def up_conv(self, x, channels):
        """Adds a transposed convolution that doubles height and width."""
        _, inputs, height, width = x.shape
        shape = (1, channels, 2 * height, 2 * width)
        # Stride and kernel size are equal, so each output element is a sum over the input channels.
        self.macs += math.prod(shape) * inputs
        operands = [x.name, self._weight((inputs, channels, 2, 2), 0, math.sqrt(1 / inputs)),
                    self._weight((channels,), 0, 0.01)]
        return self._node("ConvTranspose", operands, shape, kernel_shape=[2, 2], strides=[2, 2])

    def dense(self, x, channels):
        inputs = x.shape[1]
        self.macs += inputs * channels
        operands = [x.name, self._weight((channels, inputs), 0, math.sqrt(2 / inputs)),
                    self._weight((channels,), 0, 0.01)]
        return self._node("Gemm", operands, (1, channels), transB=1)

    def linear(self, x, channels):
        """Adds a dense layer for each row of a sequence in the form of PyTorch exports: the
        product has three dimensions, and the bias is a separate op."""
        inputs = x.shape[-1]
        self.macs += math.prod(x.shape) * channels
        shape = x.shape[:-1] + (channels,)
        y = self._node("MatMul", [x.name, self._weight((inputs, channels), 0, math.sqrt(1 / inputs))], shape)
        return self._node("Add", [self._weight((channels,), 0, 0.01), y.name], shape)

    def layer_norm(self, x):
        self.opset = OPSET_OF_LAYER_NORM
        columns = (x.shape[-1],)
        operands = [x.name, self._weight(columns, 1, 0.05), self._weight(columns, 0, 0.01)]
        return self._node("LayerNormalization", operands, x.shape, axis=-1, epsilon=1e-12)

    def norm(self, x, scale=1.0):
        channels = (x.shape[1],)
        operands = [x.name, self._weight(channels, scale, 0.05 * scale), self._weight(channels, 0, 0.01),
                    self._weight(channels, 0, 0.01), self._weight(channels, 1.05, 0.02)]
        return self._node("BatchNormalization", operands, x.shape, epsilon=1e-5)

    def scale(self, x):
        """Adds a factor and a shift per channel as separate ops, which exports from Caffe
        have after a batch normalisation."""
        per_channel = (x.shape[1], 1, 1)
        x = self._node("Mul", [x.name, self._weight(per_channel, 1, 0.05)], x.shape)
        return self._node("Add", [x.name, self._weight(per_channel, 0, 0.01)], x.shape)

    # Layers without weights.

    def relu(self, x):
        return self._node("Relu", [x.name], x.shape)

    def relu6(self, x):
        return self._node("Clip", [x.name, self._scalar("zero", 0), self._scalar("six", 6)], x.shape)

    def add(self, x, y):
        return self._node("Add", [x.name, y.name], x.shape)

    def concat(self, parts):
        channels = sum(part.shape[1] for part in parts)
        return self._node("Concat", [part.name for part in parts], (1, channels) + parts[0].shape[2:], axis=1)

    def lrn(self, x):
        return self._node("LRN", [x.name], x.shape, size=5, alpha=1e-4, beta=0.75, bias=1.0)

    def max_pool(self, x, kernel, stride, pads=(0, 0)):
        return self._pool("MaxPool", x, kernel, stride, pads)

    def average_pool(self, x, kernel, stride):
        return self._pool("AveragePool", x, kernel, stride, (0, 0))

    def global_pool(self, x):
        return self._node("GlobalAveragePool", [x.name], x.shape[:2] + (1, 1))

    def flatten(self, x):
        return self._node("Flatten", [x.name], (1, math.prod(x.shape)), axis=1)

    def sigmoid(self, x):
        return self._node("Sigmoid", [x.name], x.shape)

    def softmax(self, x, axis=1):
        return self._node("Softmax", [x.name], x.shape, axis=axis)

    def gelu(self, x):
        """Adds x (1 + erf(x / sqrt 2)) / 2 in the form of exports before opset 20."""
        y = self._node("Div", [x.name, self._scalar("root_two", math.sqrt(2))], x.shape)
        y = self._node("Add", [self._node("Erf", [y.name], x.shape).name, self._scalar("one", 1)], x.shape)
        y = self._node("Mul", [x.name, y.name], x.shape)
        return self._node("Mul", [y.name, self._scalar("half", 0.5)], x.shape)

    def matmul(self, x, y):
        """Multiplies two stacks with the same number of matrices."""
        self.macs += math.prod(x.shape) * y.shape[-1]
        return self._node("MatMul", [x.name, y.name], x.shape[:-1] + (y.shape[-1],))

    def reshape(self, x, shape):
        name = "shape_" + "x".join(str(size) for size in shape)
        if all(constant.name != name for constant in self.constants):
            self.constants.append(numpy_helper.from_array(np.asarray(shape, np.int64), name))
        return self._node("Reshape", [x.name, name], shape)

    def transpose(self, x, perm):
        return self._node("Transpose", [x.name], [x.shape[dim] for dim in perm], perm=perm)

    def attention(self, x, heads):
        """Adds attention between all positions of a sequence, without a mask."""
        batch, length, width = x.shape

        def of_heads(y, perm):
            return self.transpose(self.reshape(y, (batch, length, heads, width // heads)), perm)

        query = of_heads(self.linear(x, width), [0, 2, 1, 3])
        key = of_heads(self.linear(x, width), [0, 2, 3, 1])
        value = of_heads(self.linear(x, width), [0, 2, 1, 3])
        scores = self.matmul(query, key)
        scores = self._node("Div", [scores.name, self._scalar("root_size", math.sqrt(width // heads))], scores.shape)
        y = self.matmul(self.softmax(scores, -1), value)
        return self.linear(self.reshape(self.transpose(y, [0, 2, 1, 3]), x.shape), width)

    def classifier(self, x):
        return self.dense(self.flatten(self.global_pool(x)), CLASSES)

    # Writing the file.

    def model(self, output):
        random = np.random.default_rng(zlib.crc32(self.name.encode()))
        graph = helper.make_graph(
            self.nodes, self.name,
            [helper.make_tensor_value_info(self.input.name, TensorProto.FLOAT, self.input.shape)],
            [helper.make_tensor_value_info(output.name, TensorProto.FLOAT, output.shape)])
        for weight in self.weights:
            values = random.standard_normal(weight.shape, dtype=np.float32)
            values = values * np.float32(weight.deviation) + np.float32(weight.mean)
            graph.initializer.append(numpy_helper.from_array(np.asarray(values, np.float32), weight.name))
        graph.initializer.extend(self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 8
        return model

    def _pool(self, op, x, kernel, stride, pads):
        """Adds `pads` before and after, in both directions."""
        size = [window(dim, kernel, stride, sum(pads)) for dim in x.shape[2:]]
        return self._node(op, [x.name], x.shape[:2] + tuple(size), kernel_shape=[kernel] * 2, strides=[stride] * 2,
                          pads=[pads[0]] * 2 + [pads[1]] * 2)

    def _weight(self, shape, mean, deviation):
        self.weights.append(Weight(f"weight_{len(self.weights)}", shape, mean, deviation))
        return self.weights[-1].name

    def _scalar(self, name, value):
        if all(weight.name != name for weight in self.weights):
            self.weights.append(Weight(name, (), value, 0))
        return name

    def _node(self, op, operands, shape, **attributes):
        name = f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, operands, [name + "_out"], name, **attributes))
        return Tensor(name + "_out", tuple(shape))


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
    """Normalisation and Relu precede each convolution, so not every normalisation can be
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
    """Builds the network; `normalize` adds the pool and the normalisation, in either order."""
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
    """Builds AlexNet with each pool before its normalisation."""
    net = Network("caffenet", (1, 3, 227, 227))
    return alexnet_layers(net, lambda x: net.lrn(net.max_pool(x, 3, 2)), (0, 0))


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


def encoder(name, length, layers, width, heads, inner):
    """Builds an encoder of the BERT family without embeddings. Each layer is attention and
    two dense layers, each followed by a sum and a normalisation."""
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


NETWORKS = [resnet50_v15, resnet50_v2, vgg19, resnet18, mobilenet_v1, mobilenet_v2, squeezenet, inception_v1,
            densenet121, bvlc_alexnet, mnist_cnn, alexnet, caffenet, minilm_s128, minilm_s16, resnext50,
            unet]


# Quantised from the network with the same name without the suffix.
INT8 = "_int8"
QUANTIZED = [resnet50_v15.__name__ + INT8, mobilenet_v2.__name__ + INT8]


def describe(name, net, output):
    shape = "x".join(str(size) for size in output.shape)
    return (f"{name:<17} {2e-9 * net.macs:8.4f} GFLOP {net.parameters():>10} parameters "
            f"{len(net.nodes):>4} nodes, output {shape}")


def write(folder, name, net, output):
    """Writes a temporary file and renames it, so that no reader sees an incomplete model."""
    model = net.model(output)
    if name.endswith(INT8):
        from quantize import quantize  # beside this file, which tests import from elsewhere
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
        net, output = builders[name.removesuffix(INT8)]()
        print(describe(name, net, output), flush=True)
        if not args.list:
            os.makedirs(args.folder, exist_ok=True)
            write(args.folder, name, net, output)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds the layers of the kinds to a Graph: convolutions of any number of dimensions, recurrent layers,
normalizations and blocks that several kinds share. Network (bench/network.py) has the other layers.
Weights keep the variance of the activations, so that no number overflows."""

import math

import numpy as np

from network import CLASSES
from zoo.graph import Graph

KINDS = {}  # (family, builder) by name


def kind(family):
    """Registers a function that adds the layers of a network and returns its outputs. The first line
    of its docstring describes the network."""
    def register(builder):
        KINDS[builder.__name__] = family, builder
        return builder
    return register


def tuple_of(value, rank):
    return tuple(value) if isinstance(value, (list, tuple)) else (value,) * rank


class Net(Graph):
    """Builds a network. Each method adds one layer and returns its result."""

    def image(self, size, channels=3):
        return self.add_input(1, channels, *tuple_of(size, 2))

    # Layers with weights.

    def conv(self, x, channels, kernel, stride=1, pad=None, groups=1, bias=True, dilation=1, gain=1.6):
        """Adds a convolution over all dimensions after the channels, with a bias as in PyTorch. `gain` is the
        variance of the result if the squares of the inputs have the mean 1."""
        rank = len(x.shape) - 2
        kernel, stride, dilation = (tuple_of(item, rank) for item in (kernel, stride, dilation))
        if pad is None:
            pad = [(size - 1) * far // 2 for size, far in zip(kernel, dilation)] * 2
        fan_in = x.shape[1] // groups * math.prod(kernel)
        weights = [self.weight(channels, x.shape[1] // groups, *kernel, dev=math.sqrt(gain / fan_in))]
        weights += [self.weight(channels)] if bias else []
        return self.Conv(x, *weights, dilations=dilation, group=groups, kernel_shape=kernel,
                         pads=tuple_of(pad, 2 * rank), strides=stride)

    def transposed_conv(self, x, channels, kernel, stride, pad):
        rank = len(x.shape) - 2
        dev = math.sqrt(2 * stride ** rank / (x.shape[1] * kernel ** rank))
        weights = self.weight(x.shape[1], channels, *[kernel] * rank, dev=dev), self.weight(channels)
        return self.ConvTranspose(x, *weights, dilations=[1] * rank, group=1, kernel_shape=[kernel] * rank,
                                  pads=[pad] * 2 * rank, strides=[stride] * rank)

    def conv_norm(self, x, channels, kernel, stride=1, activate=None, **more):
        """Adds a convolution, a batch normalization and an activation. Without an activation the result
        is a residual branch, which adds a fraction."""
        x = self.norm(self.conv(x, channels, kernel, stride, bias=False, **more), 1 if activate else 0.5)
        return activate(x) if activate else x

    def linear(self, x, channels, bias=True):
        """Adds a dense layer: Gemm for matrices, else a product and a sum."""
        if len(x.shape) != 2 or not bias:
            return super().linear(x, channels, bias)
        fan_in = x.shape[-1]
        weight = self.weight(channels, fan_in, dev=math.sqrt(1.5 / fan_in))
        return self.Gemm(x, weight, self.weight(channels), alpha=1.0, beta=1.0, transB=1)

    def layer_norm(self, x, epsilon=1e-5):
        return super().layer_norm(x, epsilon)

    def rms_norm(self, x):
        variance = self.ReduceMean(self.Pow(x, 2.0), axes=[-1])
        return self.weight(x.shape[-1], mean=1) * (x * (1.0 / self.Sqrt(variance + 1e-6)))

    def group_norm(self, x, groups):
        """Adds Reshape, InstanceNormalization, Reshape, Mul and Add, as PyTorch exports it."""
        ones, zeros = np.ones(groups, np.float32), np.zeros(groups, np.float32)
        y = self.InstanceNormalization(x.reshape(0, groups, -1), ones, zeros, epsilon=1e-5)
        channels = (x.shape[1],) + (1,) * (len(x.shape) - 2)
        return y.reshape(*x.shape) * self.weight(*channels, mean=1) + self.weight(*channels)

    def instance_norm(self, x):
        return self.InstanceNormalization(x, self.weight(x.shape[1], mean=1), self.weight(x.shape[1]), epsilon=1e-5)

    def lstm(self, x, hidden, directions=1, lengths=None):
        """Adds an LSTM over (steps, batch, features) in the form of PyTorch exports."""
        _, batch, size = x.shape
        weights = [self.weight(directions, 4 * hidden, size, dev=math.sqrt(1 / size)),
                   self.weight(directions, 4 * hidden, hidden, dev=math.sqrt(0.3 / hidden)),
                   self.weight(directions, 8 * hidden, dev=0.05)]
        states = [self.const(np.zeros((directions, batch, hidden), np.float32)) for _ in range(2)]
        y = self.LSTM(x, *weights, lengths, *states, outputs=3, hidden_size=hidden,
                      direction="bidirectional" if directions == 2 else "forward")[0]
        return self.Squeeze(y, [1]) if directions == 1 else y.transpose(0, 2, 1, 3).reshape(0, 0, -1)

    def embed(self, indices, rows, size):
        return self.Gather(self.weight(rows, size, dev=1), indices, axis=0)

    # Layers without weights.

    def leaky(self, x):
        return self.LeakyRelu(x, alpha=0.1)

    def gelu_tanh(self, x):
        inner = (x + self.Pow(x, 3.0) * 0.044715) * math.sqrt(2 / math.pi)
        return x * 0.5 * (self.Tanh(inner) + 1.0)

    def join(self, axis, *parts):
        return self.Concat(*parts, axis=axis)

    def split(self, x, axis, *sizes):
        return self.Split(x, list(sizes), outputs=len(sizes), axis=axis)

    def slice(self, x, axis, start, end=2 ** 63 - 1, step=1):
        return self.Slice(x, [start], [end], [axis], [step])

    def pick(self, x, axis, index):
        return self.Gather(x, np.int64(index), axis=axis)

    def global_pool(self, x):
        return self.GlobalAveragePool(x)

    def pool(self, x, kernel, stride, pads=0):
        """Adds a maximum pool whose stride and padding may differ between height and width."""
        return self.MaxPool(x, kernel_shape=tuple_of(kernel, 2), strides=tuple_of(stride, 2), pads=tuple_of(pads, 4))

    def resize(self, x, size, mode):
        """Resizes an image as torch.nn.functional.interpolate does."""
        more = {"nearest": {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
                "linear": {"coordinate_transformation_mode": "half_pixel"},
                "cubic": {"coordinate_transformation_mode": "half_pixel", "cubic_coeff_a": -0.75}}[mode]
        return self.Resize(x, None, None, list(x.shape[:2]) + list(tuple_of(size, 2)), mode=mode, **more)

    def double(self, x):
        return self.resize(x, [2 * size for size in x.shape[2:]], "nearest")

    # Attention.

    def heads(self, x, heads):
        """Splits the features of a sequence into heads: (batch, heads, length, size)."""
        return x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads).transpose(0, 2, 1, 3)

    def attend(self, query, key, value, mask=None):
        """Adds attention of heads, and merges the heads."""
        scores = query @ key.transpose(0, 1, 3, 2) / math.sqrt(query.shape[-1])
        y = self.softmax(scores + mask if mask is not None else scores, -1) @ value
        return y.transpose(0, 2, 1, 3).reshape(query.shape[0], query.shape[2], -1)

    def attention(self, x, heads, context=None, bias=True):
        context = context or x
        parts = [self.heads(self.linear(of, x.shape[-1], bias), heads) for of in (x, context, context)]
        return self.linear(self.attend(*parts), x.shape[-1])

    # Blocks.

    def basic_block(self, x, channels, stride=1):
        """Adds the block of ResNet-18, in any number of dimensions."""
        y = self.conv_norm(self.conv_norm(x, channels, 3, stride, activate=self.relu), channels, 3)
        return self.relu(y + (x if x.shape == y.shape else self.conv_norm(x, channels, 1, stride)))

    def inverted(self, x, channels, stride=1, expand=6, activate=None, dilation=1):
        """Adds the inverted residual block of MobileNetV2."""
        activate = activate or self.relu6
        middle = x.shape[1] * expand
        y = self.conv_norm(x, middle, 1, activate=activate) if expand > 1 else x
        y = self.conv_norm(y, middle, 3, stride, groups=middle, activate=activate, dilation=dilation)
        y = self.conv_norm(y, channels, 1)
        return x + y if x.shape == y.shape else y

    def separable(self, x, channels, stride=1):
        """Adds the block of MobileNetV1 with batch normalizations."""
        x = self.conv_norm(x, x.shape[1], 3, stride, groups=x.shape[1], activate=self.relu6)
        return self.conv_norm(x, channels, 1, activate=self.relu6)

    def classifier(self, x, classes=CLASSES):
        return self.linear(self.Flatten(self.global_pool(x), axis=1), classes)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds ONNX graphs with random weights for make_models.py. A Network knows the shape of each
value, so its size is known before the weights are generated. Equal versions of this file write
equal bytes. make_models.py, sequences.py and zoo/ use it."""

import collections
import math
import zlib

import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET = 13
OPSET_OF_HARD_SWISH = 14
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

    float_type = np.float32  # of the weights

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

    def conv1d(self, x, channels, kernel, stride=1):
        _, inputs, length = x.shape
        pad = kernel // 2
        shape = (1, channels, window(length, kernel, stride, 2 * pad))
        self.macs += math.prod(shape) * inputs * kernel
        operands = [x.name, self._weight((channels, inputs, kernel), 0, math.sqrt(2 / (inputs * kernel))),
                    self._weight((channels,), 0, 0.01)]
        return self._node("Conv", operands, shape, kernel_shape=[kernel], strides=[stride], pads=[pad] * 2)

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

    def linear(self, x, channels, bias=True):
        """Adds a dense layer for each row of a sequence in the form of PyTorch exports: the
        product has three dimensions, and the bias is a separate op."""
        inputs = x.shape[-1]
        self.macs += math.prod(x.shape) * channels
        shape = x.shape[:-1] + (channels,)
        y = self._node("MatMul", [x.name, self._weight((inputs, channels), 0, math.sqrt(1 / inputs))], shape)
        if not bias:
            return y
        return self._node("Add", [self._weight((channels,), 0, 0.01), y.name], shape)

    def layer_norm(self, x, epsilon=1e-12):
        self.opset = OPSET_OF_LAYER_NORM
        columns = (x.shape[-1],)
        operands = [x.name, self._weight(columns, 1, 0.05), self._weight(columns, 0, 0.01)]
        return self._node("LayerNormalization", operands, x.shape, axis=-1, epsilon=epsilon)

    def decomposed_layer_norm(self, x, epsilon=1e-5):
        """Adds the normalization in the form of PyTorch exports before opset 17."""
        row = x.shape[:-1] + (1,)
        mean = self._node("ReduceMean", [x.name], row, axes=[-1])
        centered = self._node("Sub", [x.name, mean.name], x.shape)
        square = self._node("Pow", [centered.name, self._scalar("two", 2)], x.shape)
        variance = self._node("ReduceMean", [square.name], row, axes=[-1])
        variance = self._node("Add", [variance.name, self._scalar("epsilon", epsilon)], row)
        y = self._node("Div", [centered.name, self._node("Sqrt", [variance.name], row).name], x.shape)
        y = self._node("Mul", [y.name, self._weight((x.shape[-1],), 1, 0.05)], x.shape)
        return self._node("Add", [y.name, self._weight((x.shape[-1],), 0, 0.01)], x.shape)

    def recurrent(self, op, x, hidden):
        """Adds an LSTM or GRU of one direction in the form of PyTorch exports, which set the initial
        states to zero and remove the dimension of directions."""
        steps, batch, inputs = x.shape
        gates = {"LSTM": 4, "GRU": 3}[op]
        self.macs += steps * batch * gates * hidden * (inputs + hidden)
        operands = [x.name, self._weight((1, gates * hidden, inputs), 0, math.sqrt(1 / inputs)),
                    self._weight((1, gates * hidden, hidden), 0, math.sqrt(1 / (3 * hidden))),
                    self._weight((1, 2 * gates * hidden), 0, 0.05), ""]
        state = f"state_{hidden}"
        if all(weight.name != state for weight in self.weights):
            self.weights.append(Weight(state, (1, batch, hidden), 0, 0))
        more = {"LSTM": {}, "GRU": {"linear_before_reset": 1}}[op]
        operands += [state] * (2 if op == "LSTM" else 1)
        y = self._node(op, operands, (steps, 1, batch, hidden), hidden_size=hidden, **more)
        return self._node("Squeeze", [y.name, self._ints("axes_1", [1])], (steps, batch, hidden))

    def norm(self, x, scale=1.0):
        channels = (x.shape[1],)
        operands = [x.name, self._weight(channels, scale, 0.05 * scale), self._weight(channels, 0, 0.01),
                    self._weight(channels, 0, 0.01), self._weight(channels, 1.05, 0.02)]
        return self._node("BatchNormalization", operands, x.shape, epsilon=1e-5)

    def scale(self, x):
        """Adds a factor and a shift per channel as separate ops, which exports from Caffe
        have after a batch normalization."""
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

    def silu(self, x):
        return self._node("Mul", [x.name, self.sigmoid(x).name], x.shape)

    def hard_sigmoid(self, x):
        return self._node("HardSigmoid", [x.name], x.shape, alpha=1 / 6, beta=0.5)

    def hard_swish(self, x):
        self.opset = max(self.opset, OPSET_OF_HARD_SWISH)
        return self._node("HardSwish", [x.name], x.shape)

    def gate(self, x, squeezed, activate, bound):
        """Multiplies each channel by a factor from 0 to 1 that two small convolutions compute from
        the mean of each channel (squeeze and excitation)."""
        y = activate(self.conv(self.global_pool(x), squeezed, 1, bias=True))
        y = bound(self.conv(y, x.shape[1], 1, bias=True))
        return self._node("Mul", [y.name, x.name], x.shape)

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
        name = self._ints("shape_" + "x".join(str(size) for size in shape), shape)
        return self._node("Reshape", [x.name, name], shape)

    def gather(self, x, index, axis):
        """Selects one index of an axis and removes the axis."""
        shape = x.shape[:axis] + x.shape[axis + 1:]
        return self._node("Gather", [x.name, self._ints(f"index_{index}", index)], shape, axis=axis)

    def learned(self, x, shape, prepends=False):
        """Adds a trained tensor to x, or prepends it to the rows of x."""
        weight = self._weight(shape, 0, 0.1)
        if not prepends:
            return self._node("Add", [x.name, weight], x.shape)
        return self._node("Concat", [weight, x.name], (x.shape[0], x.shape[1] + shape[1], x.shape[2]), axis=1)

    def scaled(self, x, factor):
        return self._node("Mul", [x.name, self._scalar(f"factor_{len(self.nodes)}", factor)], x.shape)

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

    def initializers(self):
        """Generates the weights in their order, then the constants."""
        random = np.random.default_rng(zlib.crc32(self.name.encode()))
        for weight in self.weights:
            values = random.standard_normal(weight.shape, dtype=np.float32)
            values = values * np.float32(weight.deviation) + np.float32(weight.mean)
            yield numpy_helper.from_array(np.asarray(values, self.float_type), weight.name)
        yield from self.constants

    def model(self, output):
        graph = helper.make_graph(
            self.nodes, self.name,
            [helper.make_tensor_value_info(self.input.name, TensorProto.FLOAT, self.input.shape)],
            [helper.make_tensor_value_info(output.name, TensorProto.FLOAT, output.shape)])
        graph.initializer.extend(self.initializers())
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

    def _ints(self, name, values):
        if all(constant.name != name for constant in self.constants):
            self.constants.append(numpy_helper.from_array(np.asarray(values, np.int64), name))
        return name

    def _node(self, op, operands, shape, **attributes):
        name = f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, operands, [name + "_out"], name, **attributes))
        return Tensor(name + "_out", tuple(shape))

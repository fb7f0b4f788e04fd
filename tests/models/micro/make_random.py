# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes random int8 networks (QDQ) of the layers that networks for microcontrollers have. Equal seeds
give equal networks. random_int8.py runs them."""

from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SPREAD = 45  # the standard deviation of stored values that the scales aim at


@dataclass
class Tensor:
    """An int8 tensor NCHW, or NC if `rows` is 0. Real values have a standard deviation of about
    SPREAD * scale around `mean`."""
    name: str
    channels: int
    rows: int
    columns: int
    scale: float
    zero: int
    mean: float = 0.0
    readers: int = 0

    def same_image(self, other):
        return (self.rows, self.columns) == (other.rows, other.columns)


class RandomNetwork:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants, self.tensors = [], [], []

    def integer(self, low, high):
        """Returns a number from low to high, both included."""
        return int(self.random.integers(low, high + 1))

    def happens(self, probability):
        return self.random.random() < probability

    def constant(self, value):
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, kind, inputs, **attributes):
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def real(self, x):
        x.readers += 1
        return self.node("DequantizeLinear", [x.name, self.constant(np.float32(x.scale)),
                                              self.constant(np.int8(x.zero))])

    def quantized(self, name, shape, deviation, mean=0.0, like=None):
        """Quantizes a real tensor with a scale for its deviation, or with the scale of `like`."""
        scale = like.scale if like else np.float32(deviation / SPREAD * self.random.uniform(0.6, 1.6))
        zero = like.zero if like else int(np.clip(self.integer(-60, 60) - mean / scale / 2, -128, 127))
        stored = self.node("QuantizeLinear", [name, self.constant(np.float32(scale)), self.constant(np.int8(zero))])
        result = Tensor(stored, *shape, float(scale), zero, mean)
        self.tensors.append(result)
        return result

    def activation(self, name, deviation):
        """Adds ReLU, a clip or nothing; returns the name, the deviation and the mean."""
        if self.happens(0.5):
            return self.node("Relu", [name]), deviation * 0.6, deviation * 0.4
        if self.happens(0.2):
            limits = [self.constant(np.float32(0)), self.constant(np.float32(1.5 * deviation))]
            return self.node("Clip", [name, *limits]), deviation * 0.5, deviation * 0.4
        return name, deviation, 0.0

    def parameters(self, shape, x, terms, wanted=None):
        """Adds weights with one scale or one per output channel, and a bias. Returns both and the
        deviation of the sums, which is `wanted` if it is given."""
        outputs = shape[0]
        count = outputs if self.happens(0.6) else 1
        scales = self.random.uniform(0.002, 0.01, count).astype(np.float32)
        rms = 73 * float(np.hypot(SPREAD * x.scale, x.mean)) * np.sqrt(terms)
        if wanted:
            scales = (scales * wanted / (scales.mean() * rms)).astype(np.float32)
        one = (lambda values: values) if count > 1 else (lambda values: values[0])
        axis = {"axis": 0} if count > 1 else {}
        weight = self.random.integers(-127, 128, shape).astype(np.int8)
        w = self.node("DequantizeLinear", [self.constant(weight), self.constant(one(scales)),
                                           self.constant(one(np.zeros(count, np.int8)))], **axis)
        bias_scales = (scales * np.float32(x.scale)).astype(np.float32)
        bias = self.random.integers(-2000, 2000, outputs).astype(np.int32)
        b = self.node("DequantizeLinear", [self.constant(bias), self.constant(one(bias_scales)),
                                           self.constant(one(np.zeros(count, np.int32)))], **axis)
        return w, b, float(scales.mean() * rms)

    def window(self, size, largest):
        """Chooses kernel, stride, padding before and after, and the number of results."""
        kernel = self.integer(1, largest)
        pads = [self.integer(0, kernel - 1), self.integer(0, kernel - 1)] if self.happens(0.6) else [0, 0]
        kernel = min(kernel, size + sum(pads))
        pads = [min(pad, kernel - 1) for pad in pads]
        kernel = min(kernel, size + sum(pads))
        stride = self.integer(1, 3) if self.happens(0.4) else 1
        return kernel, stride, pads, (size + sum(pads) - kernel) // stride + 1

    def conv(self, x, groups, outputs, largest=5):
        rows, columns = self.window(x.rows, largest), self.window(x.columns, largest)
        shape = (outputs, x.channels // groups, rows[0], columns[0])
        terms = shape[1] * min(rows[0], x.rows) * min(columns[0], x.columns)
        w, b, deviation = self.parameters(shape, x, terms)
        bias = [b] if self.happens(0.9) else []
        y = self.node("Conv", [self.real(x), w, *bias], kernel_shape=[rows[0], columns[0]], group=groups,
                      strides=[rows[1], columns[1]],
                      pads=[rows[2][0], columns[2][0], rows[2][1], columns[2][1]])
        y, deviation, mean = self.activation(y, deviation)
        self.quantized(y, (outputs, rows[3], columns[3]), deviation, mean)

    def dense_conv(self, x):
        self.conv(x, 1, self.integer(1, 20))

    def pointwise(self, x):
        self.conv(x, 1, self.integer(1, 24), largest=1)

    def depthwise(self, x):
        self.conv(x, x.channels, x.channels * (2 if self.happens(0.2) else 1))

    def pool(self, x):
        rows, columns = self.window(x.rows, 3), self.window(x.columns, 3)
        is_max = self.happens(0.5)
        # A mean over fewer values at the border is a float layer, whose bytes may differ.
        counts_pads = int(any(rows[2]) or any(columns[2])) or self.integer(0, 1)
        attributes = {} if is_max else {"count_include_pad": counts_pads}
        y = self.node("MaxPool" if is_max else "AveragePool", [self.real(x)], kernel_shape=[rows[0], columns[0]],
                      strides=[rows[1], columns[1]],
                      pads=[rows[2][0], columns[2][0], rows[2][1], columns[2][1]], **attributes)
        same = x if is_max or self.happens(0.5) else None
        deviation = SPREAD * x.scale / np.sqrt(rows[0] * columns[0])
        self.quantized(y, (x.channels, rows[3], columns[3]), deviation, x.mean, same)

    def global_pool(self, x):
        y = self.node("GlobalAveragePool", [self.real(x)])
        deviation = SPREAD * x.scale / np.sqrt(x.rows * x.columns)
        self.quantized(y, (x.channels, 1, 1), deviation, x.mean, x if self.happens(0.3) else None)

    def relu(self, x):
        self.quantized(self.node("Relu", [self.real(x)]), (x.channels, x.rows, x.columns), SPREAD * x.scale, x.mean)

    def partner(self, x, accepts):
        found = [tensor for tensor in self.tensors if accepts(tensor)]
        return found[self.integer(0, len(found) - 1)] if found else x

    def add(self, x):
        y = self.partner(x, lambda t: t is not x and t.channels == x.channels and t.same_image(x))
        deviation = SPREAD * float(np.hypot(x.scale, y.scale))
        total, deviation, mean = self.activation(self.node("Add", [self.real(x), self.real(y)]), deviation)
        self.quantized(total, (x.channels, x.rows, x.columns), deviation, mean + x.mean + y.mean)

    def concat(self, x):
        y = self.partner(x, lambda t: t is not x and t.same_image(x))
        joined = self.node("Concat", [self.real(x), self.real(y)], axis=1)
        self.quantized(joined, (x.channels + y.channels, x.rows, x.columns), SPREAD * max(x.scale, y.scale),
                       max(x.mean, y.mean))

    def product(self, x, wanted=None):
        name = self.real(x)
        terms = x.channels * max(x.rows, 1) * max(x.columns, 1)
        if x.rows and self.happens(0.5):
            name = self.node("Transpose", [name], perm=[0, 2, 3, 1])
        if x.rows:
            name = self.node("Reshape", [name, self.constant(np.array([1, terms], np.int64))])
        outputs = self.integer(1, 20)
        w, b, deviation = self.parameters((outputs, terms), x, terms, wanted)
        y = self.node("Gemm", [name, w, b], transB=1)
        y, deviation, mean = self.activation(y, deviation)
        return self.quantized(y, (outputs, 0, 0), deviation, mean)

    def softmax(self, x):
        """Adds softmax of a product. A small deviation of the scores gives more than one class a share."""
        x = self.product(x, wanted=1.5)
        y = self.node("Softmax", [self.real(x)], axis=1)
        self.tensors.append(Tensor(self.node("QuantizeLinear", [y, self.constant(np.float32(1 / 256)),
                                                                self.constant(np.int8(-128))]),
                                   x.channels, 0, 0, 1 / 256, -128))

    def start(self):
        """Adds the input, NCHW or NHWC with a transpose; returns its shape."""
        channels, rows, columns = self.integer(1, 8), self.integer(1, 15), self.integer(1, 15)
        shape = [1, channels, rows, columns]
        x = Tensor("image", channels, rows, columns, float(np.float32(self.random.uniform(0.01, 0.1))),
                   self.integer(-128, 127))
        if self.happens(0.6):
            shape = [1, rows, columns, channels]
            moved = self.node("Transpose", [self.real(x)], perm=[0, 3, 1, 2])
            self.quantized(moved, (channels, rows, columns), 0, 0, x)
        else:
            self.tensors.append(x)
        return shape

    def layer(self):
        """Adds a layer that reads a recent tensor, or now and then an older one."""
        images = [tensor for tensor in self.tensors if tensor.rows]
        x = images[-1] if self.happens(0.7) else images[self.integer(0, len(images) - 1)]
        kinds = [self.dense_conv, self.dense_conv, self.pointwise, self.depthwise, self.pool, self.add, self.concat,
                 self.relu]
        if self.happens(0.05):
            kinds = [self.global_pool]
        kinds[self.integer(0, len(kinds) - 1)](x)

    def build(self):
        shape = self.start()
        for _ in range(self.integer(2, 8)):
            self.layer()
        if self.happens(0.5):
            x = self.partner(None, lambda tensor: tensor.rows)
            if self.happens(0.6):
                x = self.product(x)
            if self.happens(0.5):
                self.softmax(x)
        outputs = [tensor for tensor in self.tensors if tensor.readers == 0]
        infos = [helper.make_tensor_value_info(tensor.name, TensorProto.INT8, None) for tensor in outputs]
        graph = helper.make_graph(self.nodes, "random",
                                  [helper.make_tensor_value_info("image", TensorProto.INT8, shape)], infos,
                                  self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
        model = onnx.shape_inference.infer_shapes(model)
        onnx.checker.check_model(model)
        return model, self.sample(shape)

    def sample(self, shape):
        """Returns an input: all bytes, or bytes around a value with extremes in it."""
        if self.happens(0.7):
            return self.random.integers(-128, 128, shape).astype(np.int8)
        values = np.clip(self.random.normal(self.integer(-60, 60), 20, shape), -128, 127)
        values[self.random.random(shape) < 0.1] = -128
        return values.astype(np.int8)


def make(seed):
    """Returns the model and the input of a seed."""
    return RandomNetwork(seed).build()

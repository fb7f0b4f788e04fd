# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes random ONNX graphs that are valid by construction. The seed determines the graph.

A step takes values whose shapes are known and adds one node or a few nodes. tests/differential generates graphs of
Convoy's own dialect, which do not pass the importer."""

import numpy as np
from onnx import helper, numpy_helper
from oracle_case import Case, model_of, random

OPSETS = (11, 13, 17, 18, 21)
LARGEST = 4096  # elements of a value
UNARY = ("Relu", "Sigmoid", "Tanh", "Abs", "Neg", "Erf", "Softplus", "Softsign", "HardSigmoid", "LeakyRelu", "Elu", "Exp", "Sin", "Cos",
         "Identity", "Ceil", "Floor")  # fmt: skip
# Floors of rounded values are unstable; the comparison skips what a perturbed run changes (oracle.py).
BINARY = ("Add", "Sub", "Mul", "Max", "Min")


class Graph:
    """A graph under construction. `values` has the shape of each float value."""

    def __init__(self, seed):
        self.rng = random("graph", seed)
        self.opset = int(self.rng.choice(OPSETS))
        self.nodes, self.inputs, self.fixed = [], {}, []
        self.values, self.readers, self.others = {}, {}, []

    def pick(self, test=lambda shape: True):
        """Returns the name of a value whose shape passes the test, or None. Recent values are likely."""
        found = [name for name, shape in self.values.items() if test(shape)]
        if not found:
            return None
        return found[-1 - int(self.rng.exponential(1.5)) % len(found)]

    def choose(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def number(self, low, high):
        """Returns an integer from `low` to `high`, both included."""
        return int(self.rng.integers(low, high + 1))

    def data(self, *shape, scale=1.0):
        return (self.rng.uniform(-1, 1, shape) * scale).astype(np.float32)

    def constant(self, array, prefix="c"):
        name = f"{prefix}{len(self.fixed)}"
        self.fixed.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def integers(self, *values):
        return self.constant(np.array(values, np.int64))

    def add(self, op, names, shape, **attributes):
        """Adds a node with one output. A `shape` of None is no float value: a leaf that later steps do not read."""
        output = f"v{len(self.nodes)}"
        for name in names:
            self.readers[name] = True
        self.nodes.append(helper.make_node(op, names, [output], f"n{len(self.nodes)}", **attributes))
        if shape is None:
            self.others.append(output)
        else:
            self.values[output] = tuple(int(size) for size in shape)
        return output

    def add_input(self, shape):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = self.data(*shape, scale=2.0)
        self.values[name] = tuple(shape)
        return name

    def case(self, name):
        leaves = [value for value in [*self.values, *self.others] if value not in self.readers and value not in self.inputs]
        model = model_of(self.nodes, self.inputs, self.fixed, leaves, self.opset)
        return Case(name, "graph", model, dict(self.inputs))


# Steps. Each returns without a node if no value fits.


def unary(g):
    x = g.pick()
    g.add(g.choose(*UNARY), [x], g.values[x])


def binary(g):
    x = g.pick()
    shape = g.values[x]
    kind = g.number(0, 3)
    if kind == 0:
        other = g.pick(lambda candidate: candidate == shape)
    elif kind == 1:
        other = g.constant(g.data(*[size if g.rng.random() < 0.6 else 1 for size in shape][g.number(0, max(len(shape) - 1, 0)):]))
    elif kind == 2:
        other = g.constant(g.data())
    else:
        other = g.pick(lambda candidate: len(candidate) <= len(shape) and all(a in (1, b) for a, b in zip(candidate[::-1], shape[::-1])))
    names = [x, other or x]
    if g.rng.random() < 0.5:
        names.reverse()
    g.add(g.choose(*BINARY), names, shape)


def divide(g):
    x = g.pick()
    shape = g.values[x]
    g.add("Div", [x, g.constant(np.abs(g.data(*shape[-1:])) + np.float32(0.5))], shape)


def clip(g):
    x = g.pick()
    g.add("Clip", [x, g.constant(np.float32(-g.rng.random())), g.constant(np.float32(g.rng.random()))], g.values[x])


def transpose(g):
    x = g.pick(lambda shape: len(shape) >= 2)
    if x:
        order = [int(k) for k in g.rng.permutation(len(g.values[x]))]
        g.add("Transpose", [x], [g.values[x][k] for k in order], perm=order)


def reshape(g):
    x = g.pick(lambda shape: len(shape) >= 2)
    if not x:
        return
    shape = list(g.values[x])
    at = g.number(0, len(shape) - 2)
    target = [*shape[:at], shape[at] * shape[at + 1], *shape[at + 2:]]
    written = [0 if k < len(shape) and size == shape[k] and g.rng.random() < 0.3 else size for k, size in enumerate(target)]
    if 0 not in written or g.rng.random() < 0.5:
        written[at] = -1
    g.add("Reshape", [x, g.integers(*written)], target)


def split_axis(g):
    x = g.pick(lambda shape: len(shape) <= 3 and any(size % 2 == 0 for size in shape))
    if x:
        shape = list(g.values[x])
        axis = next(k for k, size in enumerate(shape) if size % 2 == 0)
        target = [*shape[:axis], 2, shape[axis] // 2, *shape[axis + 1:]]
        g.add("Reshape", [x, g.integers(*target)], target)


def concat(g):
    x = g.pick(lambda shape: len(shape) >= 1)
    if not x:
        return
    shape = g.values[x]
    axis = g.number(0, len(shape) - 1)
    fits = lambda other: len(other) == len(shape) and all(a == b for k, (a, b) in enumerate(zip(other, shape)) if k != axis)  # noqa: E731
    other = g.pick(fits)
    target = list(shape)
    target[axis] += g.values[other][axis]
    if np.prod(target) <= LARGEST:
        g.add("Concat", [x, other], target, axis=axis - len(shape) if g.rng.random() < 0.5 else axis)


def slice_axis(g):
    x = g.pick(lambda shape: len(shape) >= 1 and max(shape) >= 3)
    if not x:
        return
    shape = list(g.values[x])
    axis = int(np.argmax(shape))
    size = shape[axis]
    step = g.choose(1, 2, -1, -2)
    start, end = sorted((g.number(0, size - 1), g.number(0, size - 1)))
    indices = range(start, end + 1, step) if step > 0 else range(end, start - 1, step)
    shape[axis] = len(indices)
    stop = end + 1 if step > 0 else start - 1
    stop = -size - 1 if stop < 0 else stop
    g.add("Slice", [x, g.integers(start if step > 0 else end), g.integers(stop), g.integers(axis - len(shape)), g.integers(step)], shape)


def gather(g):
    x = g.pick(lambda shape: len(shape) >= 1)
    if x:
        shape = list(g.values[x])
        axis = g.number(0, len(shape) - 1)
        count = g.number(1, 4)
        indices = g.rng.integers(-shape[axis], shape[axis], count)
        target = [*shape[:axis], count, *shape[axis + 1:]]
        if np.prod(target) <= LARGEST:
            g.add("Gather", [x, g.constant(indices.astype(np.int64))], target, axis=axis)


def pad(g):
    x = g.pick(lambda shape: len(shape) >= 1)
    if not x:
        return
    shape = g.values[x]
    mode = g.choose("constant", "edge", "reflect")
    limit = lambda size: min(2, size - 1) if mode == "reflect" else 2  # noqa: E731
    before, after = ([g.number(0, limit(size)) for size in shape] for _ in range(2))
    target = [a + size + b for a, size, b in zip(before, shape, after)]
    if np.prod(target) <= LARGEST:
        names = [x, g.integers(*before, *after)] + ([g.constant(np.float32(0.5))] if mode == "constant" else [])
        g.add("Pad", names, target, mode=mode)


def axes_node(g, op, x, axes, shape, since, **attributes):
    """Adds a node whose axes are an input since an opset and an attribute before it."""
    if g.opset >= since:
        g.add(op, [x, g.integers(*axes)], shape, **attributes)
    else:
        g.add(op, [x], shape, axes=list(axes), **attributes)


def unsqueeze(g):
    x = g.pick(lambda shape: len(shape) <= 3)
    if x:
        axis = g.number(0, len(g.values[x]))
        axes_node(g, "Unsqueeze", x, [axis], [*g.values[x][:axis], 1, *g.values[x][axis:]], 13)


def reduce(g):
    x = g.pick(lambda shape: len(shape) >= 1)
    if not x:
        return
    shape = g.values[x]
    op = g.choose("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare")
    axes = sorted({g.number(0, len(shape) - 1) for _ in range(2)})
    keep = g.number(0, 1)
    target = [1 if k in axes else size for k, size in enumerate(shape) if keep or k not in axes]
    written = [k - len(shape) if g.rng.random() < 0.5 else k for k in axes]
    axes_node(g, op, x, written, target, 13 if op == "ReduceSum" else 18, keepdims=keep)


def softmax(g):
    x = g.pick(lambda shape: len(shape) >= 1)
    if x:
        g.add(g.choose("Softmax", "LogSoftmax"), [x], g.values[x], axis=g.number(-len(g.values[x]), len(g.values[x]) - 1))


def matmul(g):
    x = g.pick(lambda shape: len(shape) >= 2)
    if not x:
        return
    shape = g.values[x]
    other = g.pick(lambda candidate: len(candidate) == len(shape) and candidate[:-2] == shape[:-2] and candidate[-2] == shape[-1]) \
        if g.rng.random() < 0.3 else None
    columns = g.values[other][-1] if other else g.number(1, 20)
    if np.prod(shape[:-1]) * columns <= LARGEST:
        g.add("MatMul", [x, other or g.constant(g.data(shape[-1], columns, scale=1 / np.sqrt(shape[-1])))], [*shape[:-1], columns])


def gemm(g):
    x = g.pick(lambda shape: len(shape) == 2)
    if x:
        rows, size = g.values[x]
        a, b = g.number(0, 1), g.number(0, 1)
        inner, outer = (rows, size) if a else (size, rows)
        columns = g.number(1, 20)
        weight = g.data(*((columns, inner) if b else (inner, columns)), scale=1 / np.sqrt(inner))
        bias = g.constant(g.data(*g.choose((columns,), (1,), (outer, 1), (1, columns))))
        if outer * columns <= LARGEST:
            g.add("Gemm", [x, g.constant(weight), bias], [outer, columns], transA=a, transB=b, alpha=0.5, beta=2.0)


def conv(g):
    x = g.pick(lambda shape: len(shape) == 4)
    if not x:
        return
    batch, channels, height, width = g.values[x]
    group = g.choose(1, 1, channels)
    filters = group * g.number(1, 8 if group == 1 else 2)
    kernel = [g.number(1, min(3, size)) for size in (height, width)]
    strides, pads = [g.number(1, 2) for _ in range(2)], [g.number(0, size - 1) for size in kernel * 2]
    target = [(size + pads[k] + pads[k + 2] - kernel[k]) // strides[k] + 1 for k, size in enumerate((height, width))]
    weight = g.data(filters, channels // group, *kernel, scale=1 / np.sqrt(channels // group * np.prod(kernel)))
    names = [x, g.constant(weight)] + ([g.constant(g.data(filters))] if g.rng.random() < 0.5 else [])
    if batch * filters * np.prod(target) <= LARGEST:
        g.add("Conv", names, [batch, filters, *target], group=group, strides=strides, pads=pads)


def pool(g):
    x = g.pick(lambda shape: len(shape) == 4)
    if not x:
        return
    batch, channels, *sizes = g.values[x]
    kernel = [g.number(1, min(3, size)) for size in sizes]
    strides, pads = [g.number(1, 2) for _ in range(2)], [g.number(0, size // 2) for size in kernel * 2]
    target = [(size + pads[k] + pads[k + 2] - kernel[k]) // strides[k] + 1 for k, size in enumerate(sizes)]
    op = g.choose("MaxPool", "AveragePool")
    extra = {"count_include_pad": g.number(0, 1)} if op == "AveragePool" else {}
    g.add(op, [x], [batch, channels, *target], kernel_shape=kernel, strides=strides, pads=pads, **extra)


def batch_norm(g):
    x = g.pick(lambda shape: len(shape) >= 2)
    if x:
        count = g.values[x][1]
        names = [g.constant(g.data(count)) for _ in range(3)] + [g.constant(np.abs(g.data(count)) + np.float32(0.5))]
        g.add("BatchNormalization", [x, *names], g.values[x])


def layer_norm(g):
    x = g.pick(lambda shape: len(shape) >= 1 and shape[-1] > 1)
    if x and g.opset >= 17:
        size = g.values[x][-1]
        g.add("LayerNormalization", [x, g.constant(g.data(size)), g.constant(g.data(size))], g.values[x], epsilon=0.01)


def resize(g):
    x = g.pick(lambda shape: len(shape) == 4)
    if x:
        shape = g.values[x]
        target = [*shape[:2], shape[2] * 2, shape[3] * 3]
        if np.prod(target) <= LARGEST:
            roi = g.constant(np.zeros(0, np.float32))
            g.add("Resize", [x, roi, g.constant(np.array([1, 1, 2, 3], np.float32), "size")], target, mode=g.choose("nearest", "linear"))


def select(g):
    x = g.pick()
    shape = g.values[x]
    condition = g.add(g.choose("Less", "Greater"), [x, g.constant(np.float32(0.1))], None)
    g.add("Where", [condition, x, g.constant(g.data())], shape)


def cast(g):
    x = g.pick()
    if g.rng.random() < 0.3:
        g.add("Cast", [x], None, to=6)  # a leaf of integers
    else:
        half = g.add("Cast", [x], None, to=10)
        g.add("Cast", [half], g.values[x], to=1)


def quantize(g):
    x = g.pick()
    scale = g.constant(np.float32(g.rng.uniform(0.02, 0.1)))
    zero = g.constant(np.array(g.number(-9, 9), np.int8))
    number = g.add("QuantizeLinear", [x, scale, zero], None)
    g.add("DequantizeLinear", [number, scale, zero], g.values[x])


def arg_max(g):
    x = g.pick(lambda shape: len(shape) >= 1)
    if x:
        g.add("ArgMax", [x], None, axis=g.number(-len(g.values[x]), len(g.values[x]) - 1))


def expand(g):
    x = g.pick(lambda shape: np.prod(shape) * 3 <= LARGEST and len(shape) <= 3)
    if x:
        g.add("Expand", [x, g.integers(3, *[1] * len(g.values[x]))], [3, *g.values[x]])


STEPS = (unary, unary, unary, binary, binary, binary, divide, clip, transpose, reshape, split_axis, concat, slice_axis, gather, pad,
         unsqueeze, reduce, reduce, softmax, matmul, matmul, gemm, conv, conv, pool, batch_norm, layer_norm, resize, select, cast, quantize,
         arg_max, expand)  # fmt: skip
SHAPES = ((2, 3, 8, 7), (1, 4, 6, 6), (3, 5), (4, 8, 6), (2, 16), (7,), (1, 12, 9))


def graph_case(seed):
    """Returns the case of a seed."""
    g = Graph(seed)
    for _ in range(g.number(1, 3)):
        g.add_input(g.choose(*SHAPES))
    count = g.number(3, 24)
    while len(g.nodes) < count:
        g.choose(*STEPS)(g)
    return g.case(f"graph/{seed}")


def perturbed(case, seed):
    """Returns a copy of the case whose float inputs and constants differ by about half a unit in the last place."""
    rng = random("perturbed", case.name, seed)

    def shaken(array):
        if array.dtype != np.float32:
            return array
        return (array.astype(np.float64) * (1 + rng.uniform(-1, 1, array.shape) * 2.0**-23)).astype(np.float32)

    model = type(case.model)()
    model.CopyFrom(case.model)
    for tensor in model.graph.initializer:
        if tensor.data_type == 1 and not tensor.name.startswith("size"):  # scales determine shapes
            tensor.CopyFrom(numpy_helper.from_array(shaken(numpy_helper.to_array(tensor)), tensor.name))
    return Case(case.name, case.op, model, {name: shaken(array) for name, array in case.inputs.items()})

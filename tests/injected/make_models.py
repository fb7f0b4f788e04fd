# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes small models with named nodes, into which run.py injects bugs."""

import os

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

random = numpy.random.default_rng(7)


def weights(name, *shape):
    # Values away from zero, so that a missing term changes the result.
    values = random.uniform(0.3, 0.9, shape) * random.choice([-1, 1], shape)
    return numpy_helper.from_array(values.astype(numpy.float32), name)


def positive(name, *shape):
    return numpy_helper.from_array(random.uniform(0.5, 1.5, shape).astype(numpy.float32), name)


def node(op, inputs, output, name, **attributes):
    return helper.make_node(op, inputs, [output], name=name, **attributes)


def convolution():
    """Convolution, batch norm and relu, which are folded and fused into one kernel, then a sum."""
    return ([node("Conv", ["x", "w", "b"], "c", "conv1", pads=[1, 0, 0, 1]),
             node("BatchNormalization", ["c", "scale", "shift", "mean", "variance"], "n", "norm1"),
             node("Relu", ["n"], "r", "relu1"),
             node("Conv", ["r", "w2"], "y", "conv2")],
            {"x": [1, 3, 10, 10]}, {"y": [1, 5, 9, 9]},
            [weights("w", 4, 3, 2, 2), weights("b", 4), positive("scale", 4), weights("shift", 4),
             weights("mean", 4), positive("variance", 4), weights("w2", 5, 4, 1, 1)])


def softmax():
    """Uses exp, a maximum and a sum, and a product with more channels than one step of its loop
    computes."""
    return ([node("MatMul", ["x", "w"], "m", "matmul1"),
             node("Softmax", ["m"], "y", "softmax1", axis=1)],
            {"x": [6, 64]}, {"y": [6, 16]}, [weights("w", 64, 16)])


def chain():
    """Three products with two tensors in the arena, whose live ranges overlap. The tensors are
    larger than any register tile, so a product that overwrites its own operand is wrong."""
    return ([node("MatMul", ["x", "w1"], "a", "matmul1"),
             node("MatMul", ["a", "w2"], "b", "matmul2"),
             node("MatMul", ["b", "w3"], "y", "matmul3")],
            {"x": [24, 112]}, {"y": [24, 112]},
            [weights("w1", 112, 112), weights("w2", 112, 112), weights("w3", 112, 112)])


def bytes():
    """A product of 8-bit matrices. One row uses vectors, whose sums are values of a loop. Four steps of
    the loop make the error of a missing step larger than the bound of a quantized model."""
    values = numpy.array(random.integers(40, 120, (16, 32)), numpy.int8)
    return ([node("Exp", ["x"], "e", "exp1"),
             node("Mul", ["e", "k"], "s", "mul1"),
             node("Cast", ["s"], "c", "cast1", to=TensorProto.UINT8),
             node("MatMulInteger", ["c", "w"], "m", "matmul1"),
             node("Cast", ["m"], "y", "cast2", to=TensorProto.FLOAT)],
            {"x": [1, 16]}, {"y": [1, 32]},
            [numpy_helper.from_array(values, "w"), numpy_helper.from_array(numpy.array(20, numpy.float32), "k")])


def sequence():
    """A product of three dimensions and its epilogue."""
    return ([node("MatMul", ["x", "w"], "m", "matmul1"),
             node("Sub", ["m", "z"], "s", "sub1"),
             node("Tanh", ["s"], "y", "tanh1")],
            {"x": [2, 6, 16], "z": [2, 6, 8]}, {"y": [2, 6, 8]}, [weights("w", 16, 8)])


def computed():
    """A product of two inputs, larger than any register tile."""
    return ([node("MatMul", ["x", "z"], "y", "matmul1")],
            {"x": [24, 112], "z": [112, 40]}, {"y": [24, 40]}, [])


def elementwise():
    """Ops without a loop of their own, and a sum of weights that the compiler folds."""
    return ([node("Add", ["w1", "w2"], "w", "fold1"),
             node("Add", ["x", "w"], "a", "add1"),
             node("Exp", ["a"], "e", "exp1"),
             node("ReduceMean", ["e"], "m", "mean1", axes=[1], keepdims=1),
             node("Sub", ["m", "z"], "y", "sub1")],
            {"x": [4, 16], "z": [4, 1]}, {"y": [4, 1]}, [weights("w1", 16), positive("w2", 16)])


def difference():
    """A task with two operands of the same type."""
    return ([node("Sub", ["x", "z"], "d", "sub1"), node("Tanh", ["d"], "y", "tanh1")],
            {"x": [4, 24], "z": [4, 24]}, {"y": [4, 24]}, [])


def padded():
    """A Pad op and a pool."""
    return ([node("Pad", ["x", "pads"], "p", "pad1"),
             node("AveragePool", ["p"], "a", "pool1", kernel_shape=[3, 3], strides=[2, 2]),
             node("Mul", ["a", "w"], "y", "mul1")],
            {"x": [1, 2, 9, 9]}, {"y": [1, 2, 5, 5]},
            [weights("w", 1, 2, 1, 1),
             numpy_helper.from_array(numpy.array([0, 0, 1, 1, 0, 0, 1, 1]), "pads")])


def recurrent():
    """A recurrent layer: one kernel runs all steps."""
    return ([helper.make_node("LSTM", ["x", "w", "r"], ["", "h", ""], name="lstm1", hidden_size=8),
             node("Neg", ["h"], "y", "neg1")],
            {"x": [3, 2, 4]}, {"y": [1, 2, 8]}, [weights("w", 1, 32, 4), weights("r", 1, 32, 8)])


def attention():
    """Two products with a softmax between them, which are one kernel."""
    return ([node("MatMul", ["q", "k"], "s", "matmul1"),
             node("Softmax", ["s"], "p", "softmax1", axis=-1),
             node("MatMul", ["p", "v"], "y", "matmul2")],
            {"q": [2, 20, 8], "k": [2, 8, 24], "v": [2, 24, 16]}, {"y": [2, 20, 16]}, [])


def branches():
    """An image, two convolutions that are concatenated, a pool that a device splits, and a tensor that
    a device copies because it is concatenated twice."""
    return ([node("Conv", ["x", "w1", "b1"], "c", "conv1", pads=[1, 1, 1, 1]),
             node("Relu", ["c"], "r", "relu1"),
             node("Conv", ["r", "w2", "b2"], "s", "conv2", pads=[1, 1, 1, 1]),
             node("Conv", ["r", "w3", "b3"], "t", "conv3", pads=[1, 1, 1, 1]),
             node("Concat", ["s", "t"], "j", "concat1", axis=1),
             node("MaxPool", ["j"], "y", "pool1", kernel_shape=[2, 2], strides=[2, 2]),
             node("Concat", ["t", "t"], "z", "concat2", axis=1)],
            {"x": [1, 3, 16, 16]}, {"y": [1, 64, 8, 8], "z": [1, 64, 16, 16]},
            [weights("w1", 32, 3, 3, 3), weights("b1", 32), weights("w2", 32, 32, 3, 3), weights("b2", 32),
             weights("w3", 32, 32, 3, 3), weights("b3", 32)])


MODELS = [convolution, softmax, chain, elementwise, difference, padded, recurrent, sequence, attention, branches,
          computed, bytes]


def value(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def write(folder):
    for make in MODELS:
        nodes, inputs, outputs, initializers = make()
        graph = helper.make_graph(nodes, make.__name__, [value(*i) for i in inputs.items()],
                                  [value(*o) for o in outputs.items()], initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        onnx.save(model, os.path.join(folder, make.__name__ + ".onnx"))


def write_golden(folder, factor=1.0):
    """Writes inputs of the model `difference` and its output times `factor`."""
    x, z = (random.uniform(-1, 1, [4, 24]).astype(numpy.float32) for _ in range(2))
    y = numpy.tanh(x - z) * numpy.float32(factor)
    for name, array in [("input_0", x), ("input_1", z), ("output_0", y)]:
        with open(os.path.join(folder, name + ".pb"), "wb") as file:
            file.write(numpy_helper.from_array(array, name).SerializeToString())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models whose nodes are named, for bugs to be planted in."""

import os

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

random = numpy.random.default_rng(7)


def weights(name, *shape):
    # Away from zero, so that leaving one out is seen.
    values = random.uniform(0.3, 0.9, shape) * random.choice([-1, 1], shape)
    return numpy_helper.from_array(values.astype(numpy.float32), name)


def positive(name, *shape):
    return numpy_helper.from_array(random.uniform(0.5, 1.5, shape).astype(numpy.float32), name)


def node(op, inputs, output, name, **attributes):
    return helper.make_node(op, inputs, [output], name=name, **attributes)


def convolution():
    """Convolution, batch norm and relu, folded and fused to one kernel; then a sum."""
    return ([node("Conv", ["x", "w", "b"], "c", "conv1", pads=[1, 0, 0, 1]),
             node("BatchNormalization", ["c", "scale", "shift", "mean", "variance"], "n", "norm1"),
             node("Relu", ["n"], "r", "relu1"),
             node("Conv", ["r", "w2"], "y", "conv2")],
            {"x": [1, 3, 10, 10]}, {"y": [1, 5, 9, 9]},
            [weights("w", 4, 3, 2, 2), weights("b", 4), positive("scale", 4), weights("shift", 4),
             weights("mean", 4), positive("variance", 4), weights("w2", 5, 4, 1, 1)])


def softmax():
    """What exp, a maximum and a sum are made of, and a product of more channels than
    one step of its loop takes."""
    return ([node("MatMul", ["x", "w"], "m", "matmul1"),
             node("Softmax", ["m"], "y", "softmax1", axis=1)],
            {"x": [6, 64]}, {"y": [6, 16]}, [weights("w", 64, 16)])


def chain():
    """Three products: two tensors in the arena, alive together. They are larger than
    any register tile, so that a product onto its own operand is wrong."""
    return ([node("MatMul", ["x", "w1"], "a", "matmul1"),
             node("MatMul", ["a", "w2"], "b", "matmul2"),
             node("MatMul", ["b", "w3"], "y", "matmul3")],
            {"x": [24, 112]}, {"y": [24, 112]},
            [weights("w1", 112, 112), weights("w2", 112, 112), weights("w3", 112, 112)])


def sequence():
    """A product of three dimensions and what follows it in its kernel."""
    return ([node("MatMul", ["x", "w"], "m", "matmul1"),
             node("Sub", ["m", "z"], "s", "sub1"),
             node("Tanh", ["s"], "y", "tanh1")],
            {"x": [2, 6, 16], "z": [2, 6, 8]}, {"y": [2, 6, 8]}, [weights("w", 16, 8)])


def elementwise():
    """Ops that have no loop of their own, and a sum of weights that folds."""
    return ([node("Add", ["w1", "w2"], "w", "fold1"),
             node("Add", ["x", "w"], "a", "add1"),
             node("Exp", ["a"], "e", "exp1"),
             node("ReduceMean", ["e"], "m", "mean1", axes=[1], keepdims=1),
             node("Sub", ["m", "z"], "y", "sub1")],
            {"x": [4, 16], "z": [4, 1]}, {"y": [4, 1]}, [weights("w1", 16), positive("w2", 16)])


def difference():
    """A task with two operands of one type."""
    return ([node("Sub", ["x", "z"], "d", "sub1"), node("Tanh", ["d"], "y", "tanh1")],
            {"x": [4, 24], "z": [4, 24]}, {"y": [4, 24]}, [])


def padded():
    """Pads and pools."""
    return ([node("Pad", ["x", "pads"], "p", "pad1"),
             node("AveragePool", ["p"], "a", "pool1", kernel_shape=[3, 3], strides=[2, 2]),
             node("Mul", ["a", "w"], "y", "mul1")],
            {"x": [1, 2, 9, 9]}, {"y": [1, 2, 5, 5]},
            [weights("w", 1, 2, 1, 1),
             numpy_helper.from_array(numpy.array([0, 0, 1, 1, 0, 0, 1, 1]), "pads")])


def recurrent():
    """A loop around kernels."""
    return ([helper.make_node("LSTM", ["x", "w", "r"], ["", "h", ""], name="lstm1", hidden_size=8),
             node("Neg", ["h"], "y", "neg1")],
            {"x": [3, 2, 4]}, {"y": [1, 2, 8]}, [weights("w", 1, 32, 4), weights("r", 1, 32, 8)])


MODELS = [convolution, softmax, chain, elementwise, difference, padded, recurrent, sequence]


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
    """Inputs of the model `difference` and its output times `factor`."""
    x, z = (random.uniform(-1, 1, [4, 24]).astype(numpy.float32) for _ in range(2))
    y = numpy.tanh(x - z) * numpy.float32(factor)
    for name, array in [("input_0", x), ("input_1", z), ("output_0", y)]:
        with open(os.path.join(folder, name + ".pb"), "wb") as file:
            file.write(numpy_helper.from_array(array, name).SerializeToString())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models whose kernels are worth splitting among threads, and models whose kernels are not.

  make_models.py FOLDER
"""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

DRAW = np.random.default_rng(7)


def weights(name, *shape):
    scale = 1 / np.sqrt(max(np.prod(shape[1:]), 1))
    return numpy_helper.from_array((DRAW.standard_normal(shape) * scale).astype(np.float32), name)


def conv(source, result, name, **attributes):
    return helper.make_node("Conv", [source, name + "_w", name + "_b"], [result], name, **attributes)


def conv_weights(name, out, into, size):
    return [weights(name + "_w", out, into, size, size), weights(name + "_b", out)]


def residual():
    """A small CNN: convolutions, a residual addition, pooling and a classifier."""
    nodes = [
        conv("x", "a", "conv1", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"], "relu1"),
        conv("b", "c", "conv2", pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["b", "c"], ["d"], "add"),
        helper.make_node("Relu", ["d"], ["e"], "relu2"),
        helper.make_node("MaxPool", ["e"], ["f"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        conv("f", "g", "conv3", pads=[1, 1, 1, 1], group=16),
        conv("g", "h", "conv4"),
        helper.make_node("GlobalAveragePool", ["h"], ["i"], "average"),
        helper.make_node("Flatten", ["i"], ["j"], "flatten"),
        helper.make_node("Gemm", ["j", "fc_w", "fc_b"], ["k"], "classify", transB=1),
        helper.make_node("Softmax", ["k"], ["y"], "softmax", axis=1),
    ]
    values = (conv_weights("conv1", 16, 3, 3) + conv_weights("conv2", 16, 16, 3) +
              conv_weights("conv3", 16, 1, 3) + conv_weights("conv4", 32, 16, 1) +
              [weights("fc_w", 10, 32), weights("fc_b", 10)])
    return nodes, {"x": [1, 3, 32, 32]}, {"y": [1, 10]}, values


def branches():
    """Four branches with unequal costs and odd sizes, from one tensor to one tensor."""
    nodes = [
        conv("x", "a", "one"),
        conv("x", "b", "three", pads=[1, 1, 1, 1]),
        conv("x", "c", "five", pads=[2, 2, 2, 2]),
        helper.make_node("AveragePool", ["x"], ["d"], "pool", kernel_shape=[3, 3],
                         pads=[1, 1, 1, 1]),
        helper.make_node("Concat", ["a", "b", "c", "d"], ["e"], "concat", axis=1),
        helper.make_node("Sigmoid", ["e"], ["y"], "sigmoid"),
        helper.make_node("ReduceMax", ["e"], ["z"], "largest", axes=[2, 3]),
    ]
    values = (conv_weights("one", 7, 5, 1) + conv_weights("three", 9, 5, 3) +
              conv_weights("five", 3, 5, 5))
    return nodes, {"x": [1, 5, 29, 31]}, {"y": [1, 24, 29, 31], "z": [1, 24, 1, 1]}, values


def recurrent():
    """Steps that are too short for two workers, between layers that all workers share."""
    hidden = 24
    nodes = [
        helper.make_node("MatMul", ["x", "into"], ["a"], "project"),
        helper.make_node("LSTM", ["a", "W", "R"], ["sequence"], "lstm", hidden_size=hidden),
        helper.make_node("Squeeze", ["sequence", "axis"], ["b"], "squeeze"),
        helper.make_node("MatMul", ["b", "out"], ["y"], "unproject"),
    ]
    values = [weights("into", 40, 64), weights("W", 1, 4 * hidden, 64),
              weights("R", 1, 4 * hidden, hidden), weights("out", hidden, 300),
              numpy_helper.from_array(np.array([1], np.int64), "axis")]
    return nodes, {"x": [12, 1, 40]}, {"y": [12, 1, 300]}, values


def layers():
    """All kinds of windows in sequence, on odd sizes, with a residual addition. Tests bands of
    rows."""
    nodes = [
        conv("x", "a", "conv1", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"], "relu1"),
        conv("b", "c", "depthwise", pads=[1, 1, 1, 1], group=32),
        conv("c", "d", "pointwise"),
        helper.make_node("Add", ["b", "d"], ["e"], "add"),
        conv("e", "f", "stride", pads=[0, 1, 1, 0], strides=[2, 2]),
        helper.make_node("Relu", ["f"], ["g"], "relu2"),
        conv("g", "h", "dilated", pads=[4, 4, 4, 4], dilations=[2, 2]),
        helper.make_node("MaxPool", ["h"], ["i"], "pool", kernel_shape=[3, 3], strides=[2, 2],
                         pads=[1, 1, 1, 1]),
        conv("i", "y", "last", pads=[1, 1, 1, 1]),
    ]
    values = (conv_weights("conv1", 32, 5, 3) + conv_weights("depthwise", 32, 1, 3) +
              conv_weights("pointwise", 32, 32, 1) + conv_weights("stride", 48, 32, 3) +
              conv_weights("dilated", 48, 48, 5) + conv_weights("last", 16, 48, 3))
    return nodes, {"x": [1, 5, 57, 41]}, {"y": [1, 16, 14, 10]}, values


def tiny():
    """A model that is not worth a second thread."""
    nodes = [helper.make_node("Relu", ["x"], ["y"], "relu")]
    return nodes, {"x": [3]}, {"y": [3]}, []


def side(result, *nodes):
    """Returns a branch with one result tensor."""
    value = helper.make_tensor_value_info(result, TensorProto.FLOAT, [1, 12, 24, 24])
    return helper.make_graph(list(nodes), result + "_side", [], [value])


def conditional():
    """Two If nodes on one condition and its negation, so each input runs one of each branch.
    Threads share the ops inside the branches."""
    pads = [1, 1, 1, 1]
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["sum"], "sum", keepdims=0),
        helper.make_node("Greater", ["sum", "zero"], ["isHigh"], "greater"),
        helper.make_node("Not", ["isHigh"], ["isLow"], "not"),
        helper.make_node(
            "If", ["isHigh"], ["a"], "first",
            then_branch=side("b", conv("x", "b", "one", pads=pads)),
            else_branch=side("d", conv("x", "c", "two", pads=pads),
                             conv("c", "d", "three", pads=pads))),
        helper.make_node(
            "If", ["isLow"], ["y"], "second",
            then_branch=side("e", conv("x", "e", "two", pads=pads)),
            else_branch=side("g", conv("x", "f", "two", pads=pads),
                             helper.make_node("Relu", ["f"], ["g"], "relu"))),
    ]
    values = (conv_weights("one", 12, 6, 3) + conv_weights("two", 12, 6, 3) +
              conv_weights("three", 12, 12, 3) +
              [numpy_helper.from_array(np.zeros([], np.float32), "zero")])
    return nodes, {"x": [1, 6, 24, 24]}, {"a": [1, 12, 24, 24], "y": [1, 12, 24, 24]}, values


def rounds():
    """Recurrent layers whose steps all workers share. The GRU has two products per step, one after
    the other."""
    hidden = 320
    nodes = [
        helper.make_node("LSTM", ["x", "W1", "R1"], ["a", "", "c"], "lstm", hidden_size=hidden),
        helper.make_node("Squeeze", ["a", "axis"], ["b"], "squeeze"),
        helper.make_node("GRU", ["b", "W2", "R2"], ["", "d"], "gru", hidden_size=hidden),
        helper.make_node("Add", ["c", "d"], ["y"], "add"),
    ]
    values = [weights("W1", 1, 4 * hidden, 40), weights("R1", 1, 4 * hidden, hidden),
              weights("W2", 1, 3 * hidden, hidden), weights("R2", 1, 3 * hidden, hidden),
              numpy_helper.from_array(np.array([1], np.int64), "axis")]
    return nodes, {"x": [7, 1, 40]}, {"y": [1, 1, hidden]}, values


def looping():
    """A Loop whose number of iterations and condition depend on the input, with a convolution, an If
    and an inner Loop in its body. Threads share the ops of each iteration."""
    pads = [1, 1, 1, 1]
    shape = [1, 12, 24, 24]
    info = helper.make_tensor_value_info
    inner = helper.make_graph(
        [conv("v", "v_next", "two", pads=pads), helper.make_node("Tanh", ["v_next"], ["v_out"], "tanh"),
         helper.make_node("Identity", ["c2"], ["c2_out"], "same2")],
        "inner", [info("j", TensorProto.INT64, []), info("c2", TensorProto.BOOL, []),
                  info("v", TensorProto.FLOAT, shape)],
        [info("c2_out", TensorProto.BOOL, []), info("v_out", TensorProto.FLOAT, shape)])
    body = helper.make_graph(
        [conv("s", "t", "one", pads=pads),
         helper.make_node("ReduceSum", ["t"], ["amount"], "amount", keepdims=0),
         helper.make_node("Less", ["amount", "zero"], ["isLow"], "less"),
         helper.make_node("If", ["isLow"], ["u"], "choose",
                          then_branch=side("p", helper.make_node("Sigmoid", ["t"], ["p"], "sigmoid")),
                          else_branch=side("q", conv("t", "q", "two", pads=pads))),
         helper.make_node("Loop", ["innerCount", "", "u"], ["w"], "deep", body=inner),
         helper.make_node("Add", ["w", "s"], ["r"], "add"),
         helper.make_node("Tanh", ["r"], ["s_next"], "bound"),
         helper.make_node("ReduceMax", ["s_next"], ["peak"], "peak", keepdims=0),
         helper.make_node("Less", ["peak", "one_"], ["goesOn"], "goes_on")],
        "body", [info("i", TensorProto.INT64, []), info("c", TensorProto.BOOL, []),
                 info("s", TensorProto.FLOAT, shape)],
        [info("goesOn", TensorProto.BOOL, []), info("s_next", TensorProto.FLOAT, shape)])
    nodes = [
        conv("x", "first", "into", pads=pads),
        helper.make_node("ReduceMax", ["x"], ["most"], "most", keepdims=0),
        helper.make_node("Clip", ["most", "zero", "four"], ["clipped"], "clip"),
        helper.make_node("Cast", ["clipped"], ["count"], "cast", to=TensorProto.INT64),
        helper.make_node("Add", ["count", "some"], ["innerCount"], "inner_count"),
        helper.make_node("Loop", ["count", "", "first"], ["y"], "repeat", body=body),
    ]
    scalar = lambda name, value, kind: numpy_helper.from_array(np.array(value, kind), name)
    values = (conv_weights("into", 12, 6, 3) + conv_weights("one", 12, 12, 3) +
              conv_weights("two", 12, 12, 3) +
              [scalar("zero", 0, np.float32), scalar("four", 4, np.float32),
               scalar("one_", 2, np.float32), scalar("some", 1, np.int64)])
    return nodes, {"x": [1, 6, 24, 24]}, {"y": shape}, values


MODELS = [residual, branches, recurrent, layers, tiny, conditional, rounds, looping]


def write(folder):
    os.makedirs(folder, exist_ok=True)
    for make in MODELS:
        nodes, inputs, outputs, values = make()
        graph = helper.make_graph(
            nodes, make.__name__,
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in inputs.items()],
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in outputs.items()],
            values)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, os.path.join(folder, make.__name__ + ".onnx"))


if __name__ == "__main__":
    write(sys.argv[1])

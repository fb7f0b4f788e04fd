#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes images.onnx, an int8 network (QDQ) with an NHWC input and output, depthwise convolutions with
several numbers of channels, pools with padding and sums of images. Usage: make_images.py FOLDER"""

import os
import sys

import onnx
from make_small import Network
from onnx import TensorProto, helper


def depthwise(n, x, channels, stride=1, kernel=3):
    return n.conv(x, channels, channels, kernel, group=channels, stride=stride)


def pool(n, x, kind, **attributes):
    return n.quantized(n.node(kind, [n.real(x)], kernel_shape=[3, 3], strides=[2, 2], **attributes))


def main():
    n = Network()
    x = n.node("Transpose", ["image"], perm=[0, 3, 1, 2])
    x = n.conv(depthwise(n, x, 3), 3, 4, 1)
    x = n.conv(depthwise(n, x, 4), 4, 8, 1)
    x = n.conv(depthwise(n, x, 8), 8, 12, 1)
    x = n.conv(depthwise(n, x, 12, stride=2), 12, 16, 1)
    x = n.conv(depthwise(n, x, 16), 16, 40, 1)
    x = depthwise(n, x, 40)
    x = depthwise(n, x, 40, kernel=5)  # not a byte kernel
    # Both operands have several readers, so the sum is a kernel of its own.
    a, b = depthwise(n, x, 40), pool(n, x, "MaxPool", pads=[1, 1, 1, 1])
    c = pool(n, a, "AveragePool", pads=[1, 1, 0, 0], ceil_mode=1)
    d = n.quantized(n.node("Add", [n.real(b), n.real(c)]))
    e = n.quantized(n.node("Add", [n.real(d), n.real(n.conv(d, 40, 40, 1))]))
    y = n.quantized(n.node("Concat", [n.real(e), n.real(b)], axis=1))
    y = n.node("Transpose", [y], perm=[0, 2, 3, 1])
    graph = helper.make_graph(
        n.nodes, "images", [helper.make_tensor_value_info("image", TensorProto.INT8, [1, 19, 14, 3])],
        [helper.make_tensor_value_info(y, TensorProto.INT8, [1, 5, 4, 80])], n.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(sys.argv[1], "images.onnx"))


if __name__ == "__main__":
    main()

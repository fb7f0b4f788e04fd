#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a small model with a custom op, and inputs for it.

  make_model.py FOLDER
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PILLARS, CHANNELS, ROWS, COLUMNS = 5, 4, 6, 8


def model():
    random = np.random.default_rng(1)
    weights = numpy_helper.from_array(random.standard_normal((2, CHANNELS, 3, 3)).astype(np.float32), "weights")
    nodes = [helper.make_node("Relu", ["features"], ["positive"], "relu"),
             helper.make_node("ScatterPillars", ["positive", "cells"], ["image"], "scatter", domain="com.example",
                              rows=ROWS, columns=COLUMNS),
             helper.make_node("Conv", ["image", "weights"], ["y"], "conv", pads=[1, 1, 1, 1])]
    inputs = [helper.make_tensor_value_info("features", TensorProto.FLOAT, [PILLARS, CHANNELS]),
              helper.make_tensor_value_info("cells", TensorProto.INT32, [PILLARS, 2])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2, ROWS, COLUMNS])]
    graph = helper.make_graph(nodes, "pillars", inputs, outputs, [weights])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.example", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model(), folder / "pillars.onnx")
    np.save(folder / "features.npy", np.random.default_rng(2).standard_normal((PILLARS, CHANNELS)).astype(np.float32))
    cells = np.array([[0, 0], [1, 7], [2, 3], [5, 5], [3, 4]], np.int32)
    np.save(folder / "cells.npy", cells)
    cells[4] = [6, 0]  # below the last row
    np.save(folder / "outside.npy", cells)


if __name__ == "__main__":
    main()

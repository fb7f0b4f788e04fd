# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `convoy bench --baseline onnxruntime` on a model whose outputs have sizes that depend on data, and
checks that both programs give the same result. The times do not matter.

  open_outputs.py CONVOY SCRATCH

If the peer is not installed, the test prints how to install it and is skipped.
"""

import json
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROWS, COLUMNS, BOXES = 16, 20, 64


def make_model():
    """The outputs are larger, equal to and smaller than half of their maximum, and one has no open size."""
    random = np.random.default_rng(1)
    corners = random.random((1, BOXES, 2))
    boxes = np.concatenate([corners, corners + 0.3], 2).astype(np.float32)
    constants = [numpy_helper.from_array(value, name) for name, value in
                 (("boxes", boxes), ("most", np.array([20], np.int64)), ("iou", np.array([0.4], np.float32)),
                  ("score", np.array([0.2], np.float32)), ("never", np.array(9, np.float32)))]
    nodes = [helper.make_node("Round", ["x"], ["rounded"]),
             helper.make_node("NonZero", ["rounded"], ["places"]),
             helper.make_node("Unique", ["rounded"], ["values", "first", "inverse", "counts"], sorted=1),
             helper.make_node("NonMaxSuppression", ["boxes", "scores", "most", "iou", "score"], ["selected"]),
             helper.make_node("Greater", ["x", "never"], ["none"]),
             helper.make_node("NonZero", ["none"], ["nothing"]),
             helper.make_node("Neg", ["x"], ["negated"])]
    outputs = [("places", TensorProto.INT64), ("values", TensorProto.FLOAT), ("inverse", TensorProto.INT64),
               ("counts", TensorProto.INT64), ("selected", TensorProto.INT64), ("nothing", TensorProto.INT64),
               ("negated", TensorProto.FLOAT)]
    graph = helper.make_graph(
        nodes, "open",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [ROWS, COLUMNS]),
         helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 2, BOXES])],
        [helper.make_tensor_value_info(name, element, None) for name, element in outputs], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main():
    convoy, scratch = sys.argv[1:]
    os.makedirs(scratch, exist_ok=True)
    path, results = os.path.join(scratch, "open.onnx"), os.path.join(scratch, "results.json")
    onnx.save(make_model(), path)
    done = subprocess.run([convoy, "bench", path, "--baseline", "onnxruntime", "--threads", "1", "--repetitions", "1",
                           f"--json={results}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if "scripts/install-deps.sh --bench" in done.stderr:
        print("skipped: needs the peer: scripts/install-deps.sh --bench")
        return 77
    print(done.stdout + done.stderr)
    if done.returncode != 0:
        return 1
    with open(results, encoding="utf-8") as file:
        row, = json.load(file)
    if not row["right"] or row["relative_error"] != 0:
        print(f"the outputs of convoy and the peer differ: {json.dumps(row)}")
        return 1
    print("ok: both programs give the same outputs")
    return 0


if __name__ == "__main__":
    sys.exit(main())

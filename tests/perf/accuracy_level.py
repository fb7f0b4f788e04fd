# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `convoy bench --baseline onnxruntime` on a product whose attribute accuracy_level lets the peer round its input
to 8 bits, and checks that `bench` accepts the difference and rejects no result. The times do not matter.

  accuracy_level.py CONVOY SCRATCH

If the peer is not installed, the test prints how to install it and is skipped.
"""

import json
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

DEPTH, COLUMNS, BLOCK = 512, 64, 128


def make_model():
    random = np.random.default_rng(1)
    constants = [numpy_helper.from_array(random.integers(0, 256, (COLUMNS, DEPTH // BLOCK, BLOCK // 2)).astype(np.uint8), "w"),
                 numpy_helper.from_array(random.uniform(0.01, 0.05, (COLUMNS, DEPTH // BLOCK)).astype(np.float32), "s")]
    node = helper.make_node("MatMulNBits", ["x", "w", "s"], ["y"], domain="com.microsoft", K=DEPTH, N=COLUMNS, bits=4,
                            block_size=BLOCK, accuracy_level=4)  # fmt: skip
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, size]) for name, size in (("x", DEPTH), ("y", COLUMNS)))
    graph = helper.make_graph([node], "rounded", [x], [y], constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def main():
    convoy, scratch = sys.argv[1:]
    os.makedirs(scratch, exist_ok=True)
    path, results = os.path.join(scratch, "rounded.onnx"), os.path.join(scratch, "results.json")
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
    # Without a rounding error of the peer, this test shows nothing.
    if not row["right"] or row["relative_error"] < 1e-3 or row["plain_error"] > 1e-5:
        print(f"expected an error of the peer's rounding and none against its accurate model: {json.dumps(row)}")
        return 1
    print("ok: bench compares with the accurate model of the peer")
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes a product of bytes. Every trial must run, also on a CPU that provides tile registers only on
request.

  int8.py CONVOY MAKE_MODELS SCRATCH_DIR
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tuner import Tuner, expect

TRIALS = 12


def write_product(path):
    """Writes x -> DynamicQuantizeLinear -> MatMulInteger -> scale."""
    weights = np.random.default_rng(1).integers(-127, 128, (64, 48)).astype(np.int8)
    nodes = [helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"]),
             helper.make_node("MatMulInteger", ["q", "w", "zero"], ["sums"]),
             helper.make_node("Cast", ["sums"], ["float_sums"], to=TensorProto.FLOAT),
             helper.make_node("Mul", ["float_sums", "scale"], ["y"])]
    graph = helper.make_graph(nodes, "product", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [96, 64])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [96, 48])],
                              [numpy_helper.from_array(weights, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)


def main():
    tuner = Tuner(*sys.argv[1:])
    tuner.model = str(tuner.scratch / "product.onnx")
    write_product(tuner.model)
    tuner.tune(TRIALS)
    records = tuner.exported()
    expect(any(record["template"] == "product_bytes" for record in records), "no trial of the template product_bytes")
    wrong = [record for record in records if record["outcome"] != "ok"]
    expect(not wrong, f"{len(wrong)} of {len(records)} trials failed, the first with: {wrong[0] if wrong else ''}")
    print(f"{len(records)} trials ran")


if __name__ == "__main__":
    main()

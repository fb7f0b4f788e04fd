# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the generated cases of all ops that `convoy ops` lists, at every opset that changed an op."""

import json
import subprocess

# Each module adds its functions to ROWS.
import rows_elementwise  # noqa: F401
import rows_movement  # noqa: F401
import rows_product  # noqa: F401
import rows_reduction  # noqa: F401
import rows_structure  # noqa: F401
import rows_window  # noqa: F401
from op_rows import ROWS, Maker

# Ops without generated cases, and why. The node data of ONNX or the cases of tests/conformance may test them.
NOT_COMPARED = {
    "Bernoulli": "ONNX does not define the random numbers",
    "Multinomial": "ONNX does not define the random numbers",
    "RandomNormal": "ONNX does not define the random numbers",
    "RandomNormalLike": "ONNX does not define the random numbers",
    "RandomUniform": "ONNX does not define the random numbers",
    "RandomUniformLike": "ONNX does not define the random numbers",
    "ImageDecoder": "ONNX Runtime has no kernel",
    "ai.onnx.ml::ZipMap": "ONNX Runtime returns a sequence of maps",
    "com.microsoft::NhwcConv": "ONNX Runtime has no kernel for the CPU",
    "com.microsoft::QLinearReduceMean": "ONNX Runtime has no kernel for the CPU",
    "ai.onnx.preview.training::Adagrad": "the npm package of ONNX Runtime has no kernel",
    "ai.onnx.preview.training::Adam": "the npm package of ONNX Runtime has no kernel",
    "ai.onnx.preview.training::Momentum": "the npm package of ONNX Runtime has no kernel",
}  # fmt: skip


def listed_ops(convoy):
    """Returns (domain, op, opsets) of each op of `convoy ops`; the domain of ONNX is empty."""
    text = subprocess.run([convoy, "ops", "--json"], stdout=subprocess.PIPE, text=True, check=True).stdout
    table = json.loads(text)
    for entry in table["ops"] if isinstance(table, dict) else table:
        domain = "" if entry["domain"] == "ai.onnx" else entry["domain"]
        opsets = entry["opsets"].split(", removed")[0]
        yield domain, entry["op"], [int(opset) for opset in str(opsets).split(", ")]


def key_of(domain, op):
    return f"{domain}::{op}" if domain else op


def generated_cases(ops):
    """Returns the cases of all listed ops that have rows."""
    cases = []
    for domain, op, opsets in ops:
        for opset in opsets if (domain, op) in ROWS else ():
            maker = Maker(op, opset, opset == opsets[-1], domain)
            for function in ROWS[(domain, op)]:
                function(maker)
            cases += maker.cases
    return cases


def missing_ops(ops, tested):
    """Returns the listed ops that no case tests and that NOT_COMPARED does not name."""
    return [key_of(domain, op) for domain, op, _ in ops
            if key_of(domain, op) not in tested and key_of(domain, op) not in NOT_COMPARED]

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a suite of one-node models and runs convoy-conformance on it.

ONNX's own suite tests the newest version of each op and few of its options. The cases in the
modules of this folder cover older opsets and the remaining options. NumPy computes their expected
results in float64.

    suite.py --tool build/release/bin/convoy-conformance [--target reference]
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import helper, numpy_helper

import attention
import elementwise
import loss
import normalization
import product
import quantization
import recurrent
import reduction
import sampling
import selection
import tensor
import window


def tensor_type(array):
    return onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype]


def open_dimensions(name, array):
    """Returns nodes that copy `array`. The size of their result depends on data, so the importer
    knows no dimension but the last."""
    nodes, conditions = [], {}
    for axis in range(array.ndim - 1):
        condition = f"{name}_keep{axis}"
        conditions[condition] = np.ones(array.shape[axis], bool)
        nodes.append(helper.make_node("Compress", [name, condition], [f"{name}_{axis}"], axis=axis))
        name = f"{name}_{axis}"
    return name, nodes, conditions


def model_of(case):
    """Returns the one-node model of a case and the data of its inputs in order."""
    data = {f"i{k}": x for k, x in enumerate(case.inputs) if x is not None}
    names = [f"i{k}" if x is not None else "" for k, x in enumerate(case.inputs)]
    nodes = []
    for k, name in enumerate(names):
        if case.is_open and name:
            names[k], opening, conditions = open_dimensions(name, data[name])
            nodes += opening
            data.update(conditions)
    outputs = [f"o{k}" for k in range(len(case.outputs))]
    nodes.append(helper.make_node(case.op, names, outputs, **case.attributes))
    initializers = [numpy_helper.from_array(data.pop(f"i{k}"), f"i{k}") for k in case.constants]
    inputs = [
        helper.make_tensor_value_info(n, tensor_type(x), None if case.hides_rank else x.shape)
        for n, x in data.items()
    ]
    results = [
        helper.make_tensor_value_info(name, tensor_type(y), None)
        for name, y in zip(outputs, case.outputs)
    ]
    graph = helper.make_graph(nodes, case.name, inputs, results, initializers)
    opset = helper.make_opsetid("", case.opset)
    return helper.make_model(graph, opset_imports=[opset]), list(data.values())


def write_case(folder, case):
    model, inputs = model_of(case)
    data = folder / case.name / "test_data_set_0"
    data.mkdir(parents=True)
    onnx.save(model, str(folder / case.name / "model.onnx"))
    for prefix, arrays in (("input", inputs), ("output", case.outputs)):
        for k, array in enumerate(arrays):
            tensor = numpy_helper.from_array(array)
            (data / f"{prefix}_{k}.pb").write_bytes(tensor.SerializeToString())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="convoy-conformance")
    parser.add_argument("--target", default="reference")
    parser.add_argument("--keep", help="Write the suite here and leave it")
    arguments = parser.parse_args()
    np.seterr(all="ignore")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(arguments.keep or scratch) / "opsets"
        modules = (normalization, recurrent, attention, window, product, sampling)
        modules += (tensor, selection)
        modules += (elementwise, reduction, quantization, loss)
        cases = [case for module in modules for case in module.cases()]
        for case in cases:
            write_case(folder, case)
        command = [arguments.tool, "--suite", str(folder), "--target", arguments.target]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs convoy-conformance on a suite with known results and checks its report.

  runner_test.py TOOL FOLDER
"""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def make_test(folder, op, result, dtype=np.float32):
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    element = numpy_helper.from_array(np.zeros(0, dtype)).data_type
    values = [helper.make_tensor_value_info(name, element, [3]) for name in "xy"]
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"], "the_node")], "g", values[:1], values[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)]), str(folder / "model.onnx"))
    for name, array in ("input_0", [-1, 0, 2]), ("output_0", result):
        tensor = numpy_helper.from_array(np.array(array, dtype))
        (data / f"{name}.pb").write_bytes(tensor.SerializeToString())


def make_sequence_test(folder):
    """Writes a test that inserts a tensor into a sequence before the position in an input."""
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    sequence = helper.make_tensor_sequence_value_info
    inputs = [sequence("s", TensorProto.FLOAT, None), helper.make_tensor_value_info("x", TensorProto.FLOAT, [2]),
              helper.make_tensor_value_info("p", TensorProto.INT64, [])]
    graph = helper.make_graph([helper.make_node("SequenceInsert", ["s", "x", "p"], ["q"])], "g", inputs,
                              [sequence("q", TensorProto.FLOAT, None)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)]), str(folder / "model.onnx"))
    tensors = [np.zeros((1, 3), np.float32), np.ones(4, np.float32)]
    x = np.array([5, 6], np.float32)
    values = {"input_0": numpy_helper.from_list(tensors), "input_1": numpy_helper.from_array(x),
              "input_2": numpy_helper.from_array(np.array(-1)), "output_0": numpy_helper.from_list([tensors[0], x, tensors[1]])}
    for name, value in values.items():
        (data / f"{name}.pb").write_bytes(value.SerializeToString())


def run(tool, *flags):
    done = subprocess.run([tool, *flags], capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines(), done.stderr


def expect(got, expected, what):
    if got != expected:
        sys.exit(f"{what}:\n  expected {expected!r}\n  got      {got!r}")


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    make_test(folder / "group" / "test_right", "Relu", [0, 0, 2])
    make_test(folder / "group" / "test_wrong", "Relu", [0, 0, 3])
    make_test(folder / "other" / "test_unsupported", "NoSuchOp", [0, 0, 0])

    code, lines, _ = run(tool, "--suite", str(folder), "--target", "reference", "--json", str(folder / "result.json"))
    expect(code, 1, "exit code of a suite with a failure")
    expect(lines[0], "failed group/test_wrong: wrong result: output 'y' is 2 at [2], expected 3 (1 of 3 elements "
           "differ)", "the failed test")
    expect(lines[1].startswith("skipped other/test_unsupported: [not supported yet] node 'the_node' (NoSuchOp): "
                               "not supported: "), True, f"the skipped test: {lines[1]}")
    expect(lines[-3:], ["group group: 1 of 2 passed", "group other: 0 of 1 passed", "1 passed, 1 failed, 1 skipped"],
           "the closing lines")
    result = json.loads((folder / "result.json").read_text())
    expect([test["status"] for test in result["tests"]], ["passed", "failed", "skipped"], "the JSON")

    suite = ["--suite", str(folder / "group")]
    code, lines, _ = run(tool, *suite, "--filter", "right")
    expect((code, lines[-1]), (0, "1 passed, 0 failed, 0 skipped"), "a filter")
    code, lines, _ = run(tool, *suite, "--tolerance", "0.5", "0", "0")
    expect((code, lines[-1]), (0, "2 passed, 0 failed, 0 skipped"), "a tolerance")
    make_test(folder / "bytes" / "test_near", "Relu", [0, 1, 2], np.int8)
    integers = ["--suite", str(folder / "bytes"), "--tolerance", "0.5", "1"]
    expect([run(tool, *integers, steps)[0] for steps in "01"], [1, 0], "a difference of one between integers")
    code, lines, _ = run(tool, *suite, "--filter", "right", "--target", "host")
    expect((code, lines[-2:]), (0, ["of which 0 bound", "1 passed, 0 failed, 0 skipped"]), "the host")
    make_sequence_test(folder / "lists" / "test_insert")
    code, lines, _ = run(tool, "--suite", str(folder / "lists"), "--target", "host")
    expect((code, lines[-2:]), (0, ["of which 1 bound", "1 passed, 0 failed, 0 skipped"]), "a sequence on the host")
    make_test(folder / "random" / "test_bernoulli", "RandomUniformLike", [0, 1, 0])
    code, lines, _ = run(tool, "--suite", str(folder / "random"))
    expect((code, lines[-2:]), (0, ["of which 1 random, compared by type, shape and range",
                                    "1 passed, 0 failed, 0 skipped"]), "random numbers")
    make_test(folder / "random" / "test_bernoulli_range", "RandomUniformLike", [0, 7, 0])
    make_test(folder / "random" / "test_bernoulli_shape", "RandomUniformLike", [0, 1])
    code, lines, _ = run(tool, "--suite", str(folder / "random"))
    expect((code, lines[-1]), (1, "1 passed, 2 failed, 0 skipped"), "random numbers of another range and shape")
    code, lines, _ = run(tool, *suite, "--filter", "right", "--time-limit", "0")
    expect((code, lines[0]), (1, "failed group/test_right: hang: no result after 0 s"), "a time limit")
    code, _, errors = run(tool, *suite, "--filter", "right", "--min-passed", "2")
    expect((code, errors), (1, "error: only 1 passed, expected at least 2\n"), "--min-passed")
    code, _, errors = run(tool, *suite, "--filter", "nothing")
    expect((code, errors), (1, "error: --filter 'nothing' matches no test\n"), "a filter that finds nothing")
    code, _, errors = run(tool, "--suite", str(folder / "absent"))
    expect((code, errors.startswith("error: no tests in '")), (1, True), "a folder without tests")
    code, _, errors = run(tool, *suite, "--target", "moon")
    expect((code, errors.split("; expected one of ")[0]), (1, "error: unknown target 'moon'"), "an unknown target")
    expect("host, " in errors and ", reference, " in errors, True, "the list of targets")


if __name__ == "__main__":
    main()

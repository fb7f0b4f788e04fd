# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles with less and less address space. Each run must succeed, or end with exit code 1
and the remedy; a failed allocation is never reported as a bug of convoy. Also checks that a
full disk behind stdout is a user error.

  out_of_memory.py CONVOY FOLDER
"""

import pathlib
import resource
import subprocess
import sys

import numpy
import onnx
from onnx import helper, numpy_helper

MIB = 1 << 20


def write_model(path):
    """A product with 64 MiB of weights."""
    weights = numpy_helper.from_array(numpy.ones((4096, 4096), numpy.float32), "w")
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], "product")], "large",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 4096])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, 4096])], [weights])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)


def run(arguments, limit, folder):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=120, cwd=folder,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


def needed_by(command, code, folder):
    """Bytes of address space with which the command ends with `code`, to 32 MiB."""
    low, high = 0, 8192 * MIB
    while high - low > 32 * MIB:
        middle = (low + high) // 2
        result = run(command, middle, folder)
        if result.returncode == code and "out of memory" not in result.stderr:
            high = middle
        else:
            low = middle
    return high


def main():
    convoy, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / "large.onnx"
    write_model(model)
    command = [convoy, "compile", str(model), "-o", str(folder / "out")]
    # The program must be able to start.
    least, most = needed_by([convoy, "inspect", "none.onnx"], 1, folder), needed_by(command, 0, folder)
    refused, failures = 0, 0
    for eighths in range(1, 8):
        limit = least + (most - least) * eighths // 8
        result = run(command, limit, folder)
        is_refused = result.returncode == 1 and "error: out of memory in `convoy compile " in result.stderr \
            and "; close other programs, raise the limit of `ulimit -v`, or use a machine with more memory" in result.stderr
        refused += is_refused
        is_right = result.returncode == 0 or is_refused
        failures += not is_right
        print(f"{'ok   ' if is_right else 'WRONG'} {limit // MIB} MiB: exit code {result.returncode}"
              + ("" if is_right else f"\n{result.stderr}"))
    if refused == 0:
        print("WRONG no run was short of memory")
        failures += 1
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run([convoy, "ops"], stdout=full, stderr=subprocess.PIPE, text=True)
    if result.returncode != 1 or "error: cannot write the output: No space left on device; free space" not in result.stderr:
        print(f"WRONG full disk behind stdout: exit code {result.returncode}\n{result.stderr}")
        failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

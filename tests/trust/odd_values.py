# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the reference and the host have the results that docs/differences.md states for NaN, -0, clipped cells
and indices out of range.

  odd_values.py --convoy CONVOY --scratch FOLDER
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

NAN = float("nan")


class Cases:
    def __init__(self, options):
        self.convoy = options.convoy
        self.scratch = pathlib.Path(options.scratch).resolve()
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        self.failures, self.count = [], 0

    def results(self, node, inputs, target, constants=()):
        """The outputs of one node, or the text of the error."""
        kinds = {np.dtype("float32"): TensorProto.FLOAT, np.dtype("int64"): TensorProto.INT64}
        ends = [helper.make_tensor_value_info(name, kinds[value.dtype], value.shape) for name, value in inputs.items()]
        names = [name for name in node.output if name]
        outputs = [onnx.ValueInfoProto(name=name) for name in names]
        held = [numpy_helper.from_array(value, name) for name, value in dict(constants).items()]
        graph = helper.make_graph([node], "g", ends, outputs, held)
        path = self.scratch / "node.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        words = [self.convoy, "run", str(path), f"--target={target}", "--cache=off", "-o", str(self.scratch / "out")]
        for name, value in inputs.items():
            np.save(self.scratch / f"{name}.npy", value)
            words.append(f"--input={name}={self.scratch / name}.npy")
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            return done.stdout
        return [np.load(self.scratch / "out" / f"{name}.npy") for name in names]

    def expect(self, name, node, inputs, expected, targets=("reference", "host"), constants=()):
        """`expected` has an array per output, or a part of an error."""
        for target in targets:
            self.count += 1
            found = self.results(node, inputs, target, constants)
            if isinstance(expected, str) or isinstance(found, str):
                isRight = isinstance(expected, str) and isinstance(found, str) and expected in found
            else:
                isRight = all(same(a, b) for a, b in zip(found, expected))
            if not isRight:
                self.failures.append(name)
                print(f"FAILED {name} on {target}: {found}, expected {expected}")


    def finish(self):
        print(f"{self.count - len(self.failures)} of {self.count} results are as documented")
        sys.exit(1 if self.failures or self.count == 0 else 0)


def same(found, expected):
    """Whether arrays are equal, with the signs of zeros; NaN equals NaN."""
    expected = np.asarray(expected, found.dtype)
    if not np.array_equal(found, expected, equal_nan=found.dtype.kind == "f"):
        return False
    return found.dtype.kind != "f" or np.array_equal(np.signbit(found[found == 0]), np.signbit(expected[found == 0]))


def floats(*values):
    return np.array(values, np.float32)


def main():
    parser = argparse.ArgumentParser()
    for name in ("--convoy", "--scratch"):
        parser.add_argument(name, required=True)
    cases = Cases(parser.parse_args())
    node, inf = helper.make_node, float("inf")
    cases.expect("Sign", node("Sign", ["x"], ["y"]), {"x": floats(NAN, -0.0, 2, -3)}, [[NAN, -0.0, 1, -1]])
    cases.expect("TopK", node("TopK", ["x", "k"], ["v", "i"]), {"x": floats(1, NAN, 3, 2)}, [[NAN, 3], [1, 2]],
                 constants={"k": np.array([2], np.int64)})
    cases.expect("Hardmax", node("Hardmax", ["x"], ["y"]), {"x": floats(1, NAN, 3, 2).reshape(1, 4)}, [[[0, 1, 0, 0]]])
    cases.expect("MaxPool", node("MaxPool", ["x"], ["y"], kernel_shape=[2], strides=[2]), {"x": floats(1, NAN, NAN, 2).reshape(1, 1, 4)},
                 [[[[NAN, NAN]]]])
    for value, scale in ((NAN, NAN), (inf, inf)):
        cases.expect(f"DynamicQuantizeLinear of {value}", node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"]),
                     {"x": floats(1, value, 3, 2)}, [[0, 0, 0, 0], scale, 0])
    wrong = {"x": floats(1, 2, 3), "i": np.array([5, -7], np.int64)}
    cases.expect("Gather, reference", node("Gather", ["x", "i"], ["y"]), wrong, "has index 5 into a dimension of size 3",
                 targets=("reference",))
    cases.expect("Gather, host", node("Gather", ["x", "i"], ["y"]), wrong, [[3, 1]], targets=("host",))
    weights = {name: np.full((1, gates, 1), 1, np.float32) for name, gates in (("w", 1), ("r", 1))}
    cases.expect("hard_sigmoid", node("RNN", ["x", "w", "r"], ["", "h"], hidden_size=1, activations=["HardSigmoid"]),
                 {"x": floats(NAN).reshape(1, 1, 1)}, [[[[NAN]]]], constants=weights)
    cases.finish()


if __name__ == "__main__":
    main()

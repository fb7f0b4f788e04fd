#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random graphs with nested If and Loop nodes with the reference: as libraries and as C, with
1, 2 and 7 threads. All numbers of threads give the same bits. ThreadSanitizer reports nothing.

  random_control.py CONVOY MODELS SCRATCH_DIR FIRST_SEED COUNT
"""

import pathlib
import random
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import same_bits
import source

THREADS = [1, 2, 7]
WATCHED_THREADS = 3
SHAPE = [1, 16, 24, 24]
DEEPEST = 3
TOLERANCE = 2e-3


class Maker:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.count = 0
        self.weights = []

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def constant(self, value, kind):
        name = self.name("constant")
        self.weights.append(numpy_helper.from_array(np.array(value, kind), name))
        return name

    def add(self, nodes, op, inputs, **attributes):
        name = self.name(op.lower())
        nodes.append(helper.make_node(op, inputs, [name], name, **attributes))
        return name

    def conv(self, nodes, value):
        channels = SHAPE[1]
        scale = 1.5 / np.sqrt(channels * 9)
        weights = self.constant(self.numbers.standard_normal((channels, channels, 3, 3)) * scale, np.float32)
        return self.add(nodes, "Conv", [value, weights], pads=[1, 1, 1, 1])

    def condition(self, nodes, value):
        """Returns a condition on the data that rounding does not change."""
        total = self.add(nodes, "ReduceSum", [value], keepdims=0)
        return self.add(nodes, self.draw.choice(["Less", "Greater"]), [total, self.constant(0.0, np.float32)])

    def branch(self, values, depth):
        nodes = []
        inner = self.fill(nodes, values, depth, self.draw.randint(0, 3))
        result = self.add(nodes, "Identity", [inner[-1]])
        return helper.make_graph(nodes, self.name("side"), [], [self.info(result)])

    @staticmethod
    def info(name, kind=TensorProto.FLOAT, shape=None):
        return helper.make_tensor_value_info(name, kind, SHAPE if shape is None else shape)

    def loop(self, nodes, values, depth):
        state = self.draw.choice(values)
        step, goes, carried = (self.name(kind) for kind in ("step", "goes", "carried"))
        body = []
        inner = self.fill(body, values + [carried], depth, self.draw.randint(1, 4))
        following = self.add(body, "Tanh", [self.add(body, "Add", [inner[-1], carried])])
        isEnding = self.draw.random() < 0.4
        condition = self.condition(body, following) if isEnding else self.add(body, "Identity", [goes])
        graph = helper.make_graph(
            body, self.name("body"),
            [self.info(step, TensorProto.INT64, []), self.info(goes, TensorProto.BOOL, []), self.info(carried)],
            [self.info(condition, TensorProto.BOOL, []), self.info(following)])
        most = self.add(nodes, "ReduceMax", [self.draw.choice(values)], keepdims=0)
        zero, limit = (self.constant(bound, np.float32) for bound in (0.0, 2.9))
        count = self.add(nodes, "Cast", [self.add(nodes, "Clip", [most, zero, limit])], to=TensorProto.INT64)
        if self.draw.random() < 0.5:
            count = self.add(nodes, "Add", [count, self.constant(1, np.int64)])
        return self.add(nodes, "Loop", [count, "", state], body=graph)

    def fill(self, nodes, values, depth, count):
        """Adds ops that use the values; returns all values."""
        values = list(values)
        for _ in range(count):
            kind = self.draw.random()
            value = self.draw.choice(values[-3:])
            if kind < 0.2 and depth < DEEPEST:
                condition = self.condition(nodes, self.draw.choice(values))
                values.append(self.add(nodes, "If", [condition], then_branch=self.branch(values, depth + 1),
                                       else_branch=self.branch(values, depth + 1)))
            elif kind < 0.4 and depth < DEEPEST:
                values.append(self.loop(nodes, values, depth + 1))
            elif kind < 0.7:
                values.append(self.add(nodes, "Tanh", [self.conv(nodes, value)]))
            elif kind < 0.85:
                values.append(self.add(nodes, "Sub", [value, self.draw.choice(values)]))
            else:
                values.append(self.add(nodes, "MaxPool", [value], kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
        return values

    def model(self):
        nodes = []
        values = self.fill(nodes, ["x"], 0, 3)
        values.append(self.loop(nodes, values, 1))
        condition = self.condition(nodes, values[-1])
        values.append(self.add(nodes, "If", [condition], then_branch=self.branch(values, 1),
                               else_branch=self.branch(values, 1)))
        values = self.fill(nodes, values, 0, 3)
        outputs = [self.add(nodes, "Identity", [value]) for value in (values[-1], self.draw.choice(values[1:]))]
        graph = helper.make_graph(nodes, "control", [self.info("x")], [self.info(name) for name in outputs], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        return model


def c_inputs(elements, turns):
    """The inputs of the program of source.py."""
    seed, inputs = 1, []
    for _ in range(turns):
        values = np.empty(elements, np.float32)
        for i in range(elements):
            seed = (seed * 1664525 + 1013904223) % 2**32
            values[i] = (seed >> 20) / 512 - 4
        inputs.append(values.reshape(SHAPE))
    return inputs


def reference(convoy, model, scratch, inputs):
    folder = scratch / "reference"
    path = scratch / "x.npy"
    np.save(path, inputs)
    subprocess.run([convoy, "run", str(model), "--target=reference", "--input", f"x={path}", "--output", str(folder)],
                   stdout=subprocess.DEVNULL, check=True)
    return [np.load(path) for path in sorted(folder.iterdir())]


def is_close(values, expected):
    return all(np.allclose(np.frombuffer(got, np.float32), want.ravel(), TOLERANCE, TOLERANCE)
               for got, want in zip(values, expected))


def check(test, scratch, seed):
    name = f"control_{seed}"
    model = test.models / f"{name}.onnx"
    onnx.save(Maker(seed).model(), model)
    sets = c_inputs(int(np.prod(SHAPE)), 2)
    folder = scratch / name
    folder.mkdir(parents=True, exist_ok=True)
    expected = [reference(test.convoy, model, folder, inputs) for inputs in sets]
    first = None
    for threads in THREADS:
        library = same_bits.Library(test.convoy, model, folder / f"t{threads}", threads)
        order = sorted(range(len(expected[0])), key=lambda i: library.facts["outputs"][i]["name"])
        results = [library.run([inputs]) for inputs in sets]
        right = all(is_close([values[i] for i in order], want) for values, want in zip(results, expected))
        first = first or results
        test.expect(right and results == first, f"{name} as library with {threads} threads")
        library.close()
    texts = {threads: test.run(test.build(test.emit(name, threads), "main")).stdout for threads in THREADS}
    size = sum(values.nbytes for values in expected[0])
    parts = np.split(np.frombuffer(texts[1][:size], np.float32), len(order))
    right = is_close([parts[i].tobytes() for i in order], expected[0])
    test.expect(right and len(set(texts.values())) == 1, f"{name} as C with {THREADS} threads")
    test.clean(name, WATCHED_THREADS)


def main():
    convoy, models, scratch, seed, count = sys.argv[1:]
    pathlib.Path(models).mkdir(parents=True, exist_ok=True)
    same_bits.Library.flags = ["--verify-stages"]
    test = source.Test(convoy, None, models, scratch, THREADS)
    for number in range(int(seed), int(seed) + int(count)):
        check(test, pathlib.Path(scratch), number)
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks each kind of error on its way to the user: the exit code, the field "kind" of --json, and
the exception of the Python package.

  kinds.py CONVOY PLUGIN FOLDER     (PLUGIN: the plug-in of tests/injected)
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import unittest

import convoy
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

TOOL, PLUGIN, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
MIB = 1 << 20


def save(name, nodes, shape, weights=()):
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], list(weights))
    path = FOLDER / f"{name}.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return str(path)


def correct():
    return save("correct", [helper.make_node("Add", ["x", "x"], ["y"], "add1")], [2, 3])


def unknown_op():
    return save("unknown_op", [helper.make_node("NoSuchOp", ["x"], ["y"], "first")], [2, 3])


def unknown_ops():
    """Four nodes of one op and one of another."""
    ops = ["NoSuchOp", "NoSuchOp", "NorThis", "NoSuchOp", "NoSuchOp"]
    names = ["x", "a", "b", "c", "d", "y"]
    nodes = [helper.make_node(op, [names[i]], [names[i + 1]], f"node{i}") for i, op in enumerate(ops)]
    return save("unknown_ops", nodes, [2, 3])


def large():
    weights = numpy_helper.from_array(numpy.ones((4096, 4096), numpy.float32), "w")
    return save("large", [helper.make_node("MatMul", ["x", "w"], ["y"], "product")], [1, 4096], [weights])


def run(*arguments, memory=None):
    limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory else None
    return subprocess.run([TOOL, *arguments], cwd=FOLDER, capture_output=True, text=True, preexec_fn=limit, timeout=300)


class CommandLine(unittest.TestCase):
    def check(self, result, code, kind):
        """Returns the problems of the JSON, all of which have the kind."""
        self.assertEqual(result.returncode, code, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["exitCode"], code)
        self.assertEqual({problem["kind"] for problem in answer["problems"]}, {kind})
        for problem in answer["problems"]:
            self.assertIn(f"error: {problem['text']}\n", result.stderr)
        return answer["problems"]

    def test_error(self):
        problems = self.check(run("inspect", "nowhere.onnx", "--json"), 1, "error")
        self.assertEqual([set(problem) for problem in problems], [{"kind", "text"}])

    def test_error_of_the_command_line(self):
        self.check(run("compile", "--no-such-flag", "--json"), 1, "error")
        self.check(run("compil", "--json"), 1, "error")

    def test_unsupported(self):
        problem, = self.check(run("compile", unknown_op(), "-o", "out", "--json"), 2, "unsupported")
        self.assertEqual((problem["node"], problem["op"]), ("first", "NoSuchOp"))

    def test_unsupported_nodes_of_one_op_are_one_problem(self):
        many, one = self.check(run("compile", unknown_ops(), "-o", "out", "--json"), 2, "unsupported")
        self.assertEqual((many["node"], many["op"], many["count"]), ("node0", "NoSuchOp", 4))
        self.assertEqual(many["nodes"], ["node0", "node1", "node3", "node4"])
        self.assertTrue(many["text"].startswith("4 nodes of NoSuchOp ('node0', 'node1', 'node3', ...): not supported: "), many)
        self.assertEqual((one["node"], one["count"], one["nodes"]), ("node2", 1, ["node2"]))

    def test_an_error_of_the_user_outweighs_what_is_unsupported(self):
        result = run("compile", unknown_op(), "-o", "out", "--target", "nothing", "--json")
        self.assertEqual(result.returncode, 1, result.stderr)

    def test_bug(self):
        result = run("compile", correct(), "-o", "out", "--json", "--verify-stages", "--load-pass-plugin", PLUGIN,
                     "--inject", "convoy-place-check-cpu:injected-remove-kind")
        self.assertEqual(result.returncode, 3, result.stderr)
        problems = json.loads(result.stdout)["problems"]
        self.assertEqual(problems[-1]["kind"], "bug")
        self.assertTrue((FOLDER / problems[-1]["reproducer"]).exists())

    def test_json_file(self):
        result = run("compile", unknown_op(), "-o", "out", "--json=problems.json")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(json.loads((FOLDER / "problems.json").read_text())["exitCode"], 2)

    def test_out_of_memory(self):
        """A link without memory for its output has the kind in its problem. A failed allocation elsewhere ends the
        program with the same exit code and no JSON. The output of 64 MiB makes the range of limits larger than a step."""
        model = large()
        kinds = set()
        for megabytes in range(300, 1500, 25):
            result = run("compile", model, "-o", "out", "--json", memory=megabytes * MIB)
            if result.returncode == 0:
                break
            self.assertIn(result.returncode, (1, 127), result.stderr)
            if result.stdout:
                kinds |= {problem["kind"] for problem in json.loads(result.stdout)["problems"]}
                self.assertIn("error: out of memory in `convoy compile ", result.stderr)
        self.assertEqual(kinds, {"out of memory"})


class Exceptions(unittest.TestCase):
    def raised(self, model, **options):
        with self.assertRaises(convoy.Error) as caught:
            convoy.compile(model, **options)
        return caught.exception

    def test_error(self):
        self.assertIs(type(self.raised("nowhere.onnx")), convoy.Error)
        self.assertIs(type(self.raised(unknown_op(), target="nothing")), convoy.Error)

    def test_unsupported(self):
        error = self.raised(unknown_op())
        self.assertIs(type(error), convoy.UnsupportedError)
        self.assertIsInstance(error, NotImplementedError)
        self.assertEqual([(p.kind, p.node, p.op) for p in error.problems], [("unsupported", "first", "NoSuchOp")])

    def test_unsupported_nodes_of_one_op_are_one_problem(self):
        many, one = self.raised(unknown_ops()).problems
        self.assertEqual((many.op, many.count, many.nodes), ("NoSuchOp", 4, ("node0", "node1", "node3", "node4")))
        self.assertEqual((one.node, one.count, one.nodes), ("node2", 1, ("node2",)))
        self.assertEqual(many.remedy, "export its computation with operators that `convoy ops` lists, as a function of the model, or as a custom op (custom_ops)")

    def test_every_kind(self):
        """The extension module passes (kind, text, node, op, notes, nodes)."""
        from convoy_runtime import _errors
        for kinds, expected in [(["error"], convoy.Error), (["unsupported"], convoy.UnsupportedError),
                                (["unsupported", "error"], convoy.Error), (["bug"], convoy.InternalError),
                                (["error", "bug"], convoy.InternalError),
                                (["out of memory"], convoy.OutOfMemoryError),
                                (["warning", "unsupported"], convoy.UnsupportedError)]:
            error = _errors.compile_error([(kind, "text", "", "", [], []) for kind in kinds])
            self.assertIs(type(error), expected, kinds)
        self.assertTrue(issubclass(convoy.OutOfMemoryError, MemoryError))


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    os.chdir(FOLDER)
    unittest.main(argv=sys.argv[:1])

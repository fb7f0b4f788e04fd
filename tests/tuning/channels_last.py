# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes a model, then compiles the same model with channels last, as some frameworks export
it: with a transpose before and after every op that expects channels first. Both models have
the same tasks, so the records of the first model tune the second model without a trial.

  channels_last.py CONVOY MAKE_MODELS SCRATCH_DIR MODEL...
"""

import json
import pathlib
import shutil
import subprocess
import sys

import onnx
from onnx import helper

# Ops that accept any order of dimensions; all other ops need channels first.
ANY_ORDER = {"Relu", "Add", "Clip", "Mul", "Dropout", "Identity"}


class ChannelsLast:
    """The model with all maps of four dimensions kept with channels last."""

    def __init__(self, model):
        self.model = onnx.shape_inference.infer_shapes(model)
        graph = self.model.graph
        values = list(graph.value_info) + list(graph.input) + list(graph.output)
        weights = {tensor.name for tensor in graph.initializer}
        self.maps = {value.name for value in values
                     if len(value.type.tensor_type.shape.dim) == 4 and value.name not in weights}
        self.nodes = []

    def transpose(self, source, target, perm):
        self.nodes.append(helper.make_node("Transpose", [source], [target], name=target, perm=perm))

    def add(self, node):
        if node.op_type not in ANY_ORDER:
            for i, name in enumerate(node.input):
                if name in self.maps:
                    node.input[i] = f"{name}_to_{node.output[0]}"
                    self.transpose(name, node.input[i], [0, 3, 1, 2])
        self.nodes.append(node)
        if node.op_type not in ANY_ORDER:
            for i, name in enumerate(node.output):
                if name in self.maps:
                    node.output[i] = f"{name}_first"
                    self.transpose(node.output[i], name, [0, 2, 3, 1])

    def build(self):
        graph = self.model.graph
        for node in list(graph.node):
            self.add(node)
        del graph.node[:]
        graph.node.extend(self.nodes)
        del graph.value_info[:]
        for value in list(graph.input) + list(graph.output):
            if value.name in self.maps:
                dims = value.type.tensor_type.shape.dim
                sizes = [dims[i].dim_value for i in (0, 2, 3, 1)]
                for dim, size in zip(dims, sizes):
                    dim.dim_value = size
        return self.model


def tasks(convoy, model):
    done = subprocess.run([convoy, "tune", "--list-tasks", str(model), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"FAILED: {model}: {done.stderr}")
    return {task["key"]: task for task in json.loads(done.stdout)["tasks"]}


def compare(convoy, path):
    last_path = path.with_name(path.stem + "_last.onnx")
    onnx.save(ChannelsLast(onnx.load(path)).build(), last_path)
    ours, theirs = tasks(convoy, path), tasks(convoy, last_path)
    missing = [task["name"] for key, task in ours.items() if key not in theirs]
    more = [task for key, task in theirs.items() if key not in ours]
    print(f"{path.stem}: {len(ours)} tasks, {len(missing)} of them missing with channels last, {len(more)} additional:"
          f" {[task['name'] for task in more]}")
    if missing or sum(task["weight"] for task in more) > 0.03:
        sys.exit(f"FAILED: {path.stem} has tasks that the model with channels last lacks: {missing}")


def main():
    convoy, make_models, scratch = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    for name in sys.argv[4:]:
        subprocess.run([sys.executable, make_models, str(scratch), name], check=True, stdout=subprocess.DEVNULL)
        compare(convoy, scratch / f"{name}.onnx")
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`convoy reduce` shrinks models with injected bugs to the nodes that the bug needs.

  reduce.py CONVOY PLUGIN DIR                     small models
  reduce.py CONVOY PLUGIN DIR --networks MODELS   ResNet-50 of MODELS and a generated BERT, with figures
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import time

import onnx

import make_models

OWN_BUG = 3
# Of one command. Only a command that hangs takes this long, also on a busy machine.
LIMIT_SECONDS = 3000
# The largest CPU time of a reduction of a network.
MAX_CPU_SECONDS = 300

# (model, pass with the bug, pass that injects the bug, further flags, ops that remain)
CASES = [
    ("elementwise", "convoy-place-check-cpu", "injected-add-to-sub", [], ["Add"]),
    ("convolution", "convoy-graph-fold-batch-norm", "injected-scale-merged-bias", [], ["Conv", "BatchNormalization"]),
    ("sequence", "convoy-graph-lower-batched-products", "injected-swap-sub", [], ["Sub"]),
    ("chain", "convoy-memory-plan-arena", "injected-overlap-tensors", [], ["MatMul", "MatMul"]),
]


class Test:
    def __init__(self, tool, plugin, folder):
        self.tool, self.plugin, self.folder = tool, plugin, folder
        self.failures = 0
        bin_folder = os.path.dirname(tool)
        self.environment = {**os.environ, "PATH": bin_folder + ":" + os.environ["PATH"]}

    def run(self, *words, shell=False):
        command = words[0] if shell else [self.tool, *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, cwd=self.folder,
                              shell=shell, env=self.environment)

    def expect(self, what, is_right, result):
        print("ok    " if is_right else "WRONG ", what, sep="", flush=True)
        if not is_right:
            self.failures += 1
            print(f"exit code {result.returncode}\n{result.stdout}{result.stderr}")

    def inject(self, wrong_pass, bug):
        return [f"--load-pass-plugin={self.plugin}", f"--inject={wrong_pass}:{bug}"]

    def reduce(self, model, *flags):
        result = self.run("reduce", model, "--json", *flags)
        return result, json.loads(result.stdout) if result.returncode == 0 else {}

    def reproduces(self, report, code=OWN_BUG):
        """The written command fails as the model did."""
        return self.run(report["command"], shell=True).returncode == code

    def small_model(self, model, wrong_pass, bug, flags, ops):
        result, report = self.reduce(f"{model}.onnx", "-o", "reduced", *flags, *self.inject(wrong_pass, bug))
        written = os.path.join(self.folder, "reduced", f"{model}.reduced.onnx")
        is_right = (report.get("ops") == ops and report["failure"] == f"host differs from the reference after {wrong_pass}"
                    and [node.op_type for node in onnx.load(written).graph.node] == ops and self.reproduces(report))
        self.expect(f"{bug} after {wrong_pass} in {model} needs {', '.join(ops)}", is_right, result)

    def crash(self):
        """The reproducer of a crash and those of the candidates do not stay in the working folder."""
        bug = self.inject("convoy-layout-choose-layouts", "injected-abort")
        before = set(os.listdir(self.folder))
        result, report = self.reduce("elementwise.onnx", "--crash", "-o", "crash.onnx", *bug)
        created = set(os.listdir(self.folder)) - before
        self.expect("a crash needs one node", report.get("nodes_after") == 1
                    and created <= {"crash.onnx", "crash.sh", "elementwise.convoy-reproducer.mlir"}, result)
        result = self.run("sh crash.sh", shell=True)
        self.expect("the script repeats the crash", result.returncode == OWN_BUG, result)

    def message(self):
        nodes = [make_models.node("Relu", ["x"], "a", "relu1"), make_models.node("NoSuchOp", ["a"], "b", "strange"),
                 make_models.node("Tanh", ["b"], "y", "tanh1")]
        self.save("unsupported", nodes, {"x": [2, 3]}, {"y": [2, 3]}, [])
        result, report = self.reduce("unsupported.onnx", "--message", "operator", "-o", "message.onnx")
        self.expect("an unsupported op is the only node", report.get("ops") == ["NoSuchOp"]
                    and self.reproduces(report, code=2), result)

    def save(self, name, nodes, inputs, outputs, initializers, **options):
        def values(shapes):
            return [onnx.helper.make_tensor_value_info(value, onnx.TensorProto.FLOAT, shape) for value, shape in shapes.items()]
        graph = onnx.helper.make_graph(nodes, name, values(inputs), values(outputs), initializers)
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(model, os.path.join(self.folder, f"{name}.onnx"), **options)

    def slow(self):
        result, report = self.reduce("elementwise.onnx", "--slow", "--share=10%", "-o", "slow.onnx", "--trials=20")
        self.expect("--slow ends with a model that compiles", report.get("failure") == "slow"
                    and report["nodes_after"] <= report["nodes_before"] and self.reproduces(report, code=0), result)

    def external_data(self):
        self.save("external", [make_models.node("MatMul", ["x", "w"], "m", "matmul1"), make_models.node("Exp", ["m"], "e", "exp1"),
                               make_models.node("Add", ["e", "b"], "y", "add1")], {"x": [4, 64]}, {"y": [4, 32]},
                  [make_models.weights("w", 64, 32), make_models.weights("b", 32)], save_as_external_data=True,
                  location="external.data", size_threshold=0)
        result, report = self.reduce("external.onnx", "-o", "apart/small.onnx",
                                     *self.inject("convoy-place-check-cpu", "injected-add-to-sub"))
        self.expect("external data", report.get("ops") == ["Add"] and self.reproduces(report)
                    and os.listdir(os.path.join(self.folder, "apart")) != [], result)

    def equal_results(self):
        """The same command gives the same bytes. Sizes and weights are smaller than in the model."""
        files = []
        for name in ("first", "second"):
            result, _ = self.reduce("chain.onnx", "-o", f"{name}/chain.onnx", *self.inject("convoy-kernels-lower-conv-direct",
                                                                                           "injected-drop-accumulator"))
            with open(os.path.join(self.folder, name, "chain.onnx"), "rb") as file:
                files.append(file.read())
        self.expect("equal bytes", files[0] == files[1], result)
        size = os.path.getsize(os.path.join(self.folder, "chain.onnx"))
        self.expect("a smaller file", len(files[0]) * 4 < size, result)

    def inputs(self):
        """The file of an input stays only if the failure needs it."""
        onnx_file = os.path.join(self.folder, "x.pb")
        with open(onnx_file, "wb") as file:
            file.write(onnx.numpy_helper.from_array(make_models.numpy.ones((4, 16), "float32")).SerializeToString())
        bug = self.inject("convoy-place-check-cpu", "injected-add-to-sub")
        result, report = self.reduce("elementwise.onnx", "--input", "x=x.pb", "-o", "inputs.onnx", *bug)
        self.expect("random data replaces a file", "x.pb" not in report.get("command", "x.pb"), result)

    def limits(self):
        bug = self.inject("convoy-kernels-lower-conv-direct", "injected-drop-accumulator")
        result, report = self.reduce("chain.onnx", "--trials=2", "-o", "limits.onnx", *bug)
        self.expect("--trials ends the search", report.get("candidates") == 2 and report["stopped_by"] == "--trials"
                    and "warning: the search ended by --trials, so a smaller model may exist" in result.stderr, result)

    def text(self):
        bug = self.inject("convoy-place-check-cpu", "injected-add-to-sub")
        result = self.run("reduce", "elementwise.onnx", "-o", "text", *bug)
        lines = result.stdout.splitlines()
        self.expect("the summary", lines[:2] == ["failure    host differs from the reference after convoy-place-check-cpu", "nodes      5 -> 1: Add"]
                    and lines[-3:-1] == ["wrote text/elementwise.reduced.onnx", "wrote text/elementwise.reduced.sh"]
                    and shlex.split(lines[-1])[:3] == ["convoy", "check", "text/elementwise.reduced.onnx"], result)

    def errors(self):
        for flags, sentence in [
                ([], "error: --check: expects a model whose outputs differ from the reference, and `convoy check` finds no "
                     "difference; give the flags with which `convoy check` fails"),
                (["--crash"], "error: --crash: expects a model that crashes `convoy compile` or `convoy run`, and both end "
                              "without a crash; give the flags with which they crash, or --message TEXT"),
                (["--message=xyz"], "error: --message: expects a text that `convoy compile` or `convoy run` prints when it "
                                    "fails, and neither prints 'xyz'; copy the text from the error"),
                (["--slow", "--threads=2", "--cpu=none"], "error: --slow: expects a model that `convoy compile` compiles ("),
                (["--check", "--crash"], "--check: expects no other failure to keep"),
                (["--slow", "--message=x"], "--message: expects --crash"),
                (["--share=20%"], "--share: expects --slow"),
                (["--slow", "--share=0%"], "--share: expects more than 0%"),
                (["--crash", "--exact"], "--exact: expects --check"),
                (["--dim=n=2"], "error: --dim: no input has a dimension 'n'")]:
            result = self.run("reduce", "elementwise.onnx", "-o", "none", *flags)
            self.expect(f"reduce {' '.join(flags)}", result.returncode == 1 and sentence in result.stderr, result)
        result = self.run("reduce", "elementwise.onnx", "-o", "/dev/null/none")
        self.expect("an output that cannot be written", result.returncode == 1 and result.stderr.startswith(
            "error: --output: cannot write '/dev/null/none': Not a directory"), result)


# Bugs in networks, as CASES, with the most nodes that remain: the nodes that the pass needs, or 3.
RESNET = "resnet50-v1-keras-f16w"
BERT = "bert_base_s128"
RESNET_15 = "resnet50_v15"  # generated
NETWORK_CASES = [
    (RESNET, "convoy-graph-fold-batch-norm", "injected-scale-merged-bias", [], 3),
    (RESNET, "convoy-fusion-fuse-kernels", "injected-drop-epilogue", [], 3),
    (RESNET_15, "convoy-memory-plan-arena", "injected-overlap-tensors", [], 3),
    (RESNET, "convoy-kernels-lower-conv-direct", "injected-drop-accumulator", [], 3),
    (RESNET, "convoy-place-check-cpu", "injected-add-to-sub", [], 3),
    (RESNET, "convoy-graph-lower-composites", "injected-swap-sub", [], 3),
    (RESNET, "convoy-kernels-lower-math", "injected-change-coefficient", [], 3),
    (RESNET, "convoy-layout-choose-layouts", "injected-forward-unary", [], 3),
    (RESNET, "convoy-kernels-lower-loops", "injected-shorten-loop", [], 3),
    (RESNET, "convoy-codegen-lower-to-llvm", "injected-fadd-to-fsub", [], 3),
    (BERT, "convoy-kernels-lower-attention", "injected-shorten-attention", [], 4),
    (BERT, "convoy-memory-plan-arena", "injected-overlap-tensors", [], 3),
    (BERT, "convoy-fusion-fuse-kernels", "injected-drop-epilogue", [], 3),
    (BERT, "convoy-graph-fold-constants", "injected-scale-constant", [], 3),
    (BERT, "convoy-place-check-cpu", "injected-add-to-sub", [], 3),
]


def generated(folder, network):
    path = os.path.join(folder, network + ".onnx")
    if not os.path.exists(path):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "make_models.py")
        subprocess.run([sys.executable, "-B", script, folder, network], check=True)
    return path


def networks(test, models, only):
    paths = {RESNET: os.path.join(models, "onnx", RESNET + ".onnx"),
             **{network: generated(test.folder, network) for network in (RESNET_15, BERT)}}
    for number, (model, wrong_pass, bug, flags, most) in enumerate(NETWORK_CASES):
        if only and number not in only:
            continue
        begin = time.monotonic()
        result, report = test.reduce(paths[model], "-o", f"case{number}", "--time=1h", *flags, *test.inject(wrong_pass, bug))
        is_right = bool(report) and report["nodes_after"] <= most and report["cpu_seconds"] < MAX_CPU_SECONDS and test.reproduces(report)
        if report:
            print(f"{number:2} {model} {report['failure']}: {report['nodes_before']} -> {report['nodes_after']} nodes "
                  f"({', '.join(report['ops'])}), {report['candidates']} candidates, {report['cpu_seconds']:.1f} s of CPU time, "
                  f"{time.monotonic() - begin:.1f} s, {os.path.getsize(os.path.join(test.folder, report['files'][0]))} bytes")
        test.expect(f"{bug} after {wrong_pass} in {model}", is_right, result)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tool", "plugin", "folder"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--networks", metavar="MODELS")
    parser.add_argument("--case", type=int, action="append", help="run only this case")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    test = Test(args.tool, args.plugin, args.folder)
    if args.networks:
        networks(test, args.networks, args.case)
    else:
        make_models.write(args.folder)
        for case in CASES:
            test.small_model(*case)
        for check in (test.crash, test.message, test.slow, test.external_data, test.equal_results, test.inputs, test.limits,
                      test.text, test.errors):
            check()
    print(f"{test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())

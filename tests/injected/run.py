# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Injects one bug at a time and checks that `convoy check` names the pass and the op."""

import errno
import json
import os
import signal
import subprocess
import sys
import time

import make_models

# Outputs that differ from the reference are a bug in convoy, exit code 3.
OWN_BUG = 3

# Of one command. Only a command that hangs takes this long, also on a busy machine.
LIMIT_SECONDS = 600

# (model, pass with the bug, pass that injects the bug, wrong op)
CASES = [
    ("elementwise", "convoy-graph-fold-constants", "injected-scale-constant", "'fold1' (Add)"),
    ("convolution", "convoy-graph-fold-batch-norm", "injected-scale-bias",
     "'conv1' (Conv) + 'norm1' (BatchNormalization)"),
    ("softmax", "convoy-graph-lower-composites", "injected-swap-sub", "'softmax1' (Softmax)"),
    ("sequence", "convoy-graph-lower-batched-products", "injected-swap-sub", "'sub1' (Sub)"),
    ("elementwise", "cse", "injected-forward-unary", "'exp1' (Exp)"),
    ("convolution", "convoy-quantize-fold-weights", "injected-swap-pads",
     "'conv1' (Conv) + 'norm1' (BatchNormalization)"),
    ("elementwise", "convoy-place-check-cpu", "injected-add-to-sub", "'add1' (Add)"),
    ("convolution", "convoy-fusion-fuse-kernels", "injected-drop-epilogue", "'relu1' (Relu)"),
    ("elementwise", "convoy-layout-choose-layouts", "injected-forward-unary", "'exp1' (Exp)"),
    ("difference", "convoy-outline-split-kernels", "injected-swap-task-operands", "'sub1' (Sub)"),
    ("softmax", "convoy-kernels-lower-conv-direct", "injected-shorten-loop", "'matmul1' (MatMul)"),
    ("softmax", "convoy-kernels-lower-rows", "injected-mulf-to-addf", "'softmax1' (Softmax)"),
    ("padded", "convoy-kernels-lower-loops", "injected-shorten-loop", "'pool1' (AveragePool)"),
    ("chain", "convoy-kernels-lower-conv-direct", "injected-drop-accumulator",
     "'matmul1' (MatMul)"),
    ("computed", "convoy-kernels-lower-product", "injected-shorten-loop", "'matmul1' (MatMul)"),
    ("recurrent", "convoy-kernels-lower-recurrent", "injected-shorten-loop", "'lstm1' (LSTM)"),
    ("bytes", "convoy-kernels-lower-product-bytes", "injected-shorten-loop",
     "'matmul1' (MatMulInteger)"),
    ("recurrent", "convoy-kernels-lower-math", "injected-change-coefficient", "'lstm1' (LSTM)"),
    ("padded", "convoy-kernels-lower-loops", "injected-store-at-start", "'pad1' (Pad)"),
    ("softmax", "convoy-kernels-lower-math", "injected-change-coefficient", "'softmax1' (Softmax)"),
    ("elementwise", "convoy-kernels-lower-math", "injected-change-coefficient", "'exp1' (Exp)"),
    ("attention", "convoy-kernels-lower-attention", "injected-shorten-loop",
     "'matmul1' (MatMul) + 'softmax1' (Softmax) + 'matmul2' (MatMul)"),
    ("chain", "convoy-memory-plan-arena", "injected-overlap-tensors", "'matmul2' (MatMul)"),
    ("padded", "convoy-codegen-lower-vectors", "injected-mulf-to-addf", "'mul1' (Mul)"),
    ("padded", "convert-scf-to-cf", "injected-mulf-to-addf", "'mul1' (Mul)"),
    ("elementwise", "convoy-codegen-lower-to-llvm", "injected-fadd-to-fsub", "'add1' (Add)"),
    ("padded", "convoy-codegen-insert-entry", "injected-fmul-to-fadd", "'mul1' (Mul)"),
    ("softmax", "convoy-codegen-insert-line-info", "injected-fmul-to-fadd", "'softmax1' (Softmax)"),
]

# As CASES, for the passes that a device adds. The first wrong op is empty if each layer is right
# alone.
DEVICE = "nvdla-full"
DEVICE_CASES = [
    ("branches", "convoy-nvdla-lower-conv-core", "injected-shift-pads", "'conv1' (Conv) + 'relu1' (Relu)"),
    ("branches", "convoy-nvdla-fuse-stages", "injected-sum-to-max", "'conv1' (Conv) + 'relu1' (Relu)"),
    ("branches", "convoy-nvdla-choose-images", "injected-shift-pads", "'conv1' (Conv) + 'relu1' (Relu)"),
    ("branches", "convoy-nvdla-split-pools", "injected-swap-join", "'concat1' (Concat)"),
    ("branches", "convoy-nvdla-split-pools", "injected-swap-pools", ""),
    ("branches", "convoy-nvdla-insert-copies", "injected-change-copy", "'concat1' (Concat)"),
    ("branches", "convoy-nvdla-choose-winograd", "injected-shift-pads", "'conv1' (Conv) + 'relu1' (Relu)"),
    ("branches", "convoy-nvdla-fuse-units", "injected-max-to-min", "'pool1' (MaxPool)"),
]


class Test:
    def __init__(self, tool, plugin, folder):
        self.tool, self.plugin, self.folder = tool, plugin, folder
        self.failures = 0

    def run(self, verb, model, *flags):
        path = os.path.join(self.folder, model + ".onnx")
        return subprocess.run([self.tool, verb, path, *flags], capture_output=True, text=True,
                              timeout=LIMIT_SECONDS, cwd=self.folder)

    def inputs(self, model):
        """Uses different data for each input: a difference of equal values would hide swapped
        operands."""
        _, inputs, _, _ = getattr(make_models, model)()
        return [f"--input={name}=random:{i}" for i, name in enumerate(inputs)]

    def inject(self, wrong_pass, bug):
        return [f"--load-pass-plugin={self.plugin}", f"--inject={wrong_pass}:{bug}"]

    def expect(self, what, isRight, result):
        print("ok    " if isRight else "WRONG ", what, sep="", flush=True)
        if not isRight:
            self.failures += 1
            print(f"exit code {result.returncode}\n{result.stdout}{result.stderr}")

    def right_without_bug(self):
        for make in make_models.MODELS:
            self.is_right(make.__name__)
        self.is_right("branches", f"--target={DEVICE}")

    def is_right(self, model, *flags):
        result = self.run("check", model, *self.inputs(model), *flags)
        self.expect(f"{' '.join([model, *flags])} is correct without a bug",
                    result.returncode == 0 and "first wrong op" not in result.stdout, result)

    def finds(self, model, wrong_pass, bug, op, target="host"):
        result = self.run("check", model, "--json", f"--target={target}", *self.inputs(model),
                          *self.inject(wrong_pass, bug))
        found = json.loads(result.stdout or "{}").get("first_wrong", [{}])[0]
        is_found = (result.returncode == OWN_BUG and (found.get("op") or "") == op
                    and found.get("pass") == wrong_pass and found.get("target") == target)
        self.expect(f"{bug} after {wrong_pass} in {model}", is_found, result)

    def threads(self):
        """A bug in the schedule shows only with several threads."""
        bug = self.inject("convoy-schedule-plan-workers", "injected-skip-call")
        result = self.run("check", "chain", "--json", *bug)
        self.expect("one thread has no schedule", result.returncode == 0, result)
        result = self.run("check", "chain", "--json", "--threads=2", *bug)
        found = json.loads(result.stdout or "{}").get("first_wrong", [{}])[0]
        self.expect("injected-skip-call after convoy-schedule-plan-workers",
                    result.returncode == OWN_BUG
                    and found.get("pass") == "convoy-schedule-plan-workers"
                    and found.get("note") == "the outputs are right with one thread", result)

    def sentence(self):
        result = self.run("check", "chain", *self.inject("convoy-kernels-lower-loops",
                                                         "injected-drop-accumulator"))
        begin = "first wrong op: 'matmul1' (MatMul), after pass convoy-kernels-lower-loops: max |a-b| "
        lines = [line for line in result.stdout.splitlines() if line.startswith(begin)]
        is_right = len(lines) == 1 and " at [" in lines[0] and ", bound " in lines[0]
        self.expect("the text of the first wrong op", is_right, result)

    def golden(self):
        """Outputs that differ from the user's golden data end with exit code 1. If the golden data
        differs from the reference as well, no pass is wrong."""
        folder = os.path.join(self.folder, "golden")
        os.makedirs(folder, exist_ok=True)
        make_models.write_golden(folder)
        result = self.run("check", "difference", "--golden", folder)
        self.expect("golden data", result.returncode == 0, result)
        bug = self.inject("convoy-outline-split-kernels", "injected-swap-task-operands")
        result = self.run("check", "difference", "--golden", folder, *bug)
        begin = "first wrong op: 'sub1' (Sub), after pass convoy-outline-split-kernels: "
        self.expect("golden data and a bug",
                    result.returncode == 1 and begin in result.stdout, result)
        make_models.write_golden(folder, factor=1.1)
        result = self.run("check", "difference", "--golden", folder)
        self.expect("wrong golden data", result.returncode == 1 and "first wrong op: not found (the "
                    "reference gives wrong outputs too" in result.stdout, result)

    def other_verbs(self):
        """Checks that `run` and `compile` inject the bug too, also with the old spelling of the flag."""
        bug = self.inject("convoy-kernels-lower-loops", "injected-drop-accumulator")
        values, libraries = [], []
        old = [flag.replace("--inject=", "--plant=") for flag in bug]
        for i, flags in enumerate([[], bug, old]):
            result = self.run("run", "chain", "--input=random", "--json", *flags)
            values.append(json.loads(result.stdout)["outputs"])
            folder = os.path.join(self.folder, f"library{i}")
            self.run("compile", "chain", "-o", folder, *flags)
            with open(os.path.join(folder, "chain.so"), "rb") as file:
                libraries.append(file.read())
        self.expect("`run` injects the bug", values[0] != values[1], result)
        self.expect("`compile` injects the bug", libraries[0] != libraries[1], result)
        self.expect("--plant injects the bug",
                    values[2] == values[1] and libraries[2] == libraries[1], result)

    def contracts(self):
        """Checks that --verify-stages fails after the stage that breaks its contract, and only
        there."""
        folder = os.path.join(self.folder, "verified")
        bug = self.inject("convoy-codegen-insert-line-info", "injected-allow-regrouping")
        result = self.run("compile", "elementwise", "-o", folder, "--verify-stages")
        self.expect("contracts hold without a bug", result.returncode == 0, result)
        result = self.run("compile", "elementwise", "-o", folder, "--verify-stages", *bug)
        self.expect("a broken contract is a bug in convoy",
                    result.returncode == OWN_BUG and "breaks [codegen.3]" in result.stderr and
                    "error: this is a bug in convoy: the codegen stage broke its contract "
                    "with the next stage" in result.stderr, result)

    def invalid_ir(self):
        """Without --verify-stages, the verifier runs once after the last pass of a stage on loops."""
        bug = self.inject("convoy-kernels-lower-math", "injected-change-type")
        result = self.run("compile", "elementwise", "-o", os.path.join(self.folder, "invalid"), *bug)
        self.expect("invalid IR of a stage on loops is a bug in convoy",
                    result.returncode == OWN_BUG and
                    "error: this is a bug in convoy: the kernels stage left invalid IR" in result.stderr and
                    result.stderr.splitlines()[-1].startswith(
                        "error: this is a bug in convoy, in stage kernels; reproducer: "), result)
        last, again = self.replay(result)
        self.expect("the reproducer of invalid IR repeats the error",
                    "requires the same type for all operands and results" in again.stderr and
                    again.returncode == 1, again)

    def replay(self, result):
        """Follows the last line of `convoy` and returns what the command prints."""
        last = result.stderr.splitlines()[-1]
        command = last.split("; replay: ", 1)[-1]
        bin_folder = os.path.dirname(self.tool)
        path = {"PATH": bin_folder + ":" + os.environ["PATH"]}
        return last, subprocess.run(command, shell=True, capture_output=True, text=True,
                                    timeout=LIMIT_SECONDS, cwd=self.folder, env={**os.environ, **path})

    def reproducer(self):
        """A stage that fails by our fault leaves a file, and the command that is named with
        it repeats the error."""
        file = os.path.join(self.folder, "elementwise.convoy-reproducer.mlir")
        for after, bug, stage, words in [
                ("convoy-place-check-cpu", "injected-remove-kind", "place",
                 "requires attribute 'kind'"),
                ("convoy-fusion-fuse-kernels", "injected-remove-kind", "fusion",
                 "requires attribute 'kind'"),
                ("convoy-codegen-insert-line-info", "injected-allow-regrouping", "codegen",
                 "breaks [codegen.3]"),
                ("convoy-layout-choose-layouts", "injected-abort", "layout", None)]:
            if os.path.exists(file):
                os.remove(file)
            result = self.run("compile", "elementwise", "-o", self.folder, "--verify-stages",
                              *self.inject(after, bug))
            last, again = self.replay(result)
            begin = f"error: this is a bug in convoy, in stage {stage}"
            named = "; reproducer: elementwise.convoy-reproducer.mlir; replay: convoy-opt "
            self.expect(f"{bug} in stage {stage} leaves a reproducer",
                        result.returncode == OWN_BUG and last.startswith(begin)
                        and named in last and os.path.exists(file)
                        and (words or "crashed: Aborted") in result.stderr, result)
            self.expect(f"the reproducer of {bug} in stage {stage} repeats the error",
                        (words in again.stderr and again.returncode == 1) if words
                        else again.returncode in (-6, 134), again)

    def stage_pipelines(self):
        """Each stage replays without an error of its own: the injected abort is the only one."""
        for stage, after in [("graph", "convoy-graph-fold-constants"),
                             ("quantize", "convoy-quantize-fold-weights"),
                             ("tasks", "convoy-outline-split-kernels"),
                             ("kernels", "convoy-kernels-lower-loops"),
                             ("bands", "convoy-bands-plan-bands"),
                             ("memory", "convoy-memory-plan-arena"),
                             ("schedule", "convoy-schedule-plan-workers"),
                             ("codegen", "convoy-codegen-insert-line-info")]:
            result = self.run("compile", "elementwise", "-o", self.folder, "--threads=2",
                              "--bands=always", *self.inject(after, "injected-abort"))
            _, again = self.replay(result)
            self.expect(f"stage {stage} can be replayed",
                        result.returncode == OWN_BUG and f"in stage {stage}" in result.stderr
                        and again.returncode in (-6, 134), again)

    @staticmethod
    def await_reader(fifo, process):
        """Waits until the process has opened the pipe. Its signal handlers are then installed."""
        while process.poll() is None:
            try:
                return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                time.sleep(0.01)
        sys.exit(f"FAILED: the command ended with {process.returncode} before it opened {fifo}")

    def command_reproducer(self):
        """A crash outside of the stages leaves a script with the command line."""
        fifo = os.path.join(self.folder, "blocked.onnx")
        if not os.path.exists(fifo):
            os.mkfifo(fifo)
        process = subprocess.Popen([self.tool, "compile", fifo, "-o", "it's here"],
                                   cwd=self.folder, stderr=subprocess.PIPE, text=True)
        writer = self.await_reader(fifo, process)
        process.send_signal(signal.SIGSEGV)
        _, errors = process.communicate(timeout=LIMIT_SECONDS)
        os.close(writer)
        process.stderr = errors
        script = os.path.join(self.folder, "blocked.convoy-reproducer.sh")
        with open(script, encoding="utf-8") as file:
            text = file.read()
        self.expect("a crash leaves a script", process.returncode == OWN_BUG and errors.endswith(
            "error: this is a bug in convoy; reproducer: blocked.convoy-reproducer.sh; replay: sh "
            "blocked.convoy-reproducer.sh\n") and f"compile {fifo} -o 'it'\\''s here'" in text,
                    subprocess.CompletedProcess([], process.returncode, "", errors + text))
        # With a model in place of the pipe the script ends like the command.
        os.remove(fifo)
        result = subprocess.run(["sh", script], capture_output=True, text=True, timeout=LIMIT_SECONDS)
        self.expect("the script repeats the command",
                    result.returncode == 1 and "blocked.onnx" in result.stderr, result)

    def flags(self):
        for flags, sentence in [
                (["--inject=cse"], "error: --inject: expected AFTER_PASS:PLUGIN_PASS, got 'cse'"),
                (["--inject=cse:no-such-pass"],
                 "error: --inject: no plug-in has a pass 'no-such-pass'; load it with "
                 "--load-pass-plugin"),
                (["--plant=cse"], "error: --inject: expected AFTER_PASS:PLUGIN_PASS, got 'cse'"),
                (["--load-pass-plugin=none.so"], "error: --load-pass-plugin: ")]:
            for verb in ["check", "run", "compile"]:
                result = self.run(verb, "chain", *flags)
                self.expect(f"{verb} {flags[0]}",
                            result.returncode == 1 and sentence in result.stderr, result)


def main():
    tool, plugin, folder = map(os.path.abspath, sys.argv[1:])
    make_models.write(folder)
    test = Test(tool, plugin, folder)
    test.right_without_bug()
    for case in CASES:
        test.finds(*case)
    for case in DEVICE_CASES:
        test.finds(*case, target=DEVICE)
    test.threads()
    test.sentence()
    test.golden()
    test.other_verbs()
    test.contracts()
    test.invalid_ir()
    test.reproducer()
    test.stage_pipelines()
    test.command_reproducer()
    test.flags()
    print(f"{len(CASES) + len(DEVICE_CASES)} injected bugs, {test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())

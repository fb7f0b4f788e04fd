# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A target description in a file runs a command only after --allow-toolchain, or if the user's configuration lists
the file with its hash.

  target_commands.py --convoy CONVOY --targets compiler/Targets --python FOLDER --scratch FOLDER

Each command of the descriptions is `sh -c 'touch RAN'`, so the file RAN shows that it ran.
"""

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

ALLOW = "--allow-toolchain"


class Cases:
    def __init__(self, options):
        self.convoy, self.targets, self.python = options.convoy, pathlib.Path(options.targets), options.python
        self.scratch = pathlib.Path(options.scratch).resolve()
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.config = self.scratch / "config"
        (self.config / "convoy").mkdir(parents=True)
        self.list = self.config / "convoy" / "allowed-toolchains"
        self.mark = self.scratch / "RAN"
        self.command = ["sh", "-c", f"touch {self.mark}; exit 1"]
        self.failures, self.count = [], 0
        self.model = self.write_model()

    def write_model(self):
        import onnx
        from onnx import TensorProto, helper

        ends = [helper.make_tensor_value_info(end, TensorProto.FLOAT, [1, 8]) for end in "xy"]
        graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", ends[:1], ends[1:])
        path = self.scratch / "small.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        return path

    def describe(self, name, change, base):
        target = json.loads((self.targets / f"{base}.json").read_text())
        change(target)
        path = self.scratch / f"{name}.json"
        path.write_text(json.dumps(target))
        return path

    def run(self, *words):
        self.mark.unlink(missing_ok=True)
        environment = {**os.environ, "XDG_CONFIG_HOME": str(self.config)}
        done = subprocess.run([*map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", cwd=self.scratch, env=environment)
        return done.returncode, done.stdout, self.mark.exists()

    def expect(self, name, isRight, text):
        self.count += 1
        if not isRight:
            self.failures.append(name)
            print(f"FAILED {name}: {text[-600:]}")

    def refuses(self, name, target, *words):
        """Expects that no command runs, and that the error names the command and both remedies."""
        code, text, ran = self.run(*words)
        told = [self.command[2], "--allow-toolchain", hashlib.sha256(pathlib.Path(target).read_bytes()).hexdigest(), "allowed-toolchains"]
        self.expect(name, code == 1 and not ran and all(word in text for word in told), f"code {code}, ran {ran}: {text}")

    def runs(self, name, *words):
        _, text, ran = self.run(*words)
        self.expect(name, ran, f"the command did not run: {text}")

    def finish(self):
        print(f"{self.count - len(self.failures)} of {self.count} cases are right")
        sys.exit(1 if self.failures or self.count == 0 else 0)


def verbs(cases, model, target):
    """The verbs that run commands of a microcontroller's description."""
    named = (model, "--target", target)
    return {"compile": ("compile", *named, "--max-flash=1M", "-o", "out"),
            "run": ("run", *named, "--input=random", "--cache=off"),
            "check": ("check", *named),
            "bench": ("bench", *named),
            "tune": ("tune", *named, "--trials=1", "--records", cases.scratch / "records.db")}


def board(cases):
    def change(target):
        for compiler in target["toolchain"]["compilers"]:
            compiler["command"] = cases.command
        target["toolchain"]["linker"]["command"] = cases.command
        target["toolchain"]["emulator"]["command"] = cases.command

    return cases.describe("board", change, "cortex-m4")


def foreign(cases):
    return cases.describe("foreign", lambda target: target.update(emulator=cases.command), "aarch64")


def test_flag(cases):
    target = board(cases)
    for verb, words in verbs(cases, cases.model, target).items():
        cases.refuses(f"{verb}, microcontroller", target, cases.convoy, *words)
        cases.runs(f"{verb}, microcontroller, {ALLOW}", cases.convoy, *words, ALLOW)
    emulated = foreign(cases)
    for verb in ("run", "check", "tune"):
        cases.refuses(f"{verb}, emulator", emulated, cases.convoy, *verbs(cases, cases.model, emulated)[verb])
    code, text, ran = cases.run(cases.convoy, "compile", cases.model, "--target", emulated, "-o", "out")
    cases.expect("compile without a command", code == 0 and not ran, text)
    code, text, ran = cases.run(cases.convoy, "targets", target)
    cases.expect("describe", code == 0 and not ran, text)


def test_compiler_of_custom_ops(cases):
    (cases.scratch / "ops.json").write_text(json.dumps({"ops": [{
        "domain": "com.example", "name": "Twice", "source": "twice.c", "function": "twice",
        "inputs": [{"name": "x", "types": ["float"]}], "outputs": [{"type": "x", "shape": ["x[0]", "x[1]"]}]}]}))
    target = cases.describe("compiler", lambda target: target.update(sourceCompiler=cases.command), "x86-64-v2")
    (cases.scratch / "twice.c").write_text("int x;\n")
    import onnx
    from onnx import TensorProto, helper

    ends = [helper.make_tensor_value_info(end, TensorProto.FLOAT, [1, 8]) for end in "xy"]
    node = helper.make_node("Twice", ["x"], ["y"], domain="com.example")
    graph = helper.make_graph([node], "g", ends[:1], ends[1:])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.example", 1)]
    path = cases.scratch / "twice.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    words = ("compile", path, "--custom-ops", cases.scratch / "ops.json", "--target", target, "-o", "out")
    cases.refuses("compile, custom op", target, cases.convoy, *words)
    cases.runs(f"compile, custom op, {ALLOW}", cases.convoy, *words, ALLOW)


def test_list(cases):
    target = board(cases)
    words = verbs(cases, cases.model, target)["check"]

    def line(path, text):
        return f"{hashlib.sha256(text.encode()).hexdigest()}  {path}\n"

    text = target.read_text()
    cases.list.write_text("a line that is no entry\n" + line(target, text))
    cases.runs("check, listed", cases.convoy, *words)
    target.write_text(text + "\n")
    cases.refuses("check, listed and changed", target, cases.convoy, *words)
    target.write_text(text)
    cases.list.write_text(line(cases.scratch / "other.json", text))
    cases.refuses("check, another path is listed", target, cases.convoy, *words)
    link = cases.scratch / "link.json"
    link.symlink_to(target)
    cases.list.write_text(line(target, text))
    cases.runs("check, link to a listed file", cases.convoy, *verbs(cases, cases.model, link)["check"])
    cases.list.unlink()


def test_python(cases):
    if not cases.python:
        print("the Python package is not built: its cases are skipped")
        return
    target = board(cases)
    program = "import sys\nsys.path.insert(0, sys.argv[1])\nimport convoy, numpy\n" \
              "try:\n    convoy.compile(sys.argv[2], target=sys.argv[3], allow_toolchain=len(sys.argv) > 4)\n" \
              "except convoy.Error as error:\n    print(error)\n"
    words = ("/usr/bin/python3", "-c", program, cases.python, cases.model, target)
    code, text, ran = cases.run(*words)
    cases.expect("Python", code == 0 and not ran and cases.command[2] in text and "allow_toolchain" in text, text)
    cases.runs("Python, allow_toolchain", *words, "allow")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--convoy", "--targets", "--scratch"):
        parser.add_argument(name, required=True)
    parser.add_argument("--python", default="", help="the folder of the Python packages (default: none)")
    cases = Cases(parser.parse_args())
    for test in (test_flag, test_compiler_of_custom_ops, test_list, test_python):
        test(cases)
    cases.finish()


if __name__ == "__main__":
    main()

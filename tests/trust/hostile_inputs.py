# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hostile files end with exit code 0, 1 or 2, within limits of time and memory, without a file outside of the
output folder and without control characters on the terminal.

  hostile_inputs.py --convoy CONVOY --scratch FOLDER [--archive hostile.tar.xz | --generated] [--every N] [--only TEXT]

Without --archive and --generated, the inputs are those of known faults. With --archive, they are the files of the archive;
with --generated, those of hostile_models.py and hostile_files.py. --every runs one of N inputs.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import time

import hostile_files
import hostile_models

SECONDS, BYTES = 60, 4 << 30
FEW_SECONDS = 10  # of the generated inputs, which have no work to do
DEEP = "[" * 500_000
OUTPUT = "text"  # the file of the text of a run
# Control characters of ASCII and of Latin-1. A terminal without UTF-8 obeys the second kind.
CONTROL = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]")


class Runner:
    def __init__(self, options):
        self.convoy, self.only = pathlib.Path(options.convoy).resolve(), options.only
        self.scratch = pathlib.Path(options.scratch).resolve()
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.place = self.scratch / "place"
        self.place.mkdir(parents=True)
        self.home, self.temporary = self.scratch / "home", self.scratch / "temporary"
        self.home.mkdir()
        self.temporary.mkdir()
        self.wrong, self.count, self.slowest = [], 0, (0, "")
        self.seen, self.every = 0, options.every

    def file(self, name, content):
        path = self.scratch / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def limit(self):
        resource.setrlimit(resource.RLIMIT_AS, (3 * BYTES, 3 * BYTES))  # protects this machine; the test is of the peak
        resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES, BYTES))
        os.setsid()

    def run(self, name, *arguments, says="", codes=(0, 1, 2), seconds=SECONDS, keep=None):
        """Runs convoy in an empty folder. `keep` gets the content of the files of the output folder by name."""
        self.seen += 1
        if self.only not in name or (self.seen % self.every and keep is None):
            return
        self.count += 1
        before = set(os.listdir(self.scratch)) | {OUTPUT}
        start = time.monotonic()
        code, peak = self.wait(arguments, start, seconds)
        spent = time.monotonic() - start
        self.slowest = max(self.slowest, (spent, name))
        text = (self.scratch / OUTPUT).read_bytes().decode(errors="replace")
        if keep is not None:
            keep.update({path.name: path.read_bytes() for path in (self.place / "out").glob("*")})
        faults = [f"exit code {code}" if code not in codes else "", f"{spent:.0f} s" if spent > seconds else "",
                  f"{peak >> 20} MiB" if peak > BYTES else "", "control characters" if CONTROL.search(text) else "",
                  f"does not say '{says}'" if says not in text else "", *self.strays(before)]
        faults = [fault for fault in faults if fault]
        if faults:
            self.fail(name, f"{', '.join(faults)}: {text[-400:].strip()}")

    def wait(self, arguments, start, seconds):
        """Returns the exit code and the largest memory of a run of convoy, which writes its text to OUTPUT."""
        places = {"HOME": str(self.home), "TMPDIR": str(self.temporary)}
        with open(self.scratch / OUTPUT, "wb") as text:
            child = subprocess.Popen([self.convoy, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=text, stderr=text,
                                     cwd=self.place, preexec_fn=self.limit, env={**os.environ, **places})
            while (ended := os.wait4(child.pid, os.WNOHANG))[0] == 0:
                if time.monotonic() - start > seconds:
                    os.killpg(child.pid, signal.SIGKILL)
                    ended = os.wait4(child.pid, 0)
                    break
                time.sleep(0.005)
        return os.waitstatus_to_exitcode(ended[1]), ended[2].ru_maxrss * 1024

    def fail(self, name, text):
        self.wrong.append(name)
        print(f"WRONG {name}: {text}", flush=True)

    def strays(self, before):
        """Removes the output folder. Returns what the run wrote elsewhere."""
        shutil.rmtree(self.place / "out", ignore_errors=True)
        found = [self.scratch / name for name in set(os.listdir(self.scratch)) - before]
        found += [folder / name for folder in (self.place, self.temporary) for name in os.listdir(folder)]
        for path in found:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        return [f"wrote {path.relative_to(self.scratch)}" for path in sorted(found)]

    def finish(self):
        print(f"{self.count - len(self.wrong)} of {self.count} hostile inputs end as they should; slowest: "
              f"{self.slowest[1]}, {self.slowest[0]:.1f} s")
        sys.exit(1 if self.wrong or self.count == 0 else 0)


def named_model(runner, word):
    """A model whose names, op types and domain contain a word."""
    import onnx
    from onnx import TensorProto, helper

    ends = [helper.make_tensor_value_info(end + word, TensorProto.FLOAT, [1, 4]) for end in "xy"]
    nodes = [helper.make_node("Relu", [ends[0].name], ["h" + word], name="relu" + word),
             helper.make_node("Odd" + word, ["h" + word], [ends[1].name], name="odd" + word)]
    plain = [nodes[0], helper.make_node("Relu", ["h" + word], [ends[1].name], name="second" + word)]
    paths = []
    for kind, list_of in (("odd", nodes), ("plain", plain)):
        graph = helper.make_graph(list_of, "g" + word, ends[:1], ends[1:])
        paths.append(runner.scratch / f"{kind}.onnx")
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), paths[-1])
    return paths


def small_model(runner, name="small.onnx", layers=1):
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    weights = numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")
    nodes = [helper.make_node("MatMul", ["x" if k == 0 else f"h{k - 1}", "w"], ["y" if k == layers - 1 else f"h{k}"])
             for k in range(layers)]
    ends = [helper.make_tensor_value_info(end, TensorProto.FLOAT, [1, 4]) for end in "xy"]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [weights])
    path = runner.scratch / name
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def npy(shape, data=b""):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


def json_cases(runner, model):
    levels = "nested levels, expected at most 64"
    data = runner.file("data.npy", npy("(8, 1, 4)", bytes(128)))
    deep = {name: runner.file(f"deep{name}", DEEP) for name in (".json", ".jsonl")}
    runner.run("deep target", "compile", model, "--target", deep[".json"], "-o", "out", says=levels, codes=(1,), seconds=FEW_SECONDS)
    for name, arguments in {
            "kernel times": ("compile", model, "--threads=2", "--kernel-times", deep[".json"], "-o", "out"),
            "plan": ("quantize", model, "--data", data, "--plan", deep[".json"], "-o", "out/q.onnx"),
            "data set": ("quantize", model, "--data", deep[".json"], "-o", "out/q.onnx"),
            "matrix": ("bench", "--matrix", deep[".json"]),
            "space": ("tune", model, "--records", "out/r.db", "--space", deep[".json"], "--trials=1"),
            "compare": ("bench", "--compare", deep[".json"], deep[".json"]),
            "records": ("records", "import", deep[".jsonl"], "-o", "out/r.db")}.items():
        runner.run(f"deep {name}", *arguments, says=levels, codes=(1,), seconds=FEW_SECONDS)
    runner.run("deep custom ops", "compile", model, "--custom-ops", deep[".json"], "-o", "out", says="more than 64 nested lists",
               codes=(1,), seconds=FEW_SECONDS)
    many = {"format": "convoy plan", "version": 1, "activations": [{"tensor": f"t{k}", "type": "u8"} for k in range(100_000)]}
    runner.run("plan of 100000 wrong entries", "quantize", model, "--data", data, "--plan", runner.file("many.json", json.dumps(many)),
               "-o", "out/q.onnx", codes=(1,), seconds=FEW_SECONDS)


def data_cases(runner, model):
    bomb = runner.file("bomb.npy", npy("(1000000000, 0, 8)"))
    for name, arguments in {
            "npy bomb": ("run", model, "--data", bomb),
            "npy bomb for quantize": ("quantize", model, "--data", bomb, "-o", "out/q.onnx"),
            "data from a device": ("run", model, "--input", "x=/dev/zero"),
            "labels from a device": ("quantize", model, "--data", runner.file("d.npy", npy("(8, 1, 4)", bytes(128))),
                                     "--labels", "/dev/zero", "-o", "out/q.onnx"),
            "model from a device": ("compile", "/dev/zero", "-o", "out"),
            "loadable from a device": ("inspect", "/dev/zero")}.items():
        runner.run(name, *arguments, codes=(1,), seconds=FEW_SECONDS)
    link = runner.scratch / "link.json"
    link.symlink_to("/dev/zero")
    for name, flag in {"custom ops": "--custom-ops=/dev/zero", "target": f"--target={link}", "CPU": f"--cpu={link}",
                       "kernel times": "--kernel-times=/dev/zero", "abstract device": "--target=abstract:file=/dev/zero"}.items():
        more = {"CPU": ["--target=nvdla-full"], "kernel times": ["--threads=2"]}.get(name, [])
        runner.run(f"{name} from a device", "compile", model, "-o", "out", flag, *more, says="it is a device; expected a file",
                   codes=(1,), seconds=FEW_SECONDS)


def name_cases(runner, model):
    for name in ("9x", "a b", "../esc", "a/b", "a" * 5000, "convoy"):
        runner.run(f"--name {name[:8]!r}", "compile", model, "-o", "out", f"--name={name}", codes=(1,), seconds=FEW_SECONDS)


def terminal_cases(runner, model):
    """Control characters in names reach the terminal as escapes."""
    for name, word in {"escape": "\x1b[31m", "return": "\r", "delete": "\x7f", "C1": "\x9b31m"}.items():
        shown = {"\x1b[31m": "\\x1B[31m", "\r": "\\x0D", "\x7f": "\\x7F", "\x9b31m": "\\x9B31m"}[word]
        odd, plain = named_model(runner, word)
        runner.run(f"{name} in an op", "compile", odd, "-o", "out", says=shown, codes=(2,), seconds=FEW_SECONDS)
        runner.run(f"{name} in names", "inspect", plain, says=shown, codes=(0,), seconds=FEW_SECONDS)
        runner.run(f"{name} in explain", "explain", plain, codes=(0,), seconds=FEW_SECONDS)
        runner.run(f"{name} in --name", "compile", model, "-o", "out", f"--name=a{word}", says=shown, codes=(1,), seconds=FEW_SECONDS)


def bomb_cases(runner):
    """Small files whose messages, constants or ends are large."""
    import onnx
    from onnx import TensorProto, helper

    def save(name, nodes, inputs, outputs):
        graph = helper.make_graph(nodes, "g", inputs, outputs)
        path = runner.scratch / name
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        return path

    def end(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    empty = b"\x08\x08\x3a" + _length(20_000_000 * 2) + b"\x0a\x00" * 20_000_000
    nodes = runner.file("nodes.onnx", empty)
    runner.run("20 million empty nodes", "compile", nodes, "-o", "out", says="take more than 1024 MiB of memory", codes=(1,), seconds=FEW_SECONDS)
    runner.run("20 million empty nodes, inspect", "inspect", nodes, says="take more than 1024 MiB of memory", codes=(1,), seconds=FEW_SECONDS)
    some = b"\x08\x08\x3a" + _length(300_000 * 2) + b"\x0a\x00" * 300_000
    runner.run("300000 empty nodes", "compile", runner.file("some.onnx", some), "-o", "out", says="more than 262144 nodes", codes=(2,), seconds=FEW_SECONDS)

    identity = [helper.make_node("Relu", ["x"], [f"y{k}"]) for k in range(8000)]
    ends = save("ends.onnx", identity, [end("x", [1, 4])], [end(f"y{k}", [1, 4]) for k in range(8000)])
    runner.run("8000 outputs", "compile", ends, "-o", "out", says="has 8000 outputs, expected at most 4096", codes=(2,), seconds=FEW_SECONDS)

    shape = helper.make_node("Constant", [], ["s"], value_ints=[256, 256])
    grown = [shape, helper.make_node("ConstantOfShape", ["s"], ["c0"])]
    for k in range(6):  # 256 KiB to 1 GiB
        grown.append(helper.make_node("Concat", [f"c{k}"] * 4, [f"c{k + 1}"], axis=k % 2))
    chain = grown + [helper.make_node("MatMul", ["c5", "c5"], ["p0"])]
    chain += [helper.make_node("MatMul", ["c5", f"p{k}"], [f"p{k + 1}"]) for k in range(4)]
    chain += [helper.make_node("ReduceSum", ["p4"], ["r"], keepdims=0), helper.make_node("Add", ["x", "r"], ["y"])]
    runner.run("products of grown constants", "compile", save("products.onnx", chain, [end("x", [1])], [end("y", [1])]), "-o", "out",
               codes=(0, 1, 2))


    weight = [helper.make_tensor("w", TensorProto.FLOAT, [1, 1, 3, 3], [0.5] * 9)]
    scales = [helper.make_tensor("s", TensorProto.FLOAT, [4], [1, 1, 1, 2])]
    square = [helper.make_tensor("m", TensorProto.FLOAT, [16, 8], [0.5] * 128)]
    for name, node, shape, ranks, held, says in (
            ("convolution of 2^31 rows", helper.make_node("Conv", ["x", "w"], ["y"]), [1, 1, 1 << 31, 1024], 4, weight, ""),
            ("product of 2^40 rows", helper.make_node("MatMul", ["x", "m"], ["y"]), [1 << 40, 16], 2, square, ""),
            ("resize to 2^32 columns", helper.make_node("Resize", ["x", "", "s"], ["y"], mode="linear"), [1, 1, 1, 1 << 31], 4, scales,
             "needs a table of")):
        graph = helper.make_graph([node], "g", [end("x", shape)], [end("y", [None] * ranks)], held)
        path = runner.scratch / "large.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        runner.run(name, "compile", path, "-o", "out", says=says)

    texts = [helper.make_node("StringConcat", ["t", "t"], ["t0"])]
    texts += [helper.make_node("StringConcat", [f"t{k}", f"t{k}"], [f"t{k + 1}"]) for k in range(34)]
    graph = helper.make_graph(texts, "g", [], [helper.make_tensor_value_info("t34", TensorProto.STRING, [1])],
                              [helper.make_tensor("t", TensorProto.STRING, [1], [b"abcd"])])
    path = runner.scratch / "texts.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), path)
    runner.run("chain of texts", "compile", path, "-o", "out")


def target_cases(runner, model, targets):
    """Fields that contradict each other."""
    target = json.loads((targets / "x86-64-v3.json").read_text())
    target["features"] = [name for name in target["features"] if name != "fma"]
    runner.run("fused products without the feature", "compile", model, "--target", runner.file("fma.json", json.dumps(target)), "-o", "out",
               says='target.hasFma expects the feature "fma"', codes=(1,), seconds=FEW_SECONDS)


def _length(size):
    """A length of protobuf."""
    out = b""
    while size > 127:
        out, size = out + bytes([size & 127 | 128]), size >> 7
    return out + bytes([size])


def loadable_cases(runner):
    """An empty file, a header alone, and random bytes."""
    for name, content in {"empty": b"", "zeros": bytes(4096), "ones": b"\xff" * 4096, "offset": b"\x04\0\0\0" * 64}.items():
        runner.run(f"loadable of {name}", "inspect", runner.file(f"{name}.nvdla", content), codes=(1,), seconds=FEW_SECONDS)


def database_cases(runner, model):
    tables = "CREATE TABLE meta(key TEXT, value TEXT);"
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    for name, schema in {
            "endless view": f"CREATE VIEW trial AS {endless};",
            "blob view": "CREATE VIEW trial AS SELECT hex(zeroblob(1000000000)) AS task;",
            "trigger": tables + "CREATE TABLE trial(id); INSERT INTO trial VALUES(1);"
                       "CREATE TRIGGER t AFTER DELETE ON trial BEGIN INSERT INTO trial VALUES(2); END;",
            "view of the schema version": f"CREATE VIEW meta AS {endless};"}.items():
        path = runner.scratch / "bad.db"
        path.unlink(missing_ok=True)
        base = sqlite3.connect(path)
        base.executescript(schema)
        base.close()
        for arguments in (("compile", model, "--records", path, "-o", "out"), ("records", "list", path)):
            runner.run(f"{name}, {arguments[0]}", *arguments, seconds=FEW_SECONDS)


def known_faults(runner):
    model = small_model(runner)
    json_cases(runner, model)
    data_cases(runner, model)
    name_cases(runner, model)
    terminal_cases(runner, model)
    bomb_cases(runner)
    target_cases(runner, model, pathlib.Path(__file__).resolve().parents[2] / "compiler/Targets")
    loadable_cases(runner)
    database_cases(runner, model)


def archived(runner, archive):
    with tarfile.open(archive) as packed:
        packed.extractall(runner.scratch)
    root, model = runner.scratch / "hostile", small_model(runner)
    for path in sorted([*root.glob("h/*.onnx"), *root.glob("fz/*.onnx")]):
        runner.run(path.name, "compile", path, "-o", "out")
    for path in sorted(root.glob("n/*.nvdla")):
        runner.run(path.name, "inspect", path)
    for path in sorted(root.glob("j/*.json")):
        runner.run(path.name, "compile", model, "--target", path, "-o", "out")
    for path in sorted(root.glob("j/*.jsonl")):
        runner.run(path.name, "records", "import", path, "-o", "out/r.db")
    for path in sorted(root.glob("db/*.db")):
        runner.run(path.name, "compile", model, "--records", path, "-o", "out")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--convoy", "--scratch", "--archive"):
        parser.add_argument(name)
    parser.add_argument("--only", default="")
    parser.add_argument("--generated", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    runner = Runner(options)
    if options.archive:
        archived(runner, options.archive)
    elif options.generated:
        hostile_models.run_models(runner)
        hostile_files.run_files(runner, small_model(runner))
    else:
        known_faults(runner)
    runner.finish()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes hostile inputs other than models for generated_inputs.py: JSON of each kind, records, arrays, images, loadables,
declarations of custom ops and flags."""

import copy
import json
import pathlib
import random
import sqlite3
import struct
import zlib

from hostile_models import base_model

ROOT = pathlib.Path(__file__).resolve().parents[2]
LARGE = 2**62


def leaves(value, path=()):
    """Yields the path of each value inside a JSON value. Of a list, only the first two elements."""
    if path:
        yield path
    children = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, child in children:
        yield from leaves(child, (*path, key))


def wrong_values(value):
    if isinstance(value, bool):
        return [2, "true", None]
    if isinstance(value, (int, float)):
        return [-1, 0, LARGE, 1e308, "1", None, 0.5]
    if isinstance(value, str):
        return ["", "a" * 100_000, "\x1b[31m", "x\n#error y", "../../x", 7, None]
    return [None, [], {"": 1}, [[[]]], 3, [None] * 5000]


def changed(value, path, other):
    result = copy.deepcopy(value)
    inner = result
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = other
    return result


def changed_json(value, kinds):
    """Yields (name, text): each part of a JSON value replaced by `kinds` wrong values, and wrong texts."""
    for path in leaves(value):
        inner = value
        for key in path:
            inner = inner[key]
        wrong = wrong_values(inner)
        name = ".".join(map(str, path))
        first = zlib.crc32(name.encode())
        for k in range(kinds):
            yield f"{name} {k}", json.dumps(changed(value, path, wrong[(first + k) % len(wrong)]))
    text = json.dumps(value)
    yield "truncated", text[: len(text) // 2]
    yield "two values", text + text
    yield "wrong UTF-8", text.replace('"', '"\udcff', 1)
    yield "a null character", text.replace("{", "{\0", 1)
    yield "an unknown key", json.dumps({"": {"\x1b[31m": []}, **value}) if isinstance(value, dict) else "[1e999]"
    yield "a number of 100000 digits", "9" * 100_000


def write(runner, name, content):
    return runner.file(name, content.encode(errors="surrogateescape") if isinstance(content, str) else content)


def run_json(runner, kind, value, kinds, *arguments):
    """Runs convoy with each changed file in the place of the argument FILE."""
    for name, text in changed_json(value, kinds):
        path = write(runner, "changed.json", text)
        runner.run(f"{kind}, {name}", *[path if argument == "FILE" else argument for argument in arguments])


def run_descriptions(runner, model):
    target = json.loads((ROOT / "compiler/Targets/x86-64-v3.json").read_text())
    run_json(runner, "target", target, 1, "compile", model, "--target", "FILE", "-o", "out")
    micro = json.loads((ROOT / "compiler/Targets/cortex-m4.json").read_text())
    micro["toolchain"]["libraryStack"] = micro["toolchain"]["libraryStack"][:1]
    run_json(runner, "microcontroller", micro, 1, "compile", model, "--target", "FILE", "-o", "out")
    run_json(runner, "CPU", target, 1, "compile", model, "--target=nvdla-full", "--cpu", "FILE", "-o", "out")


def run_settings(runner, model):
    """Files of settings: the space of the tuner, kernel times, the matrix and the comparison of `bench`."""
    space = {"conv_direct": {"unroll": [4, 8], "tile": {"add": [[5, 4]], "remove": [[1, 1]]}}, "winograd": False}
    run_json(runner, "space", space, 2, "tune", model, "--list-tasks", "--space", "FILE")
    measured = {"models": [{"model": "m", "layers": [{"kernel": "k", "name": "n", "median_ns": 5.0, "ns": 5}]}]}
    run_json(runner, "kernel times", measured, 1, "compile", model, "--threads=2", "--kernel-times", "FILE", "-o", "out")
    run_json(runner, "comparison", measured, 1, "bench", "--compare", "FILE", "FILE")
    matrix = {"models": ["nowhere.onnx"], "targets": ["host"], "threads": [1], "flags": [["--math=strict"]]}
    run_json(runner, "matrix", matrix, 2, "bench", "--matrix", "FILE")


def run_custom_ops(runner):
    import onnx
    from onnx import TensorProto, helper

    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in "xy"]
    node = helper.make_node("Own", ["x"], ["y"], "own", domain="com.example", rows=3)
    graph = helper.make_graph([node], "own", ends[:1], ends[1:])
    model = runner.scratch / "own.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("com.example", 1)], ir_version=8), model)
    runner.file("own.c", "int own(void) { return 1; }\n")
    op = {"domain": "com.example", "name": "Own", "source": "own.c", "function": "own", "inputs": [{"name": "x", "types": ["float"]}],
          "attributes": [{"name": "rows", "type": "int", "default": 2}],
          "outputs": [{"type": "x", "shape": ["x[0]", "rows"]}], "operations": "x[0] * rows"}  # fmt: skip
    run_json(runner, "custom op", {"ops": [op]}, 1, "inspect", model, "--custom-ops", "FILE")
    for k, text in enumerate(("1 / 0", "x[0] % 0", "x[9]", "x[-9]", "(" * 10_000, "9223372036854775807 + 1", "rows * " * 5000 + "1", "-1", "x",
                              "nowhere", "1 -", "\x1b[31m", "0 - 9223372036854775807 - 1", "x[rows]")):  # fmt: skip
        declared = changed({"ops": [op]}, ("ops", 0, "outputs", 0, "shape", 1), text)
        runner.run(f"custom op, dimension {k}", "inspect", model, "--custom-ops", write(runner, "changed.json", json.dumps(declared)))


def npy_header(text, version=1):
    data = text.encode()
    size = struct.pack("<H", len(data)) if version == 1 else struct.pack("<I", len(data))
    return b"\x93NUMPY" + bytes([version, 0]) + size + data


def run_arrays(runner, model):
    """Arrays and data sets."""
    shapes = ("(8, 1, 4)", "(-1, 4)", "()", "(4,", "(4611686018427387904, 4)", "(0, 4)", "(1, 4, 0)", "(1e3, 4)", "(True, 4)", "'x'", "(" * 5000,
              "(1," * 70 + "4)", "(8, 1, 4), 'shape': (1, 4)")  # fmt: skip
    texts = {f"shape {shape[:12]} {k}": f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n" for k, shape in enumerate(shapes)}
    for kind in ("|O", ">f4", "<f99", "<U1000000000", "V8", "<i8", "[('a', '<f4')]", "", "\x1b[31m"):
        texts[f"type {kind[:8]!r}"] = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': (8, 1, 4), }}\n"
    texts["Fortran order"] = "{'descr': '<f4', 'fortran_order': True, 'shape': (8, 1, 4), }\n"
    files = {name: npy_header(text) + bytes(128) for name, text in texts.items()}
    files["version 3"] = npy_header(texts["Fortran order"], 3) + bytes(128)
    files["version 9"] = npy_header(texts["Fortran order"], 9)
    files["a header of 4 GB"] = b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b" " * 100
    files["no data"] = npy_header(texts[f"shape {shapes[0]} 0"])
    for k, (name, content) in enumerate(files.items()):
        path = runner.file("a.npy", content)
        verb, *flags = (("run", "--data", path), ("quantize", "--data", path, "-o", "out/q.onnx"), ("run", "--input", path))[k % 3]
        runner.run(f"array, {name}, {verb}", verb, model, *flags)
    data = {"data": "good.npy", "labels": "labels.txt", "mean": [0.5], "std": [0.5], "scale": 1, "samples": 4}
    runner.file("good.npy", npy_header(texts[f"shape {shapes[0]} 0"]) + bytes(128))
    runner.file("labels.txt", "0\n" * 8)
    run_json(runner, "data set", data, 2, "run", model, "--data", "FILE")
    for k, labels in enumerate(("", "x", "-1\n" * 8, "99999999999999999999\n" * 8, "1.5\n" * 8, "\0" * 8, "0\n" * 7, "0 0 0\n" * 8)):
        runner.run(f"labels {k}", "run", model, "--data", runner.scratch / "good.npy", "--labels", runner.file("l.txt", labels))


def png(width, height, depth=8, color=2, rows=None, interlace=0):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace)
    rows = rows if rows is not None else zlib.compress(b"\0" * (1 + 3 * 8) * 8)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def bmp(width, height, bits=24, offset=54, size=54):
    return b"BM" + struct.pack("<IHHIIiiHHIIiiII", size, 0, 0, offset, 40, width, height, 1, bits, 0, 0, 0, 0, 0, 0) + bytes(192)


def run_images(runner, model):
    good = png(8, 8)
    files = {"size 0": png(0, 0), "size 2^31": png(2**31 - 1, 2**31 - 1), "size 60000": png(60_000, 60_000), "depth 3": png(8, 8, 3),
             "color 9": png(8, 8, 8, 9), "palette without a palette": png(8, 8, 8, 3), "interlace 7": png(8, 8, interlace=7),
             "no rows": png(8, 8, rows=b""), "bomb": png(40_000, 40_000, rows=zlib.compress(bytes(1 << 24), 9)),
             "half": good[: len(good) // 2], "no end": good[:-12], "wrong sum": good[:-20] + b"\0" * 20}  # fmt: skip
    files = {f"{name}.png": content for name, content in files.items()}
    files |= {"size 2^31.bmp": bmp(2**31 - 1, 2**31 - 1), "least height.bmp": bmp(8, -(2**31)), "bits 77.bmp": bmp(8, 8, 77),
              "offset.bmp": bmp(8, 8, offset=2**32 - 1), "palette.bmp": bmp(8, 8, 8), "head.bmp": b"BM", "negative.bmp": bmp(-8, 8),
              "head.jpg": b"\xff\xd8\xff", "frame.jpg": b"\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03" + bytes(99)}  # fmt: skip
    for name, content in files.items():
        runner.run(f"image, {name}", "run", model, "--input", runner.file(f"image{pathlib.Path(name).suffix}", content))


def run_records(runner, model):
    record = {"artifact": "a", "compiler": "c", "configuration": "#kernel.conv_direct<>", "inputLayout": "planar", "message": "", "outcome": "ok",
              "outputLayout": "planar", "policy": "warm", "samples": [[1, 5, 5, True]], "sentinelNs": 0, "target": "t", "task": "task",
              "template": "conv_direct", "trial": "0" * 32, "unixUs": 1, "version": 1}  # fmt: skip
    for name, text in changed_json(record, 2):
        path = write(runner, "r.jsonl", '{"convoy-records":2}\n' + text + "\n")
        runner.run(f"records, {name}", "records", "import", path, "--into", "out/r.db")
    column = "id, task, target, template, version, policy, configuration, input_layout, output_layout, outcome, message, samples"
    for k, value in enumerate(("NULL", "zeroblob(1000000)", "'[[['", "1e999", "x'ff00'", "-1", "'" + "(" * 5000 + "'")):
        path = runner.scratch / "bad.db"
        path.unlink(missing_ok=True)
        base = sqlite3.connect(path)
        base.executescript(f"PRAGMA application_id = {0x43565954}; PRAGMA user_version = 2; CREATE TABLE task(hash, text);"
                           f"CREATE TABLE trial({column}, sentinel_ns, compiler, artifact, unix_us);"
                           f"CREATE TABLE verdict(id, network, target, policy, templates, choice, passed_over, samples, compiler, unix_us);"
                           f"INSERT INTO task VALUES({value}, {value}); INSERT INTO trial({column}) VALUES({', '.join([value] * 12)});")  # fmt: skip
        base.close()
        for arguments in (("compile", model, "--records", path, "-o", "out"), ("records", "list", path), ("records", "report", path)):
            more = ("--report", "out/r.html") if arguments[1] == "report" else ()
            runner.run(f"database of {value[:12]}, {' '.join(map(str, arguments[:1]))} {k}", *arguments, *more)


def run_loadables(runner):
    """Changes a loadable that the compiler wrote."""
    model = runner.file("device.onnx", base_model().SerializeToString())
    files = {}
    runner.run("loadable, compile", "compile", model, "--target=nvdla-full", "--emit=program", "-o", "out", codes=(0,), keep=files)
    data = next((content for name, content in files.items() if name.endswith(".nvdla")), b"")
    if not data:
        runner.fail("loadable, compile", f"expected a loadable, got {', '.join(files)}")
        return
    for seed in range(30):
        rng, other = random.Random(seed), bytearray(data)
        for _ in range(rng.randint(1, 8)):
            at = rng.randrange(0, len(other) - 4, 4)
            other[at : at + 4] = struct.pack("<I", rng.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, rng.randrange(2**16))))
        path = runner.file("l.nvdla", bytes(other))
        runner.run(f"loadable, changed words {seed}", "inspect", path, *((), ("--report", "out/l.svg"), ("--config=nv_full",))[seed % 3])
    for k in range(10):
        runner.run(f"loadable, truncated at {k}/10", "inspect", runner.file("l.nvdla", data[: len(data) * k // 10]))


FLAGS = {
    "compile": ("--threads=-1", "--threads=99999999999", "--threads=1e9", "--threads=", "--deadline=-1ms", "--deadline=1e308s", "--grain=nan",
                "--grain=-5us", "--weight-limit=-1", "--weight-limit=9223372036854775808", "--target=", "--target=../x", "--target=/dev/zero",
                "--cpu=nowhere", "--input-shape=x:", "--input-shape=x:0x0", "--input-shape=x:-1x4", "--input-shape=x:4611686018427387904x4",
                "--input-shape=:", "--dim==", "--dim=N=-1", "--const=x=/dev/zero", "--const=x=", "--calibrate=/proc", "--calibrate=/dev",
                "--records=/dev/zero", "--records=service:", "--records=service:file:///etc/passwd", "--report=/nowhere/x.html", "--trace=/proc/x",
                "--stop-after=\x1b[31m", "--emit=\x1b[31m", "--name=\x1b[31m", "--name=", "--max-ram=-1", "--max-flash=1e400", "--kernel-times=/dev",
                "--custom-ops=/dev/zero", "--mean=nan", "--std=0", "--resize=99999999999", "--json=/nowhere/x", "--nowhere", "--", "-o"),
    "run": ("--input=random:-1", "--input=random:99999999999999999999", "--input=nowhere=random", "--input=/", "--data=/", "--data=/proc/self",
            "--top=-1", "--jobs=-5", "--jobs=99999999", "--samples=0", "--samples=-1", "--cache-limit=-1", "--cache=/proc", "--class-names=/dev/zero",
            "--labels=/dev/full", "--output-format=x"),
    "bench": ("--repetitions=0", "--repetitions=-1", "--streams=-1", "--streams=100000000", "--threads=1,,2", "--baseline=x", "--baseline-library=/dev/null"),
    "tune": ("--trials=-1", "--trials=99999999999999999999", "--records=/proc/r.db", "--space=/dev/zero", "--service=x", "--service=https://"),
    "sweep": ("--pes=0", "--pes=-1", "--pes=9223372036854775807", "--memory=0", "--memory=1e30G", "--memory=-1", "--devices=abstract:pes=x",
              "--devices=abstract:" + "pes=1," * 5000, "--target=abstract:x", "--parallel=", "--tiling=x"),
    "quantize": ("--max-drop=-1%", "--max-drop=nan", "--attempts=0", "--attempts=1e9", "--weight-bits=5", "--calibrate-share=200%",
                 "--select-share=-1%", "--calibration-samples=-1", "--calibration-data=/proc"),
    "check": ("--golden=/dev", "--golden=/proc/self/fd", "--target=host,,", "--target=" + "host," * 2000, "--data=/dev/null"),
}  # fmt: skip
NEEDED = {"quantize": ("--data=DATA", "--output=out/q.onnx"), "compile": ("--output=out",), "tune": ("--records=out/r.db", "--list-tasks"),
          "sweep": ("--target=abstract",), "run": ("--input=random",)}  # fmt: skip


def run_flags(runner, model):
    for verb, flags in FLAGS.items():
        for flag in flags:
            needed = [part.replace("DATA", str(runner.scratch / "good.npy")) for part in NEEDED.get(verb, ())
                      if part.split("=")[0] != flag.split("=")[0]]  # fmt: skip
            runner.run(f"flag, {verb} {flag[:40]!r}", verb, model, *needed, flag)


def run_plans(runner, model):
    plan = {"format": "convoy plan", "version": 1, "activations": [{"tensor": "h", "type": "u8", "scale": 0.1, "zero": 3}],
            "weights": [{"tensor": "w", "type": "i8", "axis": 1}], "float": ["y"]}  # fmt: skip
    run_json(runner, "plan", plan, 2, "quantize", model, "--data", runner.scratch / "good.npy", "--plan", "FILE", "-o", "out/q.onnx")


def run_files(runner, model):
    """Runs all inputs of this module."""
    run_descriptions(runner, model)
    run_settings(runner, model)
    run_custom_ops(runner)
    run_arrays(runner, model)
    run_images(runner, runner.file("image.onnx", base_model().SerializeToString()))
    run_records(runner, model)
    run_loadables(runner)
    run_plans(runner, model)
    run_flags(runner, model)

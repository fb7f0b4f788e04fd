# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Valid inputs of the fuzz targets whose inputs are no models, by target and name. make_seeds.py writes them."""

import json
import struct
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = ("#kernel.conv_direct<block = 16, vectors = 2, pixels = 7, depth = 64, unroll = 4, columns = 0, rows = 1, panels = 1, "
                 "fetch = 0, fetchResult = false>")
TASK = """convoy-task 1
math fast
threads 1
func.func @main(%x: tensor<48x64xf32>, %w: tensor<64x32xf32> {graph.weight}) -> tensor<48x32xf32> {
  %0 = graph.kernel %x, %w {
  ^bb0(%i: tensor<48x64xf32>, %j: tensor<64x32xf32>):
    %1 = graph.matmul %i, %j : (tensor<48x64xf32>, tensor<64x32xf32>) -> tensor<48x32xf32>
    graph.yield %1 : tensor<48x32xf32>
  } : (tensor<48x64xf32>, tensor<64x32xf32>) -> tensor<48x32xf32>
  return %0 : tensor<48x32xf32>
}
"""


def npy(header, data, version=1):
    size = 10 if version == 1 else 12
    header += " " * (-(size + len(header) + 1) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode() + data


def npy_files():
    for kind, size in {"f4": 4, "i8": 8, "b1": 1, "c16": 16, "f2": 2}.items():
        order = "|" if size == 1 else "<"
        yield kind, npy(f"{{'descr': '{order}{kind}', 'fortran_order': False, 'shape': (2, 3), }}", bytes(6 * size))
    yield "columns", npy("{'descr': '>f4', 'fortran_order': True, 'shape': (2, 2), }", struct.pack(">4f", 1, 2, 3, 4))
    yield "scalar", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", bytes(8), version=2)
    yield "empty", npy("{'descr': '<u2', 'fortran_order': False, 'shape': (0, 5), }", b"", version=3)


def png(kind, depth, rows):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 4, len(rows), depth, kind, 0, 0, 0)
    palette = chunk(b"PLTE", bytes(range(48))) if kind == 3 else b""
    data = zlib.compress(b"".join(b"\x00" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + palette + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def bmp(bits, rows, colors=b"", compression=0):
    offset = 54 + len(colors)
    data = b"".join(row + bytes(-len(row) % 4) for row in rows)
    head = struct.pack("<IiiHHIIiiII", 40, 4, len(rows), 1, bits, compression, len(data), 2835, 2835, len(colors) // 4, 0)
    return b"BM" + struct.pack("<IHHI", offset + len(data), 0, 0, offset) + head + colors + data


def images():
    yield "rgb.png", png(2, 8, [bytes(range(12))] * 3)
    yield "gray.png", png(0, 8, [bytes(range(4))] * 3)
    yield "alpha.png", png(6, 8, [bytes(range(16))] * 2)
    yield "palette.png", png(3, 4, [bytes([1, 35])] * 2)
    yield "deep.png", png(2, 16, [bytes(range(24))] * 2)
    yield "rgb.bmp", bmp(24, [bytes(range(12))] * 3)
    yield "alpha.bmp", bmp(32, [bytes(range(16))] * 2)
    yield "palette.bmp", bmp(8, [bytes([0, 1, 2, 3])] * 2, bytes(range(16)))
    yield "runs.bmp", bmp(8, [bytes([4, 1, 0, 0, 4, 2, 0, 1])], bytes(range(16)), compression=1)
    yield "gray.pgm", b"P5\n4 2\n255\n" + bytes(range(8))
    yield "rgb.ppm", b"P6 # comment\n2 2 255\n" + bytes(range(12))
    yield "text.pbm", b"P1\n3 2\n1 0 1\n0 1 0\n"


def record(**changes):
    fields = {"trial": "0" * 31 + "1", "task": "conv 3x3", "target": "machine", "template": "conv_direct", "version": 2, "policy": "cold-weights",
              "configuration": CONFIGURATION, "inputLayout": "planar", "outputLayout": "#graph.blocked<c = 16>", "outcome": "ok", "message": "",
              "samples": [[10, 10000, 9999, 1], [10, 10020, 10000, 0]], "sentinelNs": 5, "compiler": "convoy 0.2.0", "artefact": "ab" * 32,
              "unixUs": 1700000000000000}
    return json.dumps({**fields, **changes}) + "\n"


def records():
    verdict = {"verdict": "a" * 32, "network": "convoy-network 1\n" + "ab" * 32 + " 2\n", "target": "machine", "templates": "conv_direct 2",
               "policy": "cold-weights", "choice": "tuned", "passedOver": [["ab" * 32]], "samples": [[100, 90]], "compiler": "convoy 0.2.0",
               "unixUs": 1700000000000000}
    yield "two", (json.dumps({"convoy-records": 2}) + "\n" + record() + record(trial="0" * 31 + "2", outcome="crash", samples=[])).encode()
    yield "verdict", (record() + json.dumps(verdict) + "\n").encode()


def traces():
    yield "rubik", b"""// copies
mem_init(pri_mem, 0x100, 8, ALL_ZERO);
mem_load(sec_mem, 0x200, "input.dat");
reg_write(NVDLA_RBK.D_DAOUT_ADDR_LOW_0, 0x100);
reg_write(NVDLA_RBK.D_OP_ENABLE_0, 0x1);
intr_notify(RBK_0, s);
check_crc(s, 1, 0x100, 0x8, 0x6522df69);
"""
    yield "pieces", b"{offset:0x0, size:4, payload:0x01 0x02 0x03 0x04}\n{offset:0x8, size:1, payload:0xff}\n"


def bm1880():
    relu = "".join(f"    {name}: {value}\n" for name, value in
                   (("bottom_gaddr", 0), ("top_gaddr", 64), ("negative_slope", 0.1), ("input_n", 1), ("input_c", 2), ("input_h", 3), ("input_w", 4)))
    yield "relu", ('# comment\n\ninst {\n  name: "relu1"\n  type: "bmnet_relu_fixed_forward_bmkernel"\n  relu {\n' + relu + "  }\n}\n\n").encode()


def plans():
    activations = [{"tensor": "x", "type": "u8", "scale": 0.5, "zeroPoint": 3, "tie": 1, "reason": "r"}, {"tensor": "y", "type": "f32"},
                   {"tensor": "z", "type": "i16", "scale": 1e-9, "zeroPoint": 0, "tie": 1}]
    weights = [{"tensor": "w", "type": "i4", "axis": 1, "rounding": "fitted", "correctsBias": True, "scales": [0.5, 2]}, {"tensor": "v", "type": "f32"}]
    yield "plan", json.dumps({"version": 1, "activations": activations, "weights": weights}).encode()


def custom_ops():
    op = {"domain": "d", "name": "N", "source": "fuzz.c", "function": "f", "inputs": [{"name": "x", "types": ["float", "int8"]}],
          "attributes": [{"name": "k", "type": "int", "default": 1}, {"name": "s", "type": "string", "default": "a"},
                         {"name": "l", "type": "floats", "default": [1, 2]}],
          "outputs": [{"type": "x", "shape": ["x[0]", "k * 2 + max(x[1], 3) / (1 + k)"]}], "operations": "k"}
    yield "ops", json.dumps({"ops": [op]}).encode()


def datasets():
    yield "full", json.dumps({"data": "images.npy", "labels": "/tmp/labels.npy", "mean": [0.485, 0.456, 0.406], "std": 0.2, "scale": 1, "crop": "center",
                              "color": "bgr", "layout": "nhwc", "resize": "320x240", "preprocess": "imagenet", "samples": 10}).encode()
    yield "kernels", json.dumps([{"kernel": "conv_0", "ms": 1.5}, {"kernel": "conv_0", "ms": 2}, {"kernel": "r", "ms": 0}]).encode()


def messages():
    candidate = {"id": "i", "library": "sha256:1", "symbol": "c0", "workspaceBytes": 64, "inputs": [{"file": "sha256:2", "bytes": 10}],
                 "outputs": [{"bytes": 20, "expected": "sha256:3"}]}
    configuration = {"template": "conv_direct", "version": 3, "text": CONFIGURATION, "input": "planar", "output": "planar"}
    plan = {"policy": "warm", "threads": 1, "samples": 5, "sampleMs": 1.5, "isInterleaved": True, "giveUpNs": 1e6, "timeoutMs": 100}
    work = {"stage": "measure", "trial": "job/3/4", "attempt": 2, "epoch": 7, "issue": 1, "class": "xeon", "task": "abc", "taskName": "conv",
            "configuration": configuration, "plan": plan, "candidate": candidate, "default": candidate, "model": "ab", "best": "cd"}
    token = {"epoch": 7, "attempt": 2, "issue": 1, "delivery": 3}
    files = [{"name": "a.so", "file": "sha256:4", "bytes": 5}]
    yield "measure", json.dumps(work).encode()
    yield "build", json.dumps({**work, "stage": "build", "target": "ef"}).encode()
    yield "samples", json.dumps({"stage": "measure", "trial": "t", "outcome": "ok", "message": "m", "worker": "w", "seconds": 1.5, **token,
                                 "samples": [[10, 2000, 1900, True]], "isDisturbed": False, "defaultSamples": [[1, 2, 3, False]], "sentinelNs": 5,
                                 "sentinelDrift": 0.1, "kilohertz": 1000, "celsius": 45.5}).encode()
    yield "built", json.dumps({"stage": "build", "trial": "t", "outcome": "build-error", **token, "candidate": candidate, "artefact": "ab",
                               "network": {"default": candidate, "files": files, "defaultFiles": files}}).encode()
    yield "started", json.dumps({"stage": "build", "trial": "t", "worker": "w", **token}).encode()
    yield "best", json.dumps({"ab": [{"text": CONFIGURATION, "input": "planar", "ns": 5.5}], "cd": []}).encode()


def api():
    """The first byte chooses the message by its position in service/api/tuning.proto."""
    lines = (ROOT / "service/api/tuning.proto").read_text().splitlines()
    names = [line.split()[1] for line in lines if line.startswith("message ")]
    job = {"project": "p", "idempotency_key": "k", "tasks": [{"name": "n", "text": TASK, "count": 2, "weight": 0.5}], "target_class": "c",
           "target": "{}", "threads": 4, "objective": "latency", "latency_us": 1.5, "max_trials": 10, "seed": 5, "ignores_stored": True}
    for name, fields in {"JobSpec": job, "JobName": {"id": "i"}, "DeviceRequest": {"name": "n", "reason": "r"}, "RecordLines": {"lines": record()},
                         "Configuration": {"template_id": "t", "template_version": 3, "text": CONFIGURATION}}.items():
        yield name, bytes([names.index(name)]) + json.dumps(fields).encode()
    yield "parameters", bytes([names.index("JobSpec")]) + b"project=p&threads=4&priority=-1&skips_network=true&latency_us=1.5"


def configurations():
    yield "product", ("#kernel.product<rows = 6>\n" + TASK).encode()
    yield "planar", ("\n" + TASK).encode()
    yield "conv", (CONFIGURATION + "\n" + TASK).encode()


def targets():
    for path in sorted((ROOT / "compiler/Targets").glob("*.json")):
        yield path.name, path.read_bytes()


def decisions():
    """fuzz_compile reads decisions: any bytes are valid."""
    for seed in range(8):
        state, data = seed + 1, bytearray()
        for _ in range(256):
            state = state * 48271 % 0x7FFFFFFF
            data.append(state & 0xFF)
        yield f"random-{seed}", bytes(data)


TEXTS = {"fuzz_api": api, "fuzz_bm1880": bm1880, "fuzz_compile": decisions, "fuzz_configuration": configurations, "fuzz_custom_ops": custom_ops,
         "fuzz_dataset": datasets, "fuzz_image": images, "fuzz_messages": messages, "fuzz_npy": npy_files, "fuzz_plan": plans,
         "fuzz_records": records, "fuzz_target": targets, "fuzz_trace": traces}

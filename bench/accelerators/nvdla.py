#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares Convoy with the official NVDLA compiler on networks in int8 or fp16.

  nvdla.py CONVOY MODELS OUT [--targets nvdla-small,nvdla-large] [--only resnet18,...] [--make] [--check] [--float]
           [--layers FILE] [--record FILE] [--against FILE]
  nvdla.py --page PAGE --record FILE

MODELS is a folder of networks that bench/make_models.py writes. --make creates the missing networks of --only. Each
float network is calibrated with one random sample; with --float, it runs in the fp16 of nvdla-full. A network with
QuantizeLinear nodes keeps its own scales. The script compiles
each network three times: for latency, for memory, and with the method of the official compiler (profile=separate: separate
pools, groups as dense weights, no Winograd). It prints a Markdown table: layers by unit (the parts of one layer count as
one), hardware operations (each part counts, as the official compiler counts its hardware layers), bytes that the file
fills, bytes of activations, cycles of the cost model, and the utilization of the MAC array. With --check, the simulator also runs each network; its outputs must equal the outputs of the reference byte for
byte up to a softmax (fp16: within the bounds of `convoy check`). --layers writes the cycles of each layer to a file, for
Convoy's method and for profile=separate. A target may have settings, for example nvdla-full:groups=dense.

--record adds the operations, cycles and MAC use of each network to a file of JSON, and --against compares them with such
a file: a network with more operations or more cycles fails. --page writes the record into the table of a page.

The figures of the official compiler were measured with random weights and profile fast-math.
"""

import argparse
import json
import os
import subprocess
import sys

import numpy

# (model, target): CONV + SDP + PDP + CDP layers, bytes filled, bytes of activations
OFFICIAL = {
    ("resnet18", "nvdla-small"): ("30/39/2/0", 19194560, 3530752),
    ("resnet18", "nvdla-large"): ("22/30/2/0", 19181028, 2056192),
    ("alexnet", "nvdla-full"): ("8/8/3/2", 209733448, 1650688),
    ("caffenet", "nvdla-full"): ("8/8/3/2", 209733448, 1970176),
    ("resnet18", "nvdla-full"): ("22/22/2/0", 38311172, 4202496),
    ("inception_v1", "nvdla-full"): ("58/58/14/2", 21028972, 3510272),
}
CONFIGS = {"nvdla-small": "nv_small", "nvdla-small-256": "nv_small_256", "nvdla-medium-512": "nv_medium_512",
           "nvdla-large": "nv_large", "nvdla-full": "nv_full"}
# products per cycle
PEAK = {"nvdla-small": 64, "nvdla-small-256": 256, "nvdla-medium-512": 512, "nvdla-large": 2048, "nvdla-full": 2048}
BEGIN, END = "<!-- measured -->\n", "<!-- end of measured -->\n"
MODES = ("optimize=latency", "optimize=memory", "profile=separate")


def base(target):
    """Returns the target without its settings."""
    return target.split(":")[0]


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr.strip()}")
    return done.stdout


def write_sample(convoy, model, folder):
    """Writes one random image with the shape of the model's input."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "sample.npy")
    if not os.path.exists(path):
        shape = [int(size) for size in input_shape(convoy, model)]
        numpy.save(path, numpy.random.default_rng(1).standard_normal(shape).astype(numpy.float32))
    return folder


def input_shape(convoy, model):
    import onnx
    graph = onnx.load(model, load_external_data=False).graph
    weights = {tensor.name for tensor in graph.initializer}
    value = next(value for value in graph.input if value.name not in weights)
    return [max(dim.dim_value, 1) for dim in value.type.tensor_type.shape.dim]


def make_models(folder, names):
    os.makedirs(folder, exist_ok=True)
    missing = [name for name in sorted(names) if not os.path.exists(os.path.join(folder, name + ".onnx"))]
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "make_models.py")
    for name in missing:
        call(sys.executable, script, folder, name)


def is_quantized(model):
    import onnx
    return any(node.op_type == "QuantizeLinear" for node in onnx.load(model, load_external_data=False).graph.node)


def calibration(samples):
    return ["--calibrate", samples] if samples else []


def compile_one(convoy, model, target, mode, samples, out):
    os.makedirs(out, exist_ok=True)
    made = json.loads(call(convoy, "compile", model, f"--target={target}:{mode}", "--emit=program", "--json",
                           *calibration(samples), "-o", out))
    units = {"CONV": 0, "SDP": 0, "PDP": 0, "CDP": 0}
    for layer in made["layers"]:
        for unit in layer["unit"].split("+"):
            units[unit] = units.get(unit, 0) + 1
    filled = activations = operations = macs = 0
    for path in made["files"]:
        inspected = json.loads(call(convoy, "inspect", path, "--json", "--config", CONFIGS[base(target)]))
        for memory in inspected["memories"]:
            if memory["is_input"] or memory["is_output"]:
                continue
            if memory["is_filled"]:
                filled += memory["bytes"]
            else:
                activations += memory["bytes"]
        operations += sum(len(task["ops"]) for task in inspected["tasks"])
        macs += sum(layer["macs"] for task in inspected["tasks"] for layer in task.get("estimate", []))
    return {"layers": "/".join(str(units[unit]) for unit in ("CONV", "SDP", "PDP", "CDP")), "regions": len(made["files"]),
            "filled": filled, "activations": activations, "operations": operations, "macs": macs,
            "cycles": sum(layer["cycles"] for layer in made["layers"]), "rows": made["layers"]}


def mac_use(result, target, is_float):
    peak = PEAK[base(target)] // (2 if is_float else 1)
    return 100 * result["macs"] / (peak * max(result["cycles"], 1))


def write_layers(out, name, target, results, is_float):
    """Writes one row per layer of both methods. A layer that is fused with another one has no cycles of its own."""
    ours, separate = results["optimize=latency"], results["profile=separate"]
    rows = {row["name"]: [None, row] for row in separate["rows"]}
    for row in ours["rows"]:
        rows.setdefault(row["name"], [None, None])[0] = row
    out.write(f"\n## {name}, {target}, {'fp16' if is_float else 'int8'}\n\n"
              f"{ours['cycles']:,.0f} cycles, {separate['cycles']:,.0f} with profile=separate: ratio "
              f"{separate['cycles'] / max(ours['cycles'], 1):.2f}. MAC utilization {mac_use(ours, target, is_float):.0f} % and "
              f"{mac_use(separate, target, is_float):.0f} %.\n\n"
              "| layer | units | cycles | MAC use | units, separate | cycles | MAC use |\n|---|---|---|---|---|---|---|\n")
    for layer, both in rows.items():
        cells = [layer.replace("|", "/")]
        for row in both:
            cells += ([row["unit"], f"{row['cycles']:,.0f}", f"{100 * row['utilization']:.0f} %" if row["utilization"] else ""]
                      if row else ["", "", ""])
        out.write("| " + " | ".join(cells) + " |\n")


def report(name, target, results, checked, is_float):
    official = OFFICIAL.get((name, base(target)))
    latency, memory, separate = (results[mode] for mode in MODES)
    hardware_layers = str(sum(map(int, official[0].split("/")))) if official else ""
    cells = [name, target, latency["layers"], official[0] if official else "", str(latency["operations"]), hardware_layers,
             str(latency["regions"]),
             f"{memory['filled']:,}", f"{official[1]:,}" if official else "",
             f"{memory['activations']:,}", f"{official[2]:,}" if official else "",
             f"{latency['cycles'] / 1e6:.2f}", f"{separate['cycles'] / 1e6:.2f}",
             f"{separate['cycles'] / max(latency['cycles'], 1):.2f}",
             f"{mac_use(latency, target, is_float):.0f} %", f"{mac_use(separate, target, is_float):.0f} %", checked]
    print("| " + " | ".join(cells) + " |", flush=True)


def load_record(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def record(path, name, target, results, is_float):
    latency, separate = results["optimize=latency"], results["profile=separate"]
    numbers = load_record(path)
    numbers[f"{name} {target}"] = {
        "operations": latency["operations"], "cycles": int(latency["cycles"]), "separate_cycles": int(separate["cycles"]),
        "mac_use": round(mac_use(latency, target, is_float)), "separate_mac_use": round(mac_use(separate, target, is_float))}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(numbers, file, indent=1, sort_keys=True)
        file.write("\n")


def fill_page(page, path):
    """Replaces the table between the two markers of a page."""
    rows = ["| network | target | numbers | operations | official | cycles | cycles, separate | separate / cycles | MAC use | "
            "MAC use, separate |", "|---|---|---|---|---|---|---|---|---|---|"]
    for key, one in sorted(load_record(path).items(), key=lambda row: ("nvdla-full" not in row[0], row[0])):
        name, target = key.split()
        official = OFFICIAL.get((name, base(target)))
        layers = str(sum(map(int, official[0].split("/")))) if official else ""
        rows.append(f"| {name} | {target} | {'fp16' if base(target) == 'nvdla-full' else 'int8'} | {one['operations']:,} | {layers} "
                    f"| {one['cycles']:,} | {one['separate_cycles']:,} | {one['separate_cycles'] / one['cycles']:.2f} "
                    f"| {one['mac_use']} % | {one['separate_mac_use']} % |")
    with open(page, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    with open(page, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n".join(rows) + "\n" + END + rest.split(END)[1])


def exceeds(before, measured, name, target):
    """Returns 1 and prints the numbers if a network has more operations or cycles than before."""
    worse = [key for key in ("operations", "cycles") if before and int(measured[key]) > before[key]]
    for key in worse:
        print(f"{name}, {target}: {int(measured[key]):,} {key}, recorded are {before[key]:,}", file=sys.stderr)
    return 1 if worse else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("convoy", nargs="?")
    parser.add_argument("models", nargs="?")
    parser.add_argument("out", nargs="?")
    parser.add_argument("--targets", default=None)
    parser.add_argument("--float", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--layers", default=None)
    parser.add_argument("--record", default=None)
    parser.add_argument("--against", default=None)
    parser.add_argument("--page", default=None)
    arguments = parser.parse_args()
    if arguments.page and arguments.record:
        fill_page(arguments.page, arguments.record)
        return 0
    if not arguments.out:
        parser.error("expects CONVOY, MODELS and OUT, or --page with --record")
    only = set(filter(None, arguments.only.split(",")))
    if arguments.make:
        make_models(arguments.models, only)
    names = sorted(file[:-5] for file in os.listdir(arguments.models) if file.endswith(".onnx"))
    print("| model | target | CONV/SDP/PDP/CDP | official | operations | official | regions | bytes filled (memory) | "
          "official | activations (memory) | official | Mcycles | separate | ratio | MAC use | separate | outputs |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    before = load_record(arguments.against) if arguments.against else {}
    layers = open(arguments.layers, "a", encoding="utf-8") if arguments.layers else None
    failed = 0
    for name in names:
        if only and name not in only:
            continue
        model = os.path.join(arguments.models, name + ".onnx")
        folder = os.path.join(arguments.out, name, "samples")
        keeps_types = arguments.float or is_quantized(model)
        samples = None if keeps_types else write_sample(arguments.convoy, model, folder)
        targets = arguments.targets or ("nvdla-full" if arguments.float else "nvdla-small,nvdla-large")
        for target in targets.split(","):
            try:
                results = {mode: compile_one(arguments.convoy, model, target, mode, samples,
                                             os.path.join(arguments.out, name, target, mode.split("=")[1]))
                           for mode in MODES}
                checked = "not run"
                if arguments.check:
                    exact = [] if arguments.float else ["--exact"]
                    call(arguments.convoy, "check", model, "--target", target, *calibration(samples), *exact)
                    checked = "near" if arguments.float else "equal"
                report(name, target, results, checked, arguments.float)
                failed += exceeds(before.get(f"{name} {target}"), results["optimize=latency"], name, target)
                if arguments.record:
                    record(arguments.record, name, target, results, arguments.float)
                if layers:
                    write_layers(layers, name, target, results, arguments.float)
            except RuntimeError as error:
                failed += 1
                print(f"| {name} | {target} | failed |", flush=True)
                print(error, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

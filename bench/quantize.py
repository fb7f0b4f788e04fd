#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures `convoy quantize` on the models and labeled data of ../shared and prints Markdown tables.

  bench/quantize.py accuracy     accuracy and bound in 8 bits, in 4 bits and mixed
  bench/quantize.py unlabeled   wide tensors without labels
  bench/quantize.py answers      answers of several plans, for the program quantize_bounds
  bench/quantize.py runtime      ONNX Runtime and the integer targets on the written files
  bench/quantize.py speed        time of the steps and peak memory
  bench/quantize.py devices      plans for devices, measured with their arithmetic

The plans are chosen on the training images (calibration) and on the select part of the test data.
Each row reads the proof split once. A row that states a bound is a separate accuracy bound; no row is
chosen by its result on the proof part. bench/make_data.py writes the data sets."""

import argparse
import ctypes
import json
import os
import resource
import shutil
import subprocess
import sys
import threading

import numpy as np

import onnx_runtime

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))

# name: model file, data set, calibration data set (none: a share of the data)
MODELS = {
    "resnet8": ("mlperf_tiny_ic_resnet8_fp32", "resnet8_test", "resnet8_train"),
    "resnet20": ("resnet20_cifar10", "resnet20_test", "resnet20_train"),
    "resnet56": ("resnet56_cifar10", "resnet56_test", "resnet56_train"),
    "mnist8": ("mnist-8", "mnist8_test", "mnist8_train"),
    "cnn_mnist": ("cnn_mnist_pytorch", "cnn_mnist_test", "cnn_mnist_train"),
    "kws": ("mlperf_tiny_kws_dscnn_fp32", "kws", None),
    "mobilenetv2": ("mobilenetv2-1.0", "mobilenetv2_cifar", None),
    "squeezenet": ("squeezenet1.1", "squeezenet_cifar", None),
}
MINMAX = ["--clipping", "minmax", "--rounding", "nearest", "--bias-correction", "off", "--max-wide", "0"]


class Bench:
    def __init__(self, args):
        self.args = args
        os.makedirs(args.output, exist_ok=True)

    def model(self, name):
        return os.path.join(self.args.shared, "models/onnx", MODELS[name][0] + ".onnx")

    def data(self, name):
        return os.path.join(self.args.data, name + ".json")

    def path(self, *parts):
        return os.path.join(self.args.output, *parts)

    def run(self, command):
        """Runs a command and returns its stdout. Ends the program if the command fails."""
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stderr.decode()}")
        return done.stdout.decode()

    def quantize(self, name, row, flags):
        """Quantizes a model; returns the JSON and the path of the file."""
        output = self.path(f"{name}_{row}.onnx")
        ledger = self.path(f"{name}_{row}.proofs.json")
        if os.path.exists(ledger):
            os.remove(ledger)  # a repeated run of this program is the same proof
        _, data, calibration = MODELS[name]
        command = [self.args.convoy, "quantize", self.model(name), "--data", self.data(data), "--ledger", ledger,
                   "-o", output, "--json", "--allow-unproven", "--jobs", str(self.args.threads)] + flags
        if calibration:
            command += ["--calibration-data", self.data(calibration)]
        return json.loads(self.run(command)), output


def weighted(result, key):
    """Returns a share over the select and the proof part together, in per cent."""
    parts = [result["select"], result["proof"]]
    samples = sum(part["samples"] for part in parts)
    return 100 * sum(part[key] * part["samples"] for part in parts) / samples, samples


def print_table(titles, rows):
    print("| " + " | ".join(titles) + " |")
    print("|" + "---|" * len(titles))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print(flush=True)


def accuracy_row(bench, name, row, flags, limit):
    flags = ["--max-drop", limit] + flags
    if name == "kws":
        flags += ["--calibrate-share", "20%"]
    result, _ = bench.quantize(name, row, flags)
    before, samples = weighted(result, "float_top1")
    after, _ = weighted(result, "quantized_top1")
    proof = result["proof"]
    return [name, row, samples, f"{before:.2f}", f"{after:.2f}", f"{before - after:+.2f}",
            f"{100 * proof['drop']:.2f}", f"{100 * proof['bound']:.2f}", limit if proof["is_promised"] else "no",
            len(result["wide"]), result["weights"]["bytes"], f"{100 * result['weights']['four_bit_share']:.0f} %"]


def accuracy(bench):
    mix = ["--weight-bits", "auto", "--min-4bit-share", "50%"]
    cases = [
        ("resnet8", "w8a8", [], "0.5%"), ("resnet20", "w8a8", [], "0.5%"), ("resnet56", "w8a8", [], "0.5%"),
        ("mnist8", "w8a8", [], "0.5%"), ("cnn_mnist", "w8a8", [], "0.5%"), ("kws", "w8a8", [], "1%"),
        ("resnet20", "w4a8", ["--weight-bits", "4"], "0.5%"), ("resnet8", "w4a8", ["--weight-bits", "4"], "1%"),
        ("resnet20", "mixed", mix, "0.5%"), ("resnet8", "mixed", mix, "1%"),
    ]
    rows = [accuracy_row(bench, *case) for case in cases if not bench.args.models or case[0] in bench.args.models]
    print_table(["model", "plan", "samples", "float top-1", "quantized", "drop", "drop on the proof split",
                 "bound (95 %)", "proved", "wide", "bytes of weights", "of these in 4 bits"], rows)


def outputs(bench, model, data):
    """Returns the first output of a model for all samples of a data set."""
    file = bench.path("outputs.npy")
    bench.run([bench.args.convoy, "run", model, "--data", bench.data(data), "--metric", f"sh -c 'cp \"$0\" {file}; echo 0'"])
    return np.load(file)


def photographs(bench, name, quantized):
    """Returns the mean relative L2 and the number of changed answers on the photographs."""
    before, after = (outputs(bench, model, f"{name}_photos").reshape(-1, 1000) for model in (bench.model(name), quantized))
    error = np.linalg.norm(after - before, axis=1) / np.linalg.norm(before, axis=1)
    changed = int((before.argmax(1) != after.argmax(1)).sum())
    return f"{error.mean():.4f}", f"{changed} of {len(before)}"


def unlabeled(bench):
    rows = []
    for name in ("mobilenetv2", "squeezenet"):
        if bench.args.models and name not in bench.args.models:
            continue
        for row, flags in (("min/max", MINMAX), ("8 wide", ["--max-wide", "8"])):
            result, quantized = bench.quantize(name, row.replace("/", "").replace(" ", "_"),
                                               flags + ["--max-drop", "0.1%", "--calibration-samples", "200"])
            proof = result["proof"]
            rows.append([name, row, len(result["wide"]), proof["samples"], f"{proof['mean_relative_l2']:.4f}",
                         f"{100 * proof['drop']:.2f} %", f"{100 * proof['bound']:.2f} %",
                         *photographs(bench, name, quantized)])
    print_table(["model", "plan", "wide", "samples", "mean relative L2 of the logits", "changed answers",
                 "bound (95 %)", "photographs: relative L2", "photographs: changed answers"], rows)


class Library:
    """A compiled model with one float input and one float output."""

    def __init__(self, bench, model, flags=()):
        folder = bench.path("libraries", os.path.splitext(os.path.basename(model))[0] + "_" + "_".join(flags).replace("--", ""))
        shutil.rmtree(folder, ignore_errors=True)
        summary = json.loads(bench.run([bench.args.convoy, "compile", model, "-o", folder, "--name", "bench", "--json", *flags]))
        library = ctypes.CDLL(os.path.join(folder, "bench.so"))
        self.function = library.bench_run
        self.workspace_bytes = summary["workspace_bytes"]

    def run(self, samples, classes):
        """Returns the outputs of all samples; two threads share the work."""
        outputs = np.zeros((len(samples), classes), np.float32)
        first = threading.Thread(target=self.part, args=(samples, outputs, range(0, len(samples), 2)))
        first.start()
        self.part(samples, outputs, range(1, len(samples), 2))
        first.join()
        return outputs

    def part(self, samples, outputs, indices):
        memory = np.zeros(self.workspace_bytes + 64, np.uint8)
        workspace = ctypes.c_void_p((memory.ctypes.data + 63) // 64 * 64)
        for i in indices:
            given = (ctypes.c_void_p * 1)(samples[i].ctypes.data)
            result = (ctypes.c_void_p * 1)(outputs[i].ctypes.data)
            if self.function(given, result, workspace) != 0:
                raise RuntimeError("the model failed")


def load_samples(bench, name):
    """Returns the preprocessed samples and the labels of a data set of images."""
    with open(bench.data(name), encoding="utf-8") as file:
        description = json.load(file)
    images = np.load(os.path.join(bench.args.data, description["data"]))
    labels_file = os.path.join(bench.args.data, description["labels"])
    labels = np.load(labels_file) if labels_file.endswith(".npy") else np.fromfile(labels_file, np.uint8)
    if images.dtype != np.uint8:
        return np.ascontiguousarray(images.astype(np.float32)), labels
    scale, mean, std = (np.asarray(description.get(key, default), np.float64)
                        for key, default in (("scale", 1 / 255), ("mean", 0), ("std", 1)))
    values = ((images * scale - mean) / std).astype(np.float32)
    if name.startswith("resnet8"):
        return values, labels  # its input is NHWC
    values = values.transpose(0, 3, 1, 2)
    return np.ascontiguousarray(values), labels


def plans():
    """Returns the plans whose answers test the bound: good and bad ones."""
    fast = ["--proof", "off", "--sensitivity-samples", "0"]
    nearest = ["--rounding", "nearest", "--bias-correction", "off"]
    return {"minmax": MINMAX + fast, "mse_nearest": nearest + fast, "mse_fitted": fast,
            "percentile": ["--clipping", "percentile"] + nearest + fast, "w4_nearest": ["--weight-bits", "4"] + nearest + fast,
            "w4_fitted": ["--weight-bits", "4"] + fast}


def answers(bench):
    """Writes which images each plan answers correctly; the first row is the float model."""
    for name in bench.args.models or ("resnet8", "resnet20"):
        samples, labels = load_samples(bench, MODELS[name][1])
        names, rows = ["float"], [Library(bench, bench.model(name)).run(samples, 10).argmax(1) == labels]
        for plan, flags in plans().items():
            _, path = bench.quantize(name, plan, flags)
            names.append(plan)
            rows.append(Library(bench, path).run(samples, 10).argmax(1) == labels)
            print(f"{name} {plan}: {100 * rows[-1].mean():.2f} %, drop {100 * (rows[0].mean() - rows[-1].mean()):.2f}, "
                  f"{100 * (rows[-1] != rows[0]).mean():.2f} % differ", flush=True)
        np.save(bench.path(f"{name}_answers.npy"), np.array(rows))
        with open(bench.path(f"{name}_names.json"), "w", encoding="utf-8") as file:
            json.dump(names, file, indent=1)
            file.write("\n")
        print(f"wrote {bench.path(name)}_answers.npy and {bench.path(name)}_names.json")


def runtime(bench):
    import onnx
    library = onnx_runtime.find_library(ROOT)
    rows = []
    for name, plan in (("resnet8", "w8a8"), ("resnet20", "w8a8"), ("resnet20", "w4a8")):
        if bench.args.models and name not in bench.args.models:
            continue
        flags = ["--proof", "off"] + (["--weight-bits", "4"] if plan == "w4a8" else [])
        _, path = bench.quantize(name, "runtime_" + plan, flags)
        samples, labels = load_samples(bench, MODELS[name][1])
        ours = Library(bench, path, ["--integer", "off"]).run(samples, 10)
        integers = Library(bench, path).run(samples, 10)
        graph = onnx.load(path).graph
        session = onnx_runtime.Session(library, path, graph.input[0].name, graph.output[0].name)
        theirs = np.zeros_like(ours)
        for sample, output in zip(samples, theirs):
            session.run(session.bind(sample[None]), session.bind(output[None]))
        equal = check_targets(bench, path, MODELS[name][1])
        rows.append([f"{name} {plan}", len(samples), f"{100 * (ours.argmax(1) == theirs.argmax(1)).mean():.2f} %",
                     f"{100 * (integers.argmax(1) == theirs.argmax(1)).mean():.2f} %", equal])
    print_table(["file", "samples", "--integer=off agrees with ONNX Runtime", "integers agree with ONNX Runtime",
                 "equal bytes on host, c, c-plain and the reference"], rows)


def check_targets(bench, path, data):
    """Compares the integer targets byte by byte on a few inputs; returns what `convoy check` says."""
    text = bench.run([bench.args.convoy, "check", path, "--data", bench.data(data), "--samples", str(bench.args.inputs),
                      "--target", "host,c,c-plain", "--exact"])
    return text.splitlines()[-1]


def seconds(result, *steps):
    return sum(time["seconds"] for time in result["times"] if time["step"] in steps)


def speed(bench):
    rows = []
    fast = ["--proof", "off", "--samples", "400", "--calibration-samples", "200", "--calibrate-share", "50%"]
    result, _ = bench.quantize("mobilenetv2", "speed", fast)
    rows.append(["MobileNetV2: observe 200 images", f"{seconds(result, 'observe'):.1f} s"])
    rows.append(["MobileNetV2: rank tensors", f"{seconds(result, 'rank tensors'):.1f} s"])
    result, _ = bench.quantize("resnet20", "speed", ["--proof", "off", "--sensitivity-samples", "0"])
    rows.append(["ResNet-20: products of inputs and fitted weights",
                 f"{seconds(result, 'observe products', 'fit weights'):.1f} s"])
    for samples in (400, 2000):
        flags = ["--samples", str(samples), "--calibrate-share", "50%", "--calibration-samples", "2000", "--max-wide", "0"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        bench.quantize("mobilenetv2", f"memory_{samples}", flags)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        rows.append([f"MobileNetV2, {samples} samples: peak memory of all runs so far",
                     f"{max(before, peak) / 1024:.0f} MiB"])
    print_table(["step", "measured"], rows)


def devices(bench):
    rows = []
    for device in ("nvdla-small", "bm1880", "abstract"):
        result, _ = bench.quantize("resnet8", device, ["--target", device, "--samples", "1000", "--max-drop", "2%"])
        before, samples = weighted(result, "float_top1")
        after, _ = weighted(result, "quantized_top1")
        proof = result["proof"]
        rows.append([device, samples, f"{before:.2f}", f"{after:.2f}", f"{before - after:+.2f}",
                     f"{100 * proof['bound']:.2f}", len(result["wide"]), f"{result['quantized']['predicted_ns'] / 1e6:.3f} ms"])
    print_table(["device", "images", "float top-1", "quantized", "drop", "bound (95 %)", "float tensors",
                 "predicted time"], rows)


def main():
    commands = {function.__name__: function for function in (accuracy, unlabeled, answers, runtime, speed, devices)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=list(commands))
    parser.add_argument("--convoy", default=os.path.join(ROOT, "build/release/bin/convoy"))
    parser.add_argument("--shared", default=os.path.join(ROOT, "../shared"))
    parser.add_argument("--data", default=os.path.join(ROOT, "build/bench/data"))
    parser.add_argument("--output", default=os.path.join(ROOT, "build/bench/quantize"))
    parser.add_argument("--models", nargs="*", help="measure only these models")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--inputs", type=int, default=100, help="inputs that the integer targets compare")
    args = parser.parse_args()
    commands[args.command](Bench(args))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the accuracy of a quantized model on a data set, compiled for this machine.

  accuracy.py CONVOY SCRATCH_DIR mnist MODEL IMAGES.gz LABELS.gz FLOOR
  accuracy.py CONVOY SCRATCH_DIR kws MODEL FEATURES.tar.xz FLOOR

mnist: a float model, which the calibrator quantizes with the first 100 images.
kws: a model that is quantized already.
"""

import ctypes
import gzip
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile

import numpy as np

CALIBRATION_SAMPLES = 100
TYPES = {"float": np.float32, "int8": np.int8, "uint8": np.uint8}


def images(path):
    raw = gzip.open(path).read()
    return np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 28, 28)


def labels(path):
    return np.frombuffer(gzip.open(path).read(), np.uint8, offset=8)


def compile_model(convoy, scratch, model, flags):
    command = [convoy, "compile", model, "-o", str(scratch / "out"), "--json", *flags]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"FAILED: {' '.join(command)}\n{done.stderr.decode()}{done.stdout.decode()}")
    return json.loads(done.stdout)


def classify(facts, samples):
    """Returns the index of the largest output for each sample, compared in the output's element
    type."""
    library = ctypes.CDLL(facts["library"])
    run = getattr(library, f"{facts['model']}_run")
    output = np.empty(facts["outputs"][0]["shape"], TYPES[facts["outputs"][0]["type"]])
    workspace = np.zeros(facts["workspace_bytes"] + 64, np.uint8)
    start = workspace.ctypes.data + (-workspace.ctypes.data % 64)
    found = []
    for sample in samples:
        sample = np.ascontiguousarray(sample)
        code = run((ctypes.c_void_p * 1)(sample.ctypes.data),
                   (ctypes.c_void_p * 1)(output.ctypes.data), ctypes.c_void_p(start))
        if code != 0:
            sys.exit(f"FAILED: the model returned {code}")
        found.append(int(output.reshape(-1).argmax()))
    return np.array(found)


def mnist(convoy, scratch, model, image_file, label_file):
    data = images(image_file)
    facts = compile_model(convoy, scratch, model, [])
    shape = facts["inputs"][0]["shape"]
    # Pixel ranges of the training: 0 to 255 for mnist-8, normalized for the other models.
    scale = (lambda x: x) if "mnist-8" in model else (lambda x: (x / 255 - 0.1307) / 0.3081)
    samples = scale(data.astype(np.float32)).astype(np.float32).reshape(len(data), *shape)
    folder = scratch / "samples"
    folder.mkdir()
    for i in range(CALIBRATION_SAMPLES):
        np.save(folder / f"{i:03}.npy", samples[i])
    facts = compile_model(convoy, scratch, model, ["--calibrate", str(folder)])
    return (classify(facts, samples) == labels(label_file)).mean()


def kws(convoy, scratch, model, archive):
    with tarfile.open(archive) as tar:
        names = {pathlib.PurePath(member.name).name: member for member in tar.getmembers()}
        table = tar.extractfile(names["y_labels.csv"]).read().decode()
        rows = [line.split(",") for line in table.splitlines() if line.strip()]
        facts = compile_model(convoy, scratch, model, [])
        shape = facts["inputs"][0]["shape"]
        samples = [np.frombuffer(tar.extractfile(names[row[0].strip()]).read(), np.int8)
                   .reshape(shape) for row in rows]
    return (classify(facts, samples) == np.array([int(row[2]) for row in rows])).mean()


def main():
    convoy, scratch, kind, model, *rest, floor = sys.argv[1:]
    scratch = pathlib.Path(scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    share = {"mnist": mnist, "kws": kws}[kind](convoy, scratch, model, *rest)
    print(f"{pathlib.Path(model).name}: {100 * share:.2f} % correct, expected at least {floor} %")
    return 0 if 100 * share >= float(floor) else 1


if __name__ == "__main__":
    sys.exit(main())

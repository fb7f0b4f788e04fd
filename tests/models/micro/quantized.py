#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantizes a float network for a microcontroller and compares the result with the int8 network of MLPerf Tiny: at most
1.1 times its instructions and RAM, and the bytes of the reference. mnist-8 has no int8 network; it has at most 300,000
instructions on cortex-m55:clang. Networks with labeled data must have a proved bound.

  quantized.py CONVOY SHARED_DIR SCRATCH_DIR mnist8|kws|resnet8|vww|autoencoder
"""

import os
import sys

import numpy as np
from command import bench, run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bench"))
import make_data  # noqa: E402

MOST_RATIO = 1.1
MOST_MNIST = 300000
TARGETS = ("cortex-m55:clang", "cortex-m4")
# name: float network, int8 network, flags
NETWORKS = {
    "mnist8": ("mnist-8", None, []),
    "kws": ("mlperf_tiny_kws_dscnn_fp32", "mlperf_tiny_kws_dscnn_int8_qdq", ["--max-drop", "1%"]),
    "resnet8": ("mlperf_tiny_ic_resnet8_fp32", "mlperf_tiny_ic_resnet8_int8_qdq", []),
    "vww": ("mlperf_tiny_vww_mobilenetv1_fp32", "mlperf_tiny_vww_mobilenetv1_int8_qdq", ["--proof", "off"]),
    "autoencoder": ("mlperf_tiny_ad_autoencoder_fp32", "mlperf_tiny_ad_autoencoder_int8_qdq", ["--proof", "off"]),
}


def write_data(name, shared, scratch):
    """Writes the data of a network and returns the flags of `convoy quantize` that name it."""
    writer = make_data.Writer(scratch)
    datasets = os.path.join(shared, "models/datasets")
    if name == "mnist8":
        make_data.write_mnist(writer, "test", os.path.join(datasets, "mnist-t10k-images-idx3-ubyte.gz"),
                              os.path.join(datasets, "mnist-t10k-labels-idx1-ubyte.gz"))
        return ["--data", os.path.join(scratch, "mnist8_test.json")]
    if name == "kws":
        make_data.write_kws(writer, os.path.join(datasets, "mlperf_tiny_kws01_features.tar.xz"))
        return ["--data", os.path.join(scratch, "kws.json")]
    if name == "resnet8":
        make_data.write_cifar(writer, shared)
        return ["--data", os.path.join(scratch, "resnet8_test.json"),
                "--calibration-data", os.path.join(scratch, "resnet8_train.json")]
    # No data set is at hand. The numbers of instructions and bytes do not depend on the samples.
    shape = (60, 96, 96, 3) if name == "vww" else (60, 640)
    path = os.path.join(scratch, name + ".npy")
    np.save(path, np.random.default_rng(1).random(shape, np.float32))
    return ["--data", path, "--check-data", "off"]


def main():
    convoy, shared, scratch, name = sys.argv[1:]
    os.makedirs(scratch, exist_ok=True)
    source, shipped, flags = NETWORKS[name]
    models = os.path.join(shared, "models/onnx")
    output, ledger = os.path.join(scratch, name + ".onnx"), os.path.join(scratch, "proofs.json")
    if os.path.exists(ledger):
        os.remove(ledger)
    text = run(convoy, "quantize", os.path.join(models, source + ".onnx"), "--target", TARGETS[0].split(":")[0],
               "--ledger", ledger, "-o", output, *flags, *write_data(name, shared, scratch))
    if "generic loops" in text or ("--proof" not in flags and "upper bound" not in text):
        sys.exit(f"FAILED: expected no warning of generic loops, and a bound if there are labels, got:\n{text}")
    run(convoy, "check", output, "--exact", "--target", ",".join(TARGETS) + ",rv32imc,host,c-plain")
    for target in TARGETS:
        row = bench(convoy, output, target, scratch)
        if shipped is None:
            print(f"{name} on {target}: {row['instructions']} instructions")
            if target == TARGETS[0] and row["instructions"] > MOST_MNIST:
                sys.exit(f"FAILED: expected at most {MOST_MNIST} instructions")
            continue
        like = bench(convoy, os.path.join(models, shipped + ".onnx"), target, scratch)
        for field in ("instructions", "ram_bytes"):
            ratio = row[field] / like[field]
            print(f"{name} on {target}: {row[field]} {field}, {ratio:.3f} of the int8 network")
            if ratio > MOST_RATIO:
                sys.exit(f"FAILED: expected at most {MOST_RATIO} of the int8 network")


main()

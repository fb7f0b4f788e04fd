#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the benchmark networks and compares the number of reorders with the expected number:
reorders at the inputs and outputs only, none between two convolutions.

  count_reorders.py CONVOY MAKE_MODELS DIR
"""

import json
import os
import subprocess
import sys

# After the last convolution: 1000 classes are not a multiple of the block.
EXPECTED = {
    "densenet121": 1,
    "inception_v1": 1,
    "mobilenet_v1": 1,
    "mobilenet_v2": 1,
    "resnet18": 1,
    "squeezenet": 1,
}


def main():
    convoy, make_models, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for name, expected in EXPECTED.items():
        subprocess.run([sys.executable, make_models, folder, name], check=True, stdout=subprocess.DEVNULL)
        model = os.path.join(folder, name + ".onnx")
        command = [convoy, "compile", model, "-o", folder, "--target", "x86-64-v4", "--json"]
        summary = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        print(f"{name}: {summary['reorders']} reorders, expected {expected}")
        failed += summary["reorders"] != expected
        os.remove(model)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

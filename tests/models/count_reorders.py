#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the networks to measure with and compares how many reorders are left
with the number that their ends need: none stands between two convolutions.

  count_reorders.py CONVOY MAKE_MODELS DIR
"""

import json
import os
import subprocess
import sys

# Behind the last convolution: 1000 classes are no whole number of blocks.
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
        print(f"{name}: {summary['reorders']} reorders, {expected} expected")
        failed += summary["reorders"] != expected
        os.remove(model)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions of a model on a microcontroller twice. Checks that the counts are equal,
that each layer has instructions, and that the layers and the code between them sum up to the run.

  count_instructions.py CONVOY MODEL TARGET
"""

import json
import subprocess
import sys


def count(convoy, model, target):
    result = subprocess.run([convoy, "bench", model, f"--target={target}", "--layers", "--json"],
                            check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(result.stdout)[0]


def main():
    convoy, model, target = sys.argv[1:4]
    first, second = count(convoy, model, target), count(convoy, model, target)
    if first != second:
        sys.exit(f"FAILED: two counts differ:\n{first}\n{second}")
    layers = sum(layer["instructions"] for layer in first["layers"])
    if first["instructions"] != layers + first["between_layers"]:
        sys.exit(f"FAILED: {layers} in layers and {first['between_layers']} between them are not "
                 f"{first['instructions']}")
    empty = [layer["kernel"] for layer in first["layers"] if layer["instructions"] == 0]
    if empty or not first["layers"]:
        sys.exit(f"FAILED: no instructions in {empty or 'any layer'}")
    if first["multiply_adds"] == 0 or first["instructions"] < first["multiply_adds"] / 16:
        sys.exit(f"FAILED: {first['instructions']} instructions for {first['multiply_adds']} multiply-adds")
    if not first["ram_bytes"] > first["workspace_bytes"] or not first["flash_bytes"] > first["weights_bytes"]:
        sys.exit(f"FAILED: wrong sizes: {first}")
    print(f"{target}: {first['instructions']} instructions, {first['between_layers']} between layers")


if __name__ == "__main__":
    main()

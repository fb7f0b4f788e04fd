#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes malformed and hostile models, one file each. run.py passes them to the driver and compares
# the diagnostics with expected.tsv.
#
#   make_models.py DIR

import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
# Importing a module registers its models.
for family in ("no_models", "names", "shapes", "attributes", "control_flow", "weights", "running"):
    import_module(f"models.{family}")


def main():
    root = Path(sys.argv[1])
    root.mkdir(parents=True, exist_ok=True)
    making = import_module("models.making")
    for name, make in making.MODELS.items():
        (root / f"{name}.onnx").write_bytes(making.finish(make()))
    import_module("models.weights").add_files(root)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes the seeds of the fuzz targets: OUT/model for the targets whose inputs are models, else
# OUT/TARGET (seed_texts.py). The models are ONNX's node tests, unchanged and with their inputs as
# initializers, whose values mutations can change, and the hostile models of tests/errors, so that
# the sanitizers check earlier findings again.
#
#   make_seeds.py OUT [DATA...]     DATA: further folders of ONNX's tests, besides Debian's

import subprocess
import sys
import tempfile
from pathlib import Path

from onnx import ModelProto, TensorProto

from seed_texts import TEXTS

ERRORS = Path(__file__).resolve().parent.parent / "errors" / "make_models.py"
DATA = Path("/usr/share/libonnx-testdata/data")
# Larger models are slow and contain nothing that small models lack.
MAX_BYTES = 8 << 10


def bind_inputs(model, folder):
    """Turns the tensor inputs into initializers; returns False if there are none."""
    bound = False
    for i, value in enumerate(list(model.graph.input)):
        path = folder / f"input_{i}.pb"
        if not value.type.HasField("tensor_type") or not path.exists():
            continue
        tensor = TensorProto()
        tensor.ParseFromString(path.read_bytes())
        tensor.name = value.name
        model.graph.initializer.append(tensor)
        model.graph.input.remove(value)
        bound = True
    return bound


def seeds_of_tests(data):
    """Yields names and contents. Different ONNX releases have tests with the same name."""
    for path in sorted(data.glob("*/*/model.onnx")):
        name = f"{data.parent.name}-{path.parent.parent.name}-{path.parent.name}"
        model = ModelProto()
        model.ParseFromString(path.read_bytes())
        yield f"{name}.onnx", model.SerializeToString()
        if bind_inputs(model, path.parent / "test_data_set_0"):
            yield f"{name}-bound.onnx", model.SerializeToString()


def seeds_of_errors():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ERRORS, folder], check=True)
        for path in sorted(Path(folder).glob("*.onnx")):
            yield f"errors-{path.name}", path.read_bytes()


def main():
    out = Path(sys.argv[1])
    folders = [DATA, *map(Path, sys.argv[2:])]
    seeds = [("model", found) for found in (seeds_of_errors(), *map(seeds_of_tests, folders))]
    seeds += [(target, texts()) for target, texts in TEXTS.items()]
    count = 0
    for folder, found in seeds:
        (out / folder).mkdir(parents=True, exist_ok=True)
        for name, content in found:
            if len(content) <= MAX_BYTES:
                (out / folder / name).write_bytes(content)
                count += 1
    print(f"make_seeds: {count} seeds in {out}")
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())

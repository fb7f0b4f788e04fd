# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and unloads libraries, and compiles models, many times; the memory of the process stays flat.

  load_cycles.py CYCLES SCRATCH_DIR

Each cycle loads two libraries, one with its weights in a file, runs both and deletes them. Every tenth cycle
also compiles a model. The resident size after the last cycle may exceed the size after a tenth of the cycles
by 2 MB, plus 20 KB per compile.
"""

import gc
import os
import sys

import convoy
import numpy as np
import onnx_models
import psutil


def main():
    cycles, folder = int(sys.argv[1]), sys.argv[2]
    data, expected = onnx_models.gemm(rows=4096)
    model = convoy.compile(data, threads=1)
    paths = [model.save(folder, name="linked"), model.save(folder, name="mapped", weights="file")]
    small, small_expected = onnx_models.gemm()
    x = np.ones((2, 3), np.float32)
    sizes, compiles = [], 0
    for cycle in range(cycles):
        for path in paths:
            loaded = convoy.load(path)
            np.testing.assert_allclose(loaded.run({"x": x})["y"], expected(x), atol=1e-4)
            del loaded
        if cycle % 10 == 0:
            compiles += 1
            np.testing.assert_allclose(convoy.compile(small, threads=1).run({"x": x})["y"], small_expected(x), atol=1e-4)
        gc.collect()
        sizes.append(psutil.Process().memory_info().rss)
    first, last = sizes[max(cycles // 10, 1)], sizes[-1]
    mapped = [line for line in open("/proc/self/maps") if any(os.path.basename(path) in line for path in paths)]
    allowed = 2e6 + 20e3 * compiles
    print(f"{cycles} cycles: resident {first / 1e6:.1f} MB after a tenth, {last / 1e6:.1f} MB at the end, "
          f"{compiles} compiles, {len(mapped)} mappings of the libraries left")
    sys.exit(1 if last - first > allowed or mapped else 0)


main()

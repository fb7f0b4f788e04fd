# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the custom op of examples/custom-op on the emulated boards: correct data gives the result of the reference,
and data that the C function rejects ends the run with an error.

  custom_op.py CONVOY EXAMPLE SCRATCH TARGET...
"""

import os
import subprocess
import sys

from command import run


def main():
    convoy, example, scratch, *targets = sys.argv[1:]
    run(sys.executable, os.path.join(example, "make_model.py"), scratch)

    def arguments(target, cells):
        return [os.path.join(scratch, "pillars.onnx"), "--custom-ops", os.path.join(example, "ops.json"), "--target", target,
                "--input", "features=" + os.path.join(scratch, "features.npy"),
                "--input", "cells=" + os.path.join(scratch, cells + ".npy")]  # fmt: skip

    for target in targets:
        print(run(convoy, "check", *arguments(target, "cells")))
        done = subprocess.run([convoy, "run", *arguments(target, "outside")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        if done.returncode != 1 or "the function of a custom op returned an error" not in done.stdout:
            sys.exit(f"FAILED: expected the error of the function on {target}, got {done.returncode}:\n{done.stdout}")


main()

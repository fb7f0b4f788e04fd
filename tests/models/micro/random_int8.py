#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random int8 networks on emulated microcontrollers. The outputs must have the bytes of the
reference. Prints for each failure the command that repeats it.

  random_int8.py CONVOY [--seed N] [--count N] [--targets NAME,NAME] [--keep FOLDER]
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import make_random


def run_seed(args, seed, folder):
    """Returns the error of a seed; empty if the outputs are right."""
    model, sample = make_random.make(seed)
    path, data = os.path.join(folder, f"random{seed}.onnx"), os.path.join(folder, f"random{seed}.npy")
    onnx.save(model, path)
    np.save(data, sample)
    done = subprocess.run([args.convoy, "check", path, "--exact", f"--target={args.targets}", "--input", data],
                          capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("convoy")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--targets", default="cortex-m55,cortex-m4")
    parser.add_argument("--keep", help="Write the models and inputs to this folder (default: a temporary folder).")
    args = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or temporary
        os.makedirs(folder, exist_ok=True)
        for seed in range(args.seed, args.seed + args.count):
            error = run_seed(args, seed, folder)
            if error:
                failures += 1
                command = [os.path.abspath(__file__), args.convoy, "--seed", str(seed), "--count", "1", "--targets",
                           args.targets, "--keep", "FOLDER"]
                print(f"FAILED: seed {seed}\n{error}repeat with:\n  {shlex.join([sys.executable, *command])}", flush=True)
    print(f"{args.count - failures} of {args.count} networks give the bytes of the reference on {args.targets}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds convoy-measure, the program that `bench` and `tune` start, and the library of ONNX Runtime that it measures."""

import glob
import os
import shutil
import sys


def measure_program():
    """Returns the program of this package, else of the build folder, of the prefix, or of PATH; "" if none."""
    package = os.path.dirname(os.path.abspath(__file__))
    for folder in (os.path.join(package, "bin"), os.path.join(package, "..", "..", "bin"), os.path.join(sys.prefix, "bin")):
        program = os.path.normpath(os.path.join(folder, "convoy-measure"))
        if os.access(program, os.X_OK):
            return program
    return shutil.which("convoy-measure") or ""


def onnxruntime_library():
    """Returns the library in build/peers beside the build folder of this package; "" if there is none."""
    package = os.path.dirname(os.path.abspath(__file__))
    peers = os.path.normpath(os.path.join(package, "..", "..", "..", "peers"))
    found = glob.glob(os.path.join(glob.escape(peers), "node_modules", "onnxruntime-node", "bin", "*", "linux", "*", "libonnxruntime.so.1"))
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(os.uname().machine, "")
    return next((path for path in sorted(found, reverse=True) if os.path.basename(os.path.dirname(path)) == machine), "")

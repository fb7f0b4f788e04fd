# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds convoy-measure, the program that `bench` and `tune` start."""

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

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sentences for an interpreter that cannot import the packages. This file must need no other package."""

import os
import platform
import re
import shutil
import sys


def this_interpreter():
    """Returns "CPython 3.11.2 (/usr/bin/python3)"."""
    return f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})"


def _program(version):
    """Returns the system's interpreter of a version such as "3.11", or its name if this machine has none in /usr/bin."""
    return shutil.which(f"python{version}", path="/usr/bin") or f"python{version}"


def missing_module(name):
    """Returns the text for a Python package that this interpreter lacks."""
    return (f"this package needs {name}, and {this_interpreter()} has none; run an interpreter that has it, such as "
            f"/usr/bin/python3 with Debian's package python3-{name}, or install it: {sys.executable} -m pip install {name}")


def missing_extension(folder, module):
    """Returns the text for an extension module in `folder` that was built for other interpreters, or for none."""
    found = []
    for entry in sorted(os.listdir(folder)):
        tag = re.fullmatch(rf"{module}\.cpython-(\d)(\d+)-(.*)\.so", entry)
        if tag:
            found.append((f"{tag[1]}.{tag[2]}", tag[3]))
    package = os.path.basename(folder)
    if not found:
        return f"{package} has no extension module in '{folder}'; build the targets ConvoyPythonRuntime and ConvoyPythonCompiler"
    built = " or ".join(f"CPython {version} ({machine})" for version, machine in found)
    return (f"{package} was built for {built}, and this is {this_interpreter()}; run {_program(found[0][0])}, or build Convoy "
            "with the headers of this interpreter: cmake -DCONVOY_PYTHON=" + sys.executable)

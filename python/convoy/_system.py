# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sentence for a system without the libraries that the compiler uses. The wheel does not contain LLVM."""

import os


def system_packages():
    """Returns the Debian packages that the compiler uses: the list of the wheel, else the large ones."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "system-packages.txt")
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split()
    except OSError:
        return ["libllvm19", "libmlir-19"]


def missing_library(error):
    """Returns the text of an ImportError of the extension module, with the packages to install."""
    return (f"the compiler cannot be loaded: {error}. It uses LLVM 19 and other libraries of the system; "
            f"install them with: apt install {' '.join(system_packages())}")

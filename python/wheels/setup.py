# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs files that CMake has built; scripts/wheels.sh copies them beside this file.

Adds to setuptools: a wheel for this platform although there is nothing to compile, and the field
Requires-External, which lists the system's packages.
"""

import io
import os

from setuptools import Distribution, setup


def _system_packages():
    if not os.path.exists("convoy/system-packages.txt"):
        return []
    with open("convoy/system-packages.txt", encoding="utf-8") as file:
        return file.read().split()


class Prebuilt(Distribution):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        write = self.metadata.write_pkg_file

        def write_with_packages(file):
            text = io.StringIO()
            write(text)
            header, blank, body = text.getvalue().partition("\n\n")
            fields = "".join(f"\nRequires-External: {package}" for package in _system_packages())
            file.write(header + fields + blank + body)

        self.metadata.write_pkg_file = write_with_packages

    def has_ext_modules(self):
        return True


setup(distclass=Prebuilt)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every program and shared library in the folders searches for libraries only in
allowed absolute folders. An empty RUNPATH element is the working directory, so a library beside a
model would be loaded and executed. A relative element has the same problem.

  check_runpath.py [--allow ELEMENT]... FOLDER...

ELEMENT is an absolute folder, or an exact element that starts with $ORIGIN.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ENTRY = re.compile(r"\((RUNPATH|RPATH)\)\s+Library (?:runpath|rpath): \[(.*)\]")


def elf_files(folder):
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file() and not path.is_symlink():
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def elements(path):
    """Returns the elements of RUNPATH and RPATH, including empty ones."""
    text = subprocess.run(["readelf", "-dW", str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout
    for _, value in ENTRY.findall(text):
        yield from value.split(":")


def problem_of(element, allowed):
    if element == "":
        return "an empty element, which is the working directory"
    if not element.startswith("/") and element not in allowed:
        return f"'{element}', which is relative and not allowed"
    if element not in allowed:
        return f"'{element}', which is not allowed"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allow", action="append", default=[])
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    problems, count = [], 0
    for folder in args.folders:
        for path in elf_files(folder):
            count += 1
            found = [problem_of(element, args.allow) for element in elements(path)]
            problems += [f"{path}: its RUNPATH has {problem}" for problem in found if problem]
    if count == 0:
        problems.append(f"no program or library in {', '.join(args.folders)}, so nothing was tested")
    print(f"{count} files; allowed: {', '.join(args.allow) or 'nothing'}")
    return "\n".join(problems) or 0


if __name__ == "__main__":
    sys.exit(main())

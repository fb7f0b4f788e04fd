#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if the code of a folder exceeds the given number of lines.

  count_lines.py MOST FOLDER_OR_FILE... [--without NAME...]

Counts lines of .h, .cpp and .td files without comments, blank lines and the prose of
descriptions.
"""

import os
import re
import sys


def code_lines(text):
    text = re.sub(r"let description = \[\{.*?\}\];", "", text, flags=re.DOTALL)
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group(0).count("\n"), text, flags=re.DOTALL)
    return sum(1 for line in text.splitlines() if re.sub(r"//.*", "", line).strip())


def main():
    most, places, apart = int(sys.argv[1]), sys.argv[2:], []
    if "--without" in places:
        at = places.index("--without")
        places, apart = places[:at], places[at + 1:]
    paths = [place for place in places if os.path.isfile(place)]
    for place in places:
        for where, folders, names in os.walk(place):
            folders[:] = [folder for folder in folders if folder != "test"]
            paths += [os.path.join(where, name) for name in names if name.endswith((".h", ".cpp", ".td"))
                      and name not in apart]
    total = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            total += code_lines(file.read())
    print(f"{', '.join(places)}: {total} lines of code, the limit is {most}")
    return 0 if 0 < total < most else 1


if __name__ == "__main__":
    sys.exit(main())

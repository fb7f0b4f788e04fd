#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a test contains the C++ code of a documentation page; ignores white space.

  check_howto.py PAGE TEST.cpp
"""

import re
import sys


def plain(text):
    return re.sub(r"\s+", "", text)


def main():
    page, test = (open(path, encoding="utf-8").read() for path in sys.argv[1:3])
    blocks = re.findall(r"^ *```cpp\n(.*?)^ *```$", page, re.MULTILINE | re.DOTALL)
    if not blocks:
        sys.exit(f"{sys.argv[1]} contains no C++ code")
    missing = [block for block in blocks if plain(block) not in plain(test)]
    for block in missing:
        print(f"{sys.argv[2]} does not contain this code of {sys.argv[1]}:\n{block}", file=sys.stderr)
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()

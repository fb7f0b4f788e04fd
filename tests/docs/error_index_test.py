# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the index of errors in docs/howto/troubleshooting.md against the expected errors.

usage: error_index_test.py docs/howto/troubleshooting.md tests/errors/expected.tsv

A reader takes the first row whose words the error contains. So each expected error must have a
row, and each row must be the first one of at least one expected error.
"""

import pathlib
import re
import sys

INDEX = re.compile(r"<!-- index of errors: .*? -->\n(.*?)<!-- end of index -->", re.DOTALL)


def rows(page):
    """The words of each row, in the order of the table."""
    return re.findall(r"^\| `([^`]+)` \|", INDEX.search(page)[1], re.MULTILINE)


def errors(expected):
    """The texts of errors and warnings, without the node."""
    lines = [line.split("\t")[3] for line in expected.splitlines() if not line.startswith("#") and line.count("\t") == 3]
    return [line for line in lines if re.match(r"(error|warning): ", line)]


def problems(page, expected):
    """What is missing or superfluous in the index."""
    words, first = rows(page), set()
    found = []
    for error in errors(expected):
        row = next((each for each in words if each in error), None)
        if row is None:
            found.append(f"no row of the index fits: {error}")
        first.add(row)
    return found + [f"no expected error has this first row: {row}" for row in words if row not in first]


def main():
    page, expected = (pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[1:3])
    count = len(errors(expected))
    found = problems(page, expected)
    if count < 100:
        found.append(f"expected at least 100 errors, found {count}")
    if found:
        sys.exit("\n".join(found))
    print(f"{count} errors have one of {len(rows(page))} rows")


if __name__ == "__main__":
    main()

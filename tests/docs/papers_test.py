# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that Convoy's figures in docs/benchmarks/papers.md are on the pages that its rows name.

usage: papers_test.py docs/benchmarks/papers.md
"""

import pathlib
import re
import sys

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
LINK = re.compile(r"\]\(([^)#]+)\)")
SMALL = {"1", "2", "7", "40", "64", "95", "128", "256", "16"}  # threads, widths, shares


def numbers(text):
    """Returns the numbers of a text, without counts that every page has."""
    return [number for number in NUMBER.findall(text) if number not in SMALL]


def rows(text):
    """Returns the cells of all rows of tables."""
    for line in text.splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def main():
    page = pathlib.Path(sys.argv[1])
    text = page.read_text(encoding="utf-8")
    problems, checked = [], 0
    for cells in rows(text):
        link = LINK.search(cells[3]) if len(cells) == 5 else None
        if link:
            source, ours = page.parent / link.group(1), cells[2]
        elif len(cells) == 7 and cells[1].startswith("here, "):
            source, ours = page.parent / "micro.md", cells[2] + " " + cells[3]
        else:
            continue
        known = set(NUMBER.findall(source.read_text(encoding="utf-8")))
        for number in numbers(ours):
            checked += 1
            if number not in known:
                problems.append(f"{cells[0]}: {number} is not in {source}")
    if checked < 30:
        problems.append(f"expected at least 30 figures, found {checked}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{checked} figures are on their pages")


if __name__ == "__main__":
    main()

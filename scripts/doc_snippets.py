# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies parts of source files into the code blocks of pages.

A block after the line `<!-- snippet: FILE -->` holds the lines of FILE between a
comment "begin snippet" and a comment "end snippet". scripts/generate-docs.sh
writes the blocks; tests/docs/run_commands.py fails if a block differs from FILE.
"""

import os
import re
import textwrap

BLOCK = re.compile(r"^<!-- snippet: (\S+) -->\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def snippet(root, path):
    """Returns the marked lines of a file; raises ValueError if the marks are missing."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        lines = file.read().splitlines()
    marks = [[i for i, line in enumerate(lines) if f"{word} snippet" in line] for word in ("begin", "end")]
    if [len(found) for found in marks] != [1, 1]:
        raise ValueError(f"{path}: expected one comment 'begin snippet' and one 'end snippet'")
    return textwrap.dedent("\n".join(lines[marks[0][0] + 1:marks[1][0]])) + "\n"


def fill(root, text):
    """Returns the text of a page with every snippet as its file has it now."""
    return BLOCK.sub(lambda found: f"<!-- snippet: {found[1]} -->\n```{found[2]}\n{snippet(root, found[1])}```", text)

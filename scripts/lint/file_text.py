# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the opening comment and the characters of files.

A source file starts with the SPDX line and a description of the file. Sources are
ASCII without tabs. Text files have no trailing blanks and end with a newline.
"""

import os

import tree

SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SOURCES = (".cpp", ".h", ".c", ".cc", ".S", ".td", ".py", ".sh", ".cmake")
TEXTS = SOURCES + (".mlir", ".md", ".txt", ".json", ".inc", ".in", ".test")


def is_source(path, text):
    return path.endswith(SOURCES) or text.startswith("#!")


def check_header(path, text):
    lines = text.splitlines()
    first = 1 if lines and lines[0].startswith("#!") else 0
    if len(lines) <= first or SPDX not in lines[first]:
        return [tree.Finding(path, first + 1, f"the file must open with: {SPDX}")]
    rest = [line.strip(' /#*"') for line in lines[first + 1:first + 4]]
    if not any(rest):
        return [tree.Finding(path, first + 2, "after the SPDX line, describe the file in two to eight lines")]
    return []


def check_bytes(path, text, must_be_ascii):
    findings = []
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip():
            findings.append(tree.Finding(path, number, "trailing blanks"))
        if must_be_ascii and not line.isascii():
            findings.append(tree.Finding(path, number, "not ASCII; use an escape in literals"))
        if must_be_ascii and "\t" in line:
            findings.append(tree.Finding(path, number, "tab"))
    if text and not text.endswith("\n"):
        findings.append(tree.Finding(path, text.count("\n") + 1, "no newline at the end"))
    return findings


def check(root, files):
    findings = []
    for path in files:
        if not path.endswith(TEXTS) and os.path.splitext(path)[1]:
            continue
        text = tree.read(root, path)
        if path == "LICENSE" or "\0" in text:
            continue
        source = is_source(path, text)
        if source:
            findings += check_header(path, text)
        findings += check_bytes(path, text, source)
    return findings


if __name__ == "__main__":
    tree.main(check)

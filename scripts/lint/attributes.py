# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the name of an attribute that stages exchange is spelled once.

A name is a constant of a header: `inline constexpr llvm::StringLiteral kNameAttr =
"graph.name";`. No second constant and no other literal in C++ code may contain the same
name, and no call that reads or sets an attribute may contain a literal with a dialect
prefix. IR inside longer literals, such as a test's module, is not checked.
"""

import re

import tree

CONSTANT = re.compile(r'\bconstexpr\s+(?:llvm::)?StringLiteral\s+k\w+Attr\s*=\s*"([a-z]\w*\.\w+)"')
LITERAL = re.compile(r'"([a-z]\w*\.\w+)"')
ACCESS = re.compile(r'\b(?:get|set|has|remove)\w*Attr\w*(?:<[^<>]*>)?\(\s*(?:[^()"]*,\s*)?"([a-z]\w*\.\w+)"')


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def check(root, files):
    texts = {path: without_comments(tree.read(root, path)) for path in files
             if tree.is_cpp(path) and path.startswith(tree.CODE_FOLDERS)}
    homes = {}
    findings = []

    def add(path, text, match, message):
        findings.append(tree.Finding(path, text.count("\n", 0, match.start(1)) + 1, message))

    for path, text in texts.items():
        for match in CONSTANT.finditer(text):
            home = homes.setdefault(match.group(1), (path, match.start(1)))
            if home != (path, match.start(1)):
                add(path, text, match, f"'{match.group(1)}' is already a constant of {home[0]}; use that constant")
            elif not path.endswith(".h"):
                add(path, text, match, f"'{match.group(1)}' is a constant of a .cpp file; move it to a header")
    for path, text in texts.items():
        constants = {match.start(1) for match in CONSTANT.finditer(text)}
        accesses = {match.start(1) for match in ACCESS.finditer(text)}
        for match in LITERAL.finditer(text):
            if match.start(1) in constants:
                continue
            if match.group(1) in homes:
                add(path, text, match, f"spells '{match.group(1)}' again; use the constant of {homes[match.group(1)][0]}")
            elif match.start(1) in accesses:
                add(path, text, match, f"reads or sets '{match.group(1)}' by a literal; add a constant, an accessor "
                                       "and a rule for the dialect's verifier")
    return findings


if __name__ == "__main__":
    tree.main(check)

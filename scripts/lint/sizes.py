# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rejects functions over 80 lines, .cpp and .td over 800, .h over 300.

A file that scripts/size_allow.txt lists with a reason is exempt. An entry that is no
longer needed is a finding too. Data tables (.inc, JSON) have no limit.
"""

import os

import cpp_scopes
import tree
from allow_list import AllowList

MAX_FUNCTION = 80
MAX_LINES = {".cpp": 800, ".c": 800, ".h": 300, ".td": 800}
ALLOW_FILE = "scripts/size_allow.txt"


def oversize(root, path):
    findings = []
    text = tree.read(root, path)
    lines = text.count("\n")
    limit = MAX_LINES[os.path.splitext(path)[1]]
    if lines > limit:
        findings.append(tree.Finding(path, limit, f"{lines} lines, at most {limit}; split it by op family or by job"))
    if path.endswith(".td"):
        return findings
    for function in cpp_scopes.parse(text)[0]:
        length = function.last_line - function.first_line + 1
        if length > MAX_FUNCTION:
            findings.append(tree.Finding(
                path, function.first_line,
                f"function {function.name} has {length} lines, at most {MAX_FUNCTION}; aim for 30"))
    return findings


def check(root, files):
    allow, findings = AllowList(root, ALLOW_FILE, "add why the file must be long"), []
    for path in files:
        if os.path.splitext(path)[1] not in MAX_LINES:
            continue
        findings += allow.filter(path, oversize(root, path))
    return allow.findings + findings + allow.stale("does not exist or is below the limit; remove the entry")


if __name__ == "__main__":
    tree.main(check)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rejects functions over 80 lines, .cpp and .td over 800, .h over 300.

A file that scripts/size_allow.txt lists with a reason is exempt. An entry that is no
longer needed is a finding too. Data tables (.inc, JSON) have no limit.
"""

import os

import cpp_scopes
import tree

MAX_FUNCTION = 80
MAX_LINES = {".cpp": 800, ".c": 800, ".h": 300, ".td": 800}
ALLOW_FILE = "scripts/size_allow.txt"


def allowed(root):
    """Maps each path to the line of its entry; entries without a reason are findings."""
    entries, findings = {}, []
    if not os.path.exists(os.path.join(root, ALLOW_FILE)):
        return entries, findings
    for number, line in enumerate(tree.read(root, ALLOW_FILE).splitlines(), 1):
        fields = line.split(None, 1)
        if not fields or line.startswith("#"):
            continue
        entries[fields[0]] = number
        if len(fields) < 2:
            findings.append(tree.Finding(ALLOW_FILE, number, f"{fields[0]} has no reason; add why the file must be long"))
    return entries, findings


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
    allow, findings = allowed(root)
    for path in files:
        if os.path.splitext(path)[1] not in MAX_LINES:
            continue
        found = oversize(root, path)
        if path not in allow:
            findings += found
        elif found:
            del allow[path]
    findings += [tree.Finding(ALLOW_FILE, number, f"{path} does not exist or is below the limit; remove the entry")
                 for path, number in allow.items()]
    return findings


if __name__ == "__main__":
    tree.main(check)

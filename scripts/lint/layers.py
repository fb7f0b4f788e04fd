# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the includes against the order of folders in ARCHITECTURE.md.

A folder may include its own headers and headers of folders above it in the list, so there
are no cycles. A line of the list may be a pattern (`compiler/Accelerators/*`), which
means each matching folder that no other line names. tools/convoy must not include MLIR
or a folder of compiler/ that contains a stage. Tests may include any header.
"""

import fnmatch
import os
import re

import tree

BEGIN, END = "<!-- order of folders: checked -->", "<!-- end of order -->"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+[<"]([^>"]+)[>"]', re.M)
ROOTS = ("compiler/", "compiler/include/", "runtime/include/", "")
DRIVER = "tools/convoy/"
# The folders of compiler/ that the driver may include; the other folders contain stages.
NO_STAGES = ("compiler/include/", "compiler/Support/", "compiler/Targets/", "compiler/Driver/")


def read_order(text):
    """Returns the folders between the markers, top first, or None without markers."""
    if BEGIN not in text or END not in text:
        return None
    block = text.split(BEGIN)[1].split(END)[0]
    return [line.split()[0] for line in block.splitlines() if line.strip() and not line.startswith("```")]


def folder_of(path, order):
    """Returns the index of the most specific line that names the path's folder, or None."""
    best = None
    folder = os.path.dirname(path)
    for index, line in enumerate(order):
        is_inside = folder == line or folder.startswith(line + "/")
        is_match = "*" in line and any(fnmatch.fnmatch(part, line) for part in prefixes(folder))
        if (is_inside or is_match) and (best is None or length(line) > length(order[best])):
            best = index
    return best


def length(line):
    """Returns the specificity of a line; a line without a pattern is more specific."""
    return len(line.split("/")) * 2 - ("*" in line)


def prefixes(folder):
    parts = folder.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def resolve(include, path, known):
    """Returns the file of the tree that an include names, or None."""
    for root in ROOTS:
        if root + include in known:
            return root + include
    beside = os.path.normpath(os.path.join(os.path.dirname(path), include))
    return beside if beside in known else None


def is_checked(path):
    return tree.is_cpp(path) and not tree.is_test(path) and not path.startswith(("bench/", "examples/"))


def check_driver(include, target):
    if include.startswith("mlir/"):
        return f"includes '{include}'; tools/convoy must not use MLIR directly, move the code to a library"
    if target and target.startswith("compiler/") and not target.startswith(NO_STAGES):
        return f"includes '{include}', a stage's header; use compiler/Driver instead"
    return None


def check_file(path, text, order, known):
    findings = []
    own = folder_of(path, order)
    if own is None:
        return [tree.Finding(path, 1, "its folder is not in ARCHITECTURE.md's order of folders")]
    for match in INCLUDE.finditer(text):
        target = resolve(match.group(1), path, known)
        message = check_driver(match.group(1), target) if path.startswith(DRIVER) else None
        other = folder_of(target, order) if target else None
        if other is not None and other > own:
            message = (f"includes '{match.group(1)}' of {order[other]}, which is below {order[own]} in "
                       "ARCHITECTURE.md's order of folders")
        if message:
            findings.append(tree.Finding(path, text.count("\n", 0, match.start()) + 1, message))
    return findings


def check(root, files):
    if "ARCHITECTURE.md" not in files:
        return []
    order = read_order(tree.read(root, "ARCHITECTURE.md"))
    if order is None:
        return [tree.Finding("ARCHITECTURE.md", 1, f"has no order of folders between '{BEGIN}' and '{END}'")]
    known = set(files)
    findings = []
    for path in files:
        if is_checked(path):
            findings += check_file(path, tree.read(root, path), order, known)
    return findings


if __name__ == "__main__":
    tree.main(check)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that shared code does not name a device.

A device is a folder of compiler/Accelerators/. Outside this folder, no code under
compiler/, reference/ and runtime/core/ may include its headers or contain its name in an
identifier or a string. Shared code uses the interface, so that a new device needs only
its own folder and one line of CMakeLists.txt.
"""

import re

import tree

FOLDER = "compiler/Accelerators/"
SHARED = ("compiler/", "reference/", "runtime/core/")
NO_DEVICES = ("test",)


def devices(files):
    names = {path[len(FOLDER):].split("/")[0] for path in files
             if path.startswith(FOLDER) and "/" in path[len(FOLDER):]}
    return sorted(names - set(NO_DEVICES))


_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def without_comments(text):
    """Blanks comments and keeps strings, because comments may name devices."""
    def blank(match):
        found = match.group(0)
        return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)
    return _COMMENT_OR_STRING.sub(blank, text)


def check_file(path, text, names):
    findings = []
    code = without_comments(text)
    for name in names:
        if path.startswith(f"{FOLDER}{name}/"):
            continue
        pattern = rf'"Accelerators/{name}/|"{name.lower()}[-:"]|\b{name}(Device|Family)\b|\b{name.lower()}Family\b'
        for match in re.finditer(pattern, code):
            findings.append(tree.Finding(path, code.count("\n", 0, match.start()) + 1,
                                         f"{match.group(0)}: shared code names the device {name}; use the interface "
                                         "of Accelerator.h, or move this code to its folder"))
    return findings


def check(root, files):
    names = devices(files)
    findings = []
    for path in files:
        if path.startswith(SHARED) and tree.is_cpp(path) and not tree.is_test(path):
            findings += check_file(path, tree.read(root, path), names)
    return findings


if __name__ == "__main__":
    tree.main(check)

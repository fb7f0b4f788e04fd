# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that all stage folders have the same structure.

A folder under compiler/ with a Passes.td has README.md (30 lines at most),
Passes.h, Passes.cpp, Contract.cpp, one .cpp per pass named after it, and a lit
test per pass in test/ named in snake case. ARCHITECTURE.md lists each stage folder once in
the walk of a convolution, with a file that exists.
"""

import re

import tablegen
import tree

FILES = ("README.md", "Passes.h", "Passes.cpp", "Contract.cpp")
MAX_README = 30
WALK = "## A float convolution, folder by folder"


def snake_case(name):
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name).lower()


def check_pass_files(path, folder, files, record):
    """Checks that `ChooseConvBlockPass` is in ChooseConvBlock.cpp, a contract in Contract.cpp."""
    name = re.sub(r"Pass$", "", record.name)
    if "Contract" in name:
        name = "Contract"
    wanted = [f"{folder}/{name}.cpp", f"{folder}/test/{snake_case(name)}.mlir"]
    return [tree.Finding(path, record.line, f"{record.name} has no {want}")
            for want in wanted if want not in files]


def check_walk(root, present):
    """Checks the table of the section WALK of ARCHITECTURE.md."""
    text = tree.read(root, "ARCHITECTURE.md") if "ARCHITECTURE.md" in present else ""
    if WALK not in text:
        return []
    section = text.split(WALK)[1].split("\n## ")[0]
    first = text.split(WALK)[0].count("\n") + 1
    rows = re.findall(r"^\| `([\w/]+)` \|.*\| `([\w./]+)` \|$", section, re.MULTILINE)
    folders = [folder for folder, _ in rows]
    stages = sorted({path[:-len("/Passes.td")] for path in present if re.match(r"compiler/\w+/Passes\.td$", path)})
    findings = [tree.Finding("ARCHITECTURE.md", first, f"the walk lists {folder} {folders.count(folder)} times, expected once")
                for folder in sorted(set(stages + folders)) if folders.count(folder) != 1]
    return findings + [tree.Finding("ARCHITECTURE.md", first, f"the walk names {folder}/{file}, which does not exist")
                       for folder, file in rows if f"{folder}/{file}" not in present]


def check(root, files):
    present = set(files)
    findings = check_walk(root, present)
    for path in files:
        if not re.match(r"compiler/.*/Passes\.td$", path):
            continue
        folder = path[:-len("/Passes.td")]
        findings += [tree.Finding(path, 1, f"stage folder {folder} has no {name}")
                     for name in FILES if f"{folder}/{name}" not in present]
        readme = f"{folder}/README.md"
        if readme in present and tree.read(root, readme).count("\n") > MAX_README:
            findings.append(tree.Finding(
                readme, MAX_README, f"a stage README has at most {MAX_README} lines: takes, gives, "
                "may assume, does not do, start reading at"))
        for record in tablegen.records(tree.read(root, path)):
            if record.kind == "def" and tablegen.pass_flag(record) is not None:
                findings += check_pass_files(path, folder, present, record)
    return findings


if __name__ == "__main__":
    tree.main(check)

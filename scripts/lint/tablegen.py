# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the documentation of passes and ops.

Every pass has a summary, a description with Takes: and Gives:, and a
flag `convoy-<stage>-<verb>-<noun>` with a verb of the house list. Every op has a
summary. A constraint number cited in code or tests ([conv.2]) exists in a .td.
"""

import re
from collections import namedtuple

import tree

VERBS = "import infer fold choose insert cancel fuse split tile vectorize plan lower emit check".split()

Record = namedtuple("Record", "kind name line bases body")
_RECORD = re.compile(r"^[ \t]*(class|def)\s+(\w+)\s*(<[^{;]*?>)?\s*:\s*([^{;]+)(?=[{;])", re.MULTILINE | re.DOTALL)
_TEXT = re.compile(r"\[\{(.*?)\}\]|\"((?:\\.|[^\"\\])*)\"", re.DOTALL)


def _body(text, start):
    """Returns the text inside a record's braces, or an empty text for `;`."""
    if text[start] != "{":
        return ""
    depth, i = 0, start
    while i < len(text):
        literal = _TEXT.match(text, i)
        if literal:
            i = literal.end()
            continue
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[start:i + 1]
        i += 1
    return text[start:]


def records(text):
    """Returns the classes and defs of one .td that have a base class."""
    # Removes comments, but keeps `//` inside the IR of a literal.
    text = re.sub(r"(\[\{.*?\}\]|\"(?:\\.|[^\"\\])*\")|//[^\n]*",
                  lambda m: m.group(1) or " " * len(m.group(0)), text, flags=re.DOTALL)
    return [Record(m.group(1), m.group(2), text.count("\n", 0, m.start(1)) + 1, m.group(4),
                   _body(text, m.end())) for m in _RECORD.finditer(text)]


def field(body, name):
    """Returns the text of `let name = ...`, or None."""
    match = re.search(rf"\blet\s+{name}\s*=\s*", body)
    literal = _TEXT.match(body, match.end()) if match else None
    if not literal:
        return None if not match else ""
    return (literal.group(1) if literal.group(1) is not None else literal.group(2)).strip()


def base_name(record):
    return re.match(r"\s*(\w+)", record.bases).group(1)


# The stage of a folder, if the names differ.
STAGES = {"simplify": "graph"}


def stage_of(path):
    """compiler/Layout/Passes.td -> layout; compiler/Codegen/LLVM/Passes.td -> codegen.

    The passes of a device have its name: compiler/Accelerators/NVDLA/Compile/Passes.td -> nvdla."""
    if not path.startswith("compiler/") or path.count("/") < 2:
        return None
    folders = path.lower().split("/")[1:-1]
    folder = folders[1] if folders[0] == "accelerators" and len(folders) > 1 else folders[0]
    return STAGES.get(folder, folder)


def pass_flag(record):
    match = re.match(r"\s*(?:Interface)?Pass\s*<\s*\"([^\"]*)\"", record.bases)
    return match.group(1) if match else None


def check_pass(path, record):
    def finding(message):
        return tree.Finding(path, record.line, f"{record.name}: {message}")

    findings = []
    flag = pass_flag(record)
    parts = flag.split("-")
    stage = stage_of(path)
    if len(parts) < 4 or parts[0] != "convoy" or (stage and parts[1] != stage):
        findings.append(finding(f"flag '{flag}' is not convoy-{stage or '<stage>'}-<verb>-<noun>"))
    elif parts[2] not in VERBS:
        findings.append(finding(f"verb '{parts[2]}' of '{flag}' is not one of: {' '.join(VERBS)}"))
    if not record.name.endswith("Pass"):
        findings.append(finding("the def's name must end in Pass"))
    if not field(record.body, "summary"):
        findings.append(finding("no summary; describe in verb form what the pass does to the IR"))
    description = field(record.body, "description")
    if not description:
        findings.append(finding("no description; describe what it takes, gives and does not do"))
    else:
        findings += [finding(f"the description has no '{word}'") for word in ("Takes:", "Gives:")
                     if word not in description]
    return findings


def check_ops(path, all_records):
    classes = {r.name: r for r in all_records if r.kind == "class"}

    def has_summary(record):
        if field(record.body, "summary"):
            return True
        base = classes.get(base_name(record))
        return base is not None and has_summary(base)

    return [tree.Finding(path, record.line, f"{record.name}: op without a summary")
            for record in all_records
            if record.kind == "def" and base_name(record).endswith("Op") and not has_summary(record)]


_CITED = re.compile(r"\[([a-z][a-z0-9_]*)\.(\d+)\]")


def check_citations(root, files):
    known, numbers = set(), set()
    for path in files:
        if path.endswith(".td"):
            for op, number in _CITED.findall(tree.read(root, path)):
                known.add(op)
                numbers.add((op, number))
    findings = []
    for path in files:
        if not path.startswith(tree.CODE_FOLDERS) or not path.endswith((".cpp", ".mlir", ".h")):
            continue
        for line, text in enumerate(tree.read(root, path).splitlines(), 1):
            findings += [tree.Finding(path, line, f"[{op}.{number}] is not in any .td")
                         for op, number in _CITED.findall(text)
                         if op in known and (op, number) not in numbers]
    return findings


def check(root, files):
    findings = []
    for path in files:
        if not path.endswith(".td"):
            continue
        all_records = records(tree.read(root, path))
        for record in all_records:
            if record.kind == "def" and pass_flag(record) is not None:
                findings += check_pass(path, record)
        findings += check_ops(path, all_records)
    return findings + check_citations(root, files)


if __name__ == "__main__":
    tree.main(check)

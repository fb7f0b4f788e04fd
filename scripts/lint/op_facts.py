# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that facts about graph ops are in the .td of the ops, not in lists in the code.

A list of three or more graph ops in `isa<...>` usually states a fact about ops. A new op
is then missing from the list, and no error reports it. The fact belongs in
compiler/Graph/OpFacts.td, and each op declares it. Kernel templates, ConvCore and devices are exempt,
because they name the ops that they lower. A file that scripts/op_list_allow.txt lists with
a reason is exempt too. An entry that is no longer needed is a finding.

TableGen rejects an op without a class, and the compiler rejects a fact that does not exist.
The name in ComputedFact<"..."> is only a string, so this lint checks that
OpFacts.td has this method.
"""

import re

import cpp_scopes
import tree
from allow_list import AllowList

MAX_OPS = 2
FOLDERS = ("compiler/", "reference/", "check/", "reduce/", "tuning/", "timing/", "quantizer/", "io/", "report/", "tools/")
EXEMPT = ("compiler/Kernels/", "compiler/ConvCore/", "compiler/Accelerators/")
GRAPH = "compiler/Graph/"
FACTS = GRAPH + "OpFacts.td"
ALLOW_FILE = "scripts/op_list_allow.txt"

_OP = re.compile(r"^def Graph_(\w+Op)\b", re.MULTILINE)
_LIST = re.compile(r"\bisa(?:_and_nonnull|_and_present)?<([^<>()]*)>\s*\(")
_USES_GRAPH = re.compile(r"\busing namespace (?:convoy::)?graph;|\bnamespace convoy::graph\b")
_METHOD = re.compile(r"InterfaceMethod<\s*\"[^\"]*\",\s*\"[^\"]*\",\s*\"(\w+)\"")
_COMPUTED = re.compile(r"\bComputedFact<\"(\w*)\">")


def ops(root, files):
    """Returns the C++ names of all graph ops."""
    return {name for path in files if path.startswith(GRAPH) and path.endswith(".td")
            for name in _OP.findall(tree.read(root, path))}


def check_lists(path, text, names):
    code = cpp_scopes.blank_comments(text)
    are_unqualified = _USES_GRAPH.search(code) is not None
    findings = []
    for match in _LIST.finditer(code):
        found = [name.strip() for name in match[1].split(",")]
        found = [name for name in found if name.rpartition("::")[2] in names
                 and (name.endswith("graph::" + name.rpartition("::")[2]) or (are_unqualified and "::" not in name))]
        if len(found) > MAX_OPS:
            findings.append(tree.Finding(path, code.count("\n", 0, match.start()) + 1,
                                         f"isa<> of {len(found)} graph ops, at most {MAX_OPS}; declare the fact in {FACTS} "
                                         f"and in each op, or add the file to {ALLOW_FILE} with a reason"))
    return findings


def check_computed(root, files):
    methods = set(_METHOD.findall(tree.read(root, FACTS))) if FACTS in files else set()
    findings = []
    for path in files:
        if path.startswith(GRAPH) and path.endswith(".td"):
            text = tree.read(root, path)
            findings += [tree.Finding(path, text.count("\n", 0, match.start()) + 1,
                                      f"ComputedFact<\"{match[1]}\">: {FACTS} has no method of this name")
                         for match in _COMPUTED.finditer(text) if match[1] not in methods]
    return findings


def check(root, files):
    names = ops(root, files)
    allow, findings = AllowList(root, ALLOW_FILE, "add why the list is not a fact"), []
    for path in files:
        if not path.startswith(FOLDERS) or path.startswith(EXEMPT) or not tree.is_cpp(path) or tree.is_test(path):
            continue
        findings += allow.filter(path, check_lists(path, tree.read(root, path), names))
    findings += allow.stale(f"has no list of more than {MAX_OPS} graph ops; remove the entry")
    return allow.findings + findings + check_computed(root, files)


if __name__ == "__main__":
    tree.main(check)

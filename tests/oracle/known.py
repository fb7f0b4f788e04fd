# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads known_differences.json: differences that stay, each with the clause of the ONNX standard that decides.

An entry has `cases` (patterns of names as of fnmatch), `targets`, `difference`, and `clause`."""

import fnmatch
import functools
import json
import pathlib

FILE = pathlib.Path(__file__).resolve().parent / "known_differences.json"
KEYS = {"cases", "targets", "difference", "clause"}


@functools.lru_cache(None)
def entries():
    found = json.loads(FILE.read_text())
    for entry in found:
        if set(entry) != KEYS or not all(entry.values()):
            raise SystemExit(f"{FILE.name}: expected the keys {', '.join(sorted(KEYS))} with values, got {entry}")
    return found


def entry_of(name, target):
    for entry in entries():
        if target in entry["targets"] and any(fnmatch.fnmatchcase(name, pattern) for pattern in entry["cases"]):
            return entry
    return None


def is_listed(case):
    return any(entry_of(case.name, target) for target in case.targets)


def check(case, target, answer):
    """Returns the problem of an answer, or an empty text, and whether the answer is a listed difference."""
    entry = entry_of(case.name, target)
    if answer.kind == "differs":
        return ("", True) if entry else (answer.text, False)
    if entry and answer.kind == "agrees":
        return f"known_differences.json lists a difference that does not occur: {entry['difference']}", False
    return "", False

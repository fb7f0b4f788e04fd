# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rejects British spelling in sources, documents and the names of files.

Names on disk and on the wire keep the spelling with which they were published: columns of databases,
fields of records and messages, and the old names of the public interface.
"""

import os
import re

import tree

# Stems of verbs in -ise, whose American form ends in -ize.
STEMS = ("bufferi", "canonicali", "customi", "equali", "factori", "finali", "generali", "initiali", "legali", "materiali",
         "maximi", "minimi", "normali", "optimi", "organi", "paralleli", "penali", "prioriti", "quanti", "randomi", "recogni",
         "regulari", "seriali", "speciali", "stabili", "summari", "synchroni", "tokeni", "utili", "vectori", "visuali")
ENDINGS = "e|ed|es|er|ers|ing|able|ation|ations|ational"
WORDS = {"artefact": "artifact", "neighbour": "neighbor", "behaviour": "behavior", "colour": "color", "favour": "favor",
         "centre": "center", "centred": "centered", "grey": "gray", "cancelled": "canceled", "ageing": "aging",
         "labelled": "labeled", "modelled": "modeled", "licence": "license", "analysed": "analyzed", "misspelt": "misspelled"}
# An identifier joins words: a word starts after a letter if it starts with a capital, or after a prefix.
WORD = re.compile(r"(?<![A-Za-z])(?:re|de|un|pre)?(?:(?P<stem>{0})s(?P<end>{1})(?![a-z])|(?P<word>{2}))|"
                  r"(?<=[a-z])(?:(?P<Stem>(?-i:{3}))s(?P<End>{1})(?![a-z])|(?P<Word>(?-i:{4})))".format(
                      "|".join(STEMS), ENDINGS, "|".join(WORDS),
                      "|".join(stem.capitalize() for stem in STEMS), "|".join(word.capitalize() for word in WORDS)),
                  re.IGNORECASE)
# Published names and a function of gRPC, and the files that define, read or write them.
PUBLISHED = re.compile(r"\bartefact\b|\bArtefact\b|\bArtefactFiles\b|\bCANCELLED\b|\bIsCancelled\b")
PUBLISHED_FILES = ("compiler/include/convoy/artefact.h", "compiler/include/convoy/workflow.h", "service/", "tests/fuzz/seed_texts.py", "tests/tuning/",
                   "tuning/build/", "tuning/records/", "docs/reference/", "tools/", "python/", "docs/howto/")
# Recorded data, and this lint.
EXEMPT = ("service/api/test/json_forms", "tests/artifacts/records.jsonl", "tests/artifacts/expected.txt",
          "scripts/lint/spelling.py", "scripts/lint/test/test_spelling.py")
# A text without any of these has no finding; searching them takes a tenth of the time of WORD.
PARTS = tuple(stem + "s" for stem in STEMS) + tuple(WORDS)
TEXTS = (".cpp", ".h", ".c", ".S", ".td", ".py", ".pyi", ".sh", ".cmake", ".mlir", ".md", ".txt", ".json", ".inc", ".in", ".proto",
         ".sql", ".yml", ".ts")


def american(match):
    """Returns the American form of a rejected word."""
    end = match["end"] or match["End"]
    if end:
        return match[0][:-len(end) - 1] + "z" + end
    return WORDS[(match["word"] or match["Word"]).lower()]


def check_line(path, number, line):
    if path.startswith(PUBLISHED_FILES):
        line = PUBLISHED.sub("", line)
    return [tree.Finding(path, number, f"British spelling '{match[0]}'; write '{american(match)}'")
            for match in WORD.finditer(line)]


def check(root, files):
    findings = []
    for path in files:
        if path.startswith(EXEMPT) or os.path.splitext(path)[1] not in TEXTS + ("",):
            continue
        text = tree.read(root, path)
        if "\0" in text:
            continue
        findings += check_line(path, 1, path)
        lower = text.lower()
        if not any(part in lower for part in PARTS):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            findings += check_line(path, number, line)
    return findings


if __name__ == "__main__":
    tree.main(check)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rejects statements about missing features that other files of the tree refute, and internal goals.

1. A planned item of docs/roadmap.md (a list item before "What Convoy does not plan") must not
   name a verb or flag of docs/reference/command-line.md, which is generated, and its title
   must not be the title of an entry of CHANGELOG.md.
2. A **no** in README.md must have a row in NO, and no entry of CHANGELOG.md may
   match the expression of this row.
3. A page of docs/ outside of docs/decisions/ states results, not the goals of their authors.
"""

import re

import tree

ROADMAP, CHANGELOG, COMMANDS = "docs/roadmap.md", "CHANGELOG.md", "docs/reference/command-line.md"
README = "README.md"
# The first cell of a row of the README with **no**, and the entry of the changelog that would refute it.
NO = {"GPU": r"\bGPUs?\b", "dynamic shapes": r"\b(open|dynamic) (dimension|shape)s?\b",
      "binary packages": r"\b(Debian|binary) packages?\b"}
GOAL = re.compile(r"\bwanted\b|\(target:? (below )?[\d.]|\bmiss(es)? (its|their) targets?\b|\btarget was\b", re.IGNORECASE)
NOT_PLANNED = "## What Convoy does not plan"


def items(text):
    """(line number, text) of each list item; an item continues on indented lines."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("- "):
            found.append([number, line[2:]])
        elif found and line.startswith("  "):
            found[-1][1] += " " + line.strip()
    return found


def verbs_and_flags(commands):
    """The verbs, as `convoy VERB`, and the flags of the page of the command line."""
    return set(re.findall(r"^## (convoy .+)$", commands, re.MULTILINE)) | set(re.findall(r"(?<![\w-])--[a-z][\w-]+", commands))


def refuted(item, existing, done):
    """Returns why a planned item exists already, or None."""
    for code in re.findall(r"`([^`]+)`", item):
        for name in existing:
            if re.match(re.escape(name) + r"(?![\w-])", code):
                return f"`{name}` exists ({COMMANDS})"
    title = re.match(r"\*\*(.+?)\.?\*\*", item)
    if title and any(re.match(re.escape(title[1]) + r"\b", entry, re.IGNORECASE) for entry in done):
        return f"{CHANGELOG} lists '{title[1]}'"
    return None


def check_roadmap(pages):
    planned = items(pages[ROADMAP].split(NOT_PLANNED)[0])
    existing = verbs_and_flags(pages.get(COMMANDS, ""))
    done = [text for _, text in items(pages.get(CHANGELOG, ""))]
    for number, item in planned:
        reason = refuted(item, existing, done)
        if reason:
            yield tree.Finding(ROADMAP, number, f"the item is planned, but {reason}; delete the item")


def check_readme(pages):
    done = [text for _, text in items(pages.get(CHANGELOG, ""))]
    for number, line in enumerate(pages[README].splitlines(), 1):
        if "**no**" not in line:
            continue
        claim = line.strip("| ").split("|")[0].strip()
        if claim not in NO:
            yield tree.Finding(README, number, f"'{claim}' is **no**; add what would refute it to scripts/lint/claims.py")
        elif any(re.search(NO[claim], entry, re.IGNORECASE) for entry in done):
            yield tree.Finding(README, number, f"'{claim}' is **no**, but {CHANGELOG} lists it")


def check_goals(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        goal = GOAL.search(line)
        if goal:
            yield tree.Finding(path, number, f"'{goal[0]}' is an internal goal; state the result only")


def check(root, files):
    pages = {path: tree.read(root, path) for path in (README, ROADMAP, CHANGELOG, COMMANDS) if path in files}
    findings = [finding for path, part in ((ROADMAP, check_roadmap), (README, check_readme)) if path in pages
                for finding in part(pages)]
    for path in files:
        if path.startswith("docs/") and path.endswith(".md") and not path.startswith("docs/decisions/"):
            findings += check_goals(path, tree.read(root, path))
    return findings


if __name__ == "__main__":
    tree.main(check)

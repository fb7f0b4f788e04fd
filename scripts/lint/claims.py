# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rejects statements about missing features that other files of the tree refute, internal goals, and old names of flags.

1. A planned item of docs/roadmap.md (a list item before "What Convoy does not plan") must not
   name a verb or flag of docs/reference/command-line.md, which is generated, and its title
   must not be the title of an entry of CHANGELOG.md.
2. A **no** in README.md must have a row in NO, and no entry of CHANGELOG.md may
   match the expression of this row.
3. Each row of the comparison in README.md that claims a feature must have a row in EVIDENCE, whose
   words a generated page contains: the page of the command line, of the ops or of the devices.
4. A number in README.md is a fact (scripts/doc_facts.py) or part of the generated summary of the
   benchmarks. NAMES lists the numbers that belong to names.
5. A page of docs/ outside of docs/decisions/ states results, not the goals of their authors.
6. A page except CHANGELOG.md writes flags and verbs of `convoy` by their names of today. options/*.td
   lists the old names. SCRIPT_FLAGS lists the old names that are flags of scripts.
"""

import re

import tree

ROADMAP, CHANGELOG, COMMANDS = "docs/roadmap.md", "CHANGELOG.md", "docs/reference/command-line.md"
README = "README.md"
# The first cell of a row of the README with **no**, and the entry of the changelog that would refute it.
NO = {"GPU": r"\bGPUs?\b", "dynamic shapes": r"\b(open|dynamic) (dimension|shape)s?\b",
      "binary packages": r"\b(Debian|binary) packages?\b"}
# The first cell of a row of the comparison, and the generated page and words that prove the cell of Convoy.
EVIDENCE = {
    "model formats": (COMMANDS, r"Read this ONNX model"),
    "what you ship": (COMMANDS, r"--emit library\|c\|program"),
    "portable C output": (COMMANDS, r"Compile a model to a library or C source"),
    "bare metal": (COMMANDS, r"^  --max-flash SIZE"),
    "int8 calibration": (COMMANDS, r"^  --calibrate DIR"),
    "search for faster kernels": (COMMANDS, r"^## convoy tune$"),
    "NVDLA": ("docs/reference/devices.md", r"^## nvdla-\w+$"),
    "Python interface": ("docs/reference/python-api.md", r"^### convoy\.compile$"),
}
COMPARISON = re.compile(r"\| \| Convoy \|")
UNTESTED = {"community"}
NUMBER = re.compile(r"(?<![\w.,/-])\d[\d.,]*\d|(?<![\w.,/-])\d")
NAMES = re.compile(r"Debian 12|MLIR 19|LLVM 19|ONNX 1\.20|64-bit|32-bit|September \d{4}|Apache-2\.0|(in|since) 20\d\d")
GOAL = re.compile(r"\bwanted\b|\(target:? (below )?[\d.]|\bmiss(es)? (its|their) targets?\b|\btarget was\b", re.IGNORECASE)
OPTIONS = re.compile(r"options/\w+\.td")
SCRIPT_FLAGS = {"--against"}
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


def check_comparison(pages):
    """Each row with a claim of Convoy has evidence in a generated page."""
    is_inside = False
    for number, line in enumerate(pages[README].splitlines(), 1):
        is_inside = line.startswith("|") and (is_inside or COMPARISON.match(line) is not None)
        if not is_inside or COMPARISON.match(line) or set(line) <= set("|-"):
            continue
        claim, cell = (cell.strip() for cell in line.strip("|").split("|")[:2])
        if claim in UNTESTED or cell.startswith("**no**"):
            continue
        if claim not in EVIDENCE:
            yield tree.Finding(README, number, f"'{claim}' has no evidence; add a row to EVIDENCE in scripts/lint/claims.py")
            continue
        page, words = EVIDENCE[claim]
        if cell == "no" or not re.search(words, pages.get(page, ""), re.MULTILINE):
            yield tree.Finding(README, number, f"'{claim}': {page} has no text that matches '{words}'; correct the row")


def without_generated(text):
    """The text with empty lines in place of code blocks and generated parts."""
    for part in (r"^```.*?^```$", r"<!-- benchmark summary -->.*?<!-- end of benchmark summary -->", r"<!-- fact: \S+ -->.*?<!-- end -->",
                 r"<!--.*?-->", r"`[^`\n]*`", r"\]\([^)]*\)", r"<[a-z/][^>]*>"):
        text = re.sub(part, lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL | re.MULTILINE)
    return text


def check_numbers(pages):
    for number, line in enumerate(without_generated(pages[README]).splitlines(), 1):
        for found in NUMBER.findall(NAMES.sub("", line)):
            yield tree.Finding(README, number, f"the number {found} is not generated; make it a fact of scripts/doc_facts.py, or add the "
                                               "name that contains it to NAMES in scripts/lint/claims.py")


def check_goals(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        goal = GOAL.search(line)
        if goal:
            yield tree.Finding(path, number, f"'{goal[0]}' is an internal goal; state the result only")


def old_names(table):
    """(expression, old name) of each old flag and old verb of the table of options."""
    for names in re.findall(r"let oldNames = \[([^\]]*)\]", table):
        for name in re.findall(r'"([^"]+)"', names):
            before = r"`convoy [^`]*" if name in SCRIPT_FLAGS else ""
            yield re.compile(rf"{before}(?<![\w-]){re.escape(name)}(?![\w-])"), name
    # A verb whose old name depends on its arguments has a third parameter.
    for name in re.findall(r'OldVerb<"([^"]+)", "[^"]+">', table):
        yield re.compile(rf"\bconvoy {re.escape(name)}(?![\w-])"), f"convoy {name}"


def check_old_names(path, text, names):
    for number, line in enumerate(text.splitlines(), 1):
        for expression, name in names:
            if expression.search(line):
                yield tree.Finding(path, number, f"'{name}' is an old name; write the name that options/*.td has today")


def check(root, files):
    read = (README, ROADMAP, CHANGELOG, *(page for page, _ in EVIDENCE.values()))
    pages = {path: tree.read(root, path) for path in read if path in files}
    parts = ((ROADMAP, check_roadmap), (README, check_readme), (README, check_comparison), (README, check_numbers))
    findings = [finding for path, part in parts if path in pages for finding in part(pages)]
    names = list(old_names("".join(tree.read(root, path) for path in files if OPTIONS.fullmatch(path))))
    for path in files:
        if path.endswith(".md") and path != CHANGELOG:
            findings += check_old_names(path, tree.read(root, path), names)
        if path.startswith("docs/") and path.endswith(".md") and not path.startswith("docs/decisions/"):
            findings += check_goals(path, tree.read(root, path))
    return findings


if __name__ == "__main__":
    tree.main(check)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the links of all Markdown files.

1. The target of each relative link exists, and so does the heading that its anchor names.
2. Each page under docs/ is reachable from docs/README.md in at most two clicks.
3. Each page of docs/howto/ and each page directly in docs/ is reachable from README.md in at most
   two clicks, so that a visitor finds it. NEEDED lists pages that must exist.
4. Each table of docs/README.md has at most seven rows.
5. Each path in backticks that starts with a folder of the repository exists. The
   changelog is exempt, because its entries describe older trees.

The lint ignores fenced code blocks and links to other sites.
"""

import os
import posixpath
import re
from collections import namedtuple
from urllib.parse import unquote

import tree

INDEX = "docs/README.md"
FRONT = "README.md"
MARKER = "docs/howto/install.md"  # trees without it, such as those of the tests of other rules, need no pages
CLICKS = 2
ROWS = 7  # of a table of the index
FOR_VISITORS = re.compile(r"docs/(howto/)?[^/]+\.md")
# What a visitor looks for, and the pages that answer.
NEEDED = {
    "install": ["docs/howto/install.md"],
    "first model": ["docs/tutorial.md"],
    "troubleshooting": ["docs/howto/troubleshooting.md"],
    "unsupported op": ["docs/howto/unsupported-op.md"],
    "export": ["docs/howto/export-pytorch.md", "docs/howto/export-tensorflow.md"],
    "cross-compile": ["docs/howto/raspberry-pi.md"],
    "int8": ["docs/howto/int8.md"],
    "firmware": ["docs/howto/float-to-board.md"],
    "CMake": ["docs/howto/cmake.md"],
    "threads and containers": ["docs/howto/threads.md"],
    "other projects": ["docs/howto/coming-from.md"],
    "tested models": ["docs/reference/tested-models.md"],
    "compatibility": ["docs/compatibility.md"],
    "determinism": ["docs/determinism.md"],
    "security": ["docs/security.md"],
}
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^()\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
CODE = re.compile(r"`+[^`]*`+")
PATH = re.compile(r"^[A-Za-z0-9_.+-]+(?:/[A-Za-z0-9_.+-]+)*/?$")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
OTHER_SITE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)

Link = namedtuple("Link", "line path anchor")


def text_lines(text):
    """(number, line) of each line outside fenced code blocks."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and fence is None:
            fence = mark.group(1)
        elif mark and line.strip().startswith(fence):
            fence = None
        elif fence is None:
            yield number, line


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")


def anchors(text):
    """All anchors of a page; a repeated heading gets a number."""
    found, count = set(), {}
    for _, line in text_lines(text):
        heading = HEADING.match(line)
        if heading:
            name = slug(heading.group(1))
            found.add(f"{name}-{count[name]}" if name in count else name)
            count[name] = count.get(name, 0) + 1
        found.update(re.findall(r"<a\s+(?:id|name)=\"([^\"]+)\"", line))
    return found


def links(path, text):
    """The relative links of a page, with paths from the root of the repository."""
    lines = list(text_lines(text))
    # A link may continue on the next line; code in backticks holds no links.
    joined = "\n".join(CODE.sub(lambda found: "x" * len(found.group()), line) for _, line in lines)
    for found in LINK.finditer(joined):
        target = found.group(1)
        if OTHER_SITE.match(target):
            continue
        name, _, anchor = target.partition("#")
        base = posixpath.dirname(path)
        full = posixpath.normpath(posixpath.join(base, unquote(name))) if name else path
        number = lines[joined.count("\n", 0, found.start())][0]
        yield Link(number, full, anchor)


def page_of(target, pages):
    """The page that a link to a file or folder shows, or None."""
    if target in pages:
        return target
    index = posixpath.join(target, "README.md")
    return index if index in pages else None


def check_links(root, path, pages):
    for link in links(path, pages[path]):
        if link.path.startswith("../") or not os.path.exists(os.path.join(root, link.path)):
            yield tree.Finding(path, link.line, f"link to {link.path}, which does not exist")
        elif link.anchor:
            page = page_of(link.path, pages)
            if page and link.anchor not in anchors(pages[page]):
                yield tree.Finding(path, link.line, f"link to #{link.anchor}, but {page} has no such heading")


def check_paths(root, path, text, folders):
    for number, line in text_lines(text):
        for code in CODE.findall(line):
            name = code.strip("`").strip()
            if not PATH.match(name) or "/" not in name or name.split("/")[0] not in folders:
                continue
            if ".." not in name and "NNNN" not in name and not os.path.exists(os.path.join(root, name)):
                yield tree.Finding(path, number, f"names {name}, which does not exist")


def reached_from(start, pages):
    """The pages within CLICKS clicks of a page."""
    reached = frontier = {start}
    for _ in range(CLICKS):
        targets = {page_of(link.path, pages) for page in frontier for link in links(page, pages[page])}
        frontier = targets - reached - {None}
        reached = reached | frontier
    return reached


def check_needed(pages):
    """Yields the subjects without a page within CLICKS clicks of the README."""
    reached = reached_from(FRONT, pages)
    for subject, needed in NEEDED.items():
        for path in needed:
            if path not in reached:
                yield tree.Finding(FRONT, 1, f"a visitor who looks for '{subject}' does not find {path} within {CLICKS} clicks")


def check_reachable(pages):
    for start, pattern in ((INDEX, re.compile("docs/.*")), (FRONT, FOR_VISITORS)):
        if start not in pages or INDEX not in pages:
            continue
        reached = reached_from(start, pages)
        for path in pages:
            if pattern.fullmatch(path) and path not in reached:
                yield tree.Finding(path, 1, f"no link from {start} leads here within {CLICKS} clicks")


def check_rows(text):
    """The index is a choice of few rows; a group with more is two groups."""
    rows = 0
    for number, line in text_lines(text):
        rows = rows + 1 if line.startswith("|") else 0
        if rows == ROWS + 3:  # with the heading and the line below it
            yield tree.Finding(INDEX, number, f"the table has more than {ROWS} rows; merge rows or split the group")


def check(root, files):
    pages = {path: tree.read(root, path) for path in files if path.endswith(".md")}
    folders = {path.split("/")[0] for path in files if "/" in path}
    findings = []
    for path, text in pages.items():
        findings += check_links(root, path, pages)
        if os.path.basename(path) != "CHANGELOG.md":
            findings += check_paths(root, path, text, folders)
    findings += check_rows(pages.get(INDEX, ""))
    if MARKER in files and FRONT in pages:
        findings += check_needed(pages)
    return findings + list(check_reachable(pages))


if __name__ == "__main__":
    tree.main(check)

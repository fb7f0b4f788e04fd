# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites a page of the repository for MkDocs.

The pages are written for CommonMark. Python-Markdown, which MkDocs uses, differs in three rules:
the content of a list item has an indentation of four, a blank line precedes a list and a
table, and headings have other anchors. stage.py calls `convert` on each page.
"""

import re

import links

MARKER = re.compile(r"( *)([-*+]|\d{1,9}[.)])( +)(.*)")
FENCE = re.compile(r" *(```+|~~~+)")
PICTURE = re.compile(
    r"(?:<p[^>]*>\s*)?<picture>\s*<source media=\"\(prefers-color-scheme: dark\)\" srcset=\"([^\"]+)\">\s*"
    r"<img alt=\"([^\"]*)\" src=\"([^\"]+)\">\s*</picture>(?:\s*</p>)?")
NO_LINK = re.compile(r"\](?=\(\[)")  # CommonMark links to no address that contains blanks
STEP = " " * 4  # the indentation of Python-Markdown


def replace_pictures(text):
    """`<picture>` follows the system's color scheme; these images follow the switch of the site."""
    return PICTURE.sub(r"![\2](\3#only-light)\n![\2](\1#only-dark)", text)


class Converter:
    """Copies lines; `offsets` holds the columns of the content of the open list items."""

    def __init__(self):
        self.lines = []
        self.offsets = []
        self.fence = None
        self.slugs = {}

    def previous(self):
        return self.lines[-1].strip() if self.lines else ""

    def add(self, text):
        self.lines.append(STEP * len(self.offsets) + text if text else "")

    def add_blank(self):
        if self.previous():
            self.lines.append("")

    def close_items(self, column):
        while self.offsets and column < self.offsets[-1]:
            self.offsets.pop()

    def in_fence(self, line):
        """Copies a line of a fenced block without the indentation of its item."""
        margin = self.offsets[-1] if self.offsets else 0
        self.add(line[margin:] if not line[:margin].strip() else line.lstrip())
        if line.strip().startswith(self.fence) and not line.strip().strip(self.fence[0]):
            self.fence = None

    def open_item(self, found):
        column, marker, gap, rest = len(found.group(1)), found.group(2), found.group(3), found.group(4)
        was_inside = bool(self.offsets)
        self.close_items(column)
        if not was_inside:
            self.add_blank()
        self.add(f"{marker.replace(')', '.')} {rest}".rstrip())
        self.offsets.append(column + len(marker) + len(gap))

    def heading(self, line):
        slug = links.slug(links.HEADING.match(line).group(1))
        count = self.slugs.get(slug, 0)
        self.slugs[slug] = count + 1
        self.add(f"{line.rstrip()} {{#{slug}-{count}}}" if count else f"{line.rstrip()} {{#{slug}}}")

    def interrupts(self, found):
        """True if the marker opens an item here and is not a number at the start of a line of text."""
        return bool(self.offsets) or not self.previous() or not found.group(2)[0].isdigit() or found.group(2)[:-1] == "1"

    def line(self, line):
        if self.fence:
            self.in_fence(line)
            return
        if not line.strip():
            self.lines.append("")
            return
        if "`" not in line:
            line = NO_LINK.sub(r"\\]", line)
        found = MARKER.fullmatch(line)
        fence, column = FENCE.match(line), len(line) - len(line.lstrip())
        if found and self.interrupts(found):
            self.open_item(found)
            return
        starts_block = fence or line.lstrip().startswith(("|", "#", "<"))
        if not self.previous() or starts_block:
            self.close_items(column)
        if line.startswith("|") and self.previous() and not self.previous().startswith("|"):
            self.add_blank()
        if links.HEADING.match(line) and not self.offsets:
            self.heading(line)
            return
        self.add(line.lstrip() if self.offsets else line)
        if fence:
            self.fence = fence.group(1)


def convert(text):
    converter = Converter()
    for line in replace_pictures(text).splitlines():
        converter.line(line)
    return "\n".join(converter.lines) + "\n"

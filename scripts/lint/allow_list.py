# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the files that a lint exempts: one path with a reason per line.

An entry without a reason is a finding, and so is an entry that exempts nothing.
"""

import os

import tree


class AllowList:
    def __init__(self, root, path, remedy):
        """`remedy` completes the finding of an entry without a reason."""
        self.path, self.unused, self.findings = path, {}, []
        text = tree.read(root, path) if os.path.exists(os.path.join(root, path)) else ""
        for number, line in enumerate(text.splitlines(), 1):
            fields = line.split(None, 1)
            if not fields or line.startswith("#"):
                continue
            self.unused[fields[0]] = number
            if len(fields) < 2:
                self.findings.append(tree.Finding(path, number, f"{fields[0]} has no reason; {remedy}"))
        self.entries = set(self.unused)

    def filter(self, path, found):
        """Returns the findings of a file, or none if the list exempts the file."""
        if path not in self.entries:
            return found
        if found:
            self.unused.pop(path, None)
        return []

    def stale(self, message):
        """Returns a finding per entry that exempted nothing; the message follows its path."""
        return [tree.Finding(self.path, number, f"{path} {message}") for path, number in self.unused.items()]

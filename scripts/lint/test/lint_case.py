# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Base class of the lint tests: writes a small tree, runs one lint and checks the findings."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import tree  # noqa: E402


class LintCase(unittest.TestCase):
    lint = None  # the module under test

    def findings(self, contents):
        """Returns `path:line: message` of every finding on a tree of {path: text}."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in contents.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as file:
                    file.write(text)
            found = type(self).lint.check(root, tree.list_files(root))
            return [f"{f.path}:{f.line}: {f.message}" for f in found]

    def assert_clean(self, contents):
        self.assertEqual(self.findings(contents), [])

    def assert_one(self, contents, start, *words):
        """Checks that there is exactly one finding, which begins with `start` and contains each of
        `words`."""
        found = self.findings(contents)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(start), found[0])
        for word in words:
            self.assertIn(word, found[0])

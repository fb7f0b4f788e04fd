# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests commits.py: subjects with a wrong format, and valid subjects."""

import unittest

import lint_case  # noqa: F401  (sets the path)
import commits


class Commits(unittest.TestCase):
    def test_a_long_subject(self):
        self.assertIn("at most 72", commits.problems("Layout: " + "pack " * 14)[0])

    def test_a_subject_without_a_component(self):
        self.assertIn("Component: imperative", commits.problems("pack weights")[0])

    def test_a_subject_in_another_mood(self):
        for verb in ("adds", "added", "adding"):
            self.assertIn("imperative", commits.problems(f"Layout: {verb} a pass")[0])

    def test_a_full_stop(self):
        self.assertEqual(["ends with a full stop"], commits.problems("Layout: add a pass."))

    def test_subjects_of_the_format(self):
        for subject in ("Layout: pack weights of grouped convolutions", "Import, tests: pass on the name",
                        "CMake: add CONVOY_BUILD_TESTS, which builds only the tools", "Abstract device: need fewer bytes",
                        "Docs tests: address links by path"):
            self.assertEqual([], commits.problems(subject), subject)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the lint of British spelling."""

import unittest

import lint_case
import spelling


class Spelling(lint_case.LintCase):
    lint = spelling

    def test_american_words(self):
        self.assert_clean({"a.md": "Quantize the neighbor, a precise promise of the optimizer.\n",
                           "a.h": "markAllAnalysesPreserved(); isCanceled(); likelihood(noise);\n"})

    def test_words_of_prose(self):
        self.assert_one({"a.md": "It is quantised.\n"}, "a.md:1: British spelling 'quantised'; write 'quantized'")
        self.assert_one({"a.md": "x\nThe Behaviour.\n"}, "a.md:2: British spelling 'Behaviour'; write 'behavior'")
        self.assert_one({"a.md": "dequantises\n"}, "a.md:1: British spelling 'dequantises'; write 'dequantizes'")

    def test_identifiers(self):
        self.assert_one({"a.cpp": "int kNeighbours;\n"}, "a.cpp:1: British spelling 'Neighbour'")
        self.assert_one({"a.cpp": "bool isQuantised();\n"}, "a.cpp:1: British spelling 'Quantised'; write 'Quantized'")
        self.assert_one({"a.py": "by_artefact = {}\n"}, "a.py:1: British spelling 'artefact'; write 'artifact'")

    def test_names_of_files(self):
        self.assert_one({"Neighbours.cpp": "int x;\n"}, "Neighbours.cpp:1: British spelling 'Neighbour'")

    def test_published_names(self):
        self.assert_clean({"service/store/Rows.cpp": "select artefact from trials; JobState::CANCELLED\n"})
        self.assert_one({"service/store/Rows.cpp": "artefact artefacts\n"}, "service/store/Rows.cpp:1: British spelling")
        self.assert_one({"check/a.cpp": "JobState::CANCELLED\n"}, "check/a.cpp:1: British spelling 'CANCELLED'")


if __name__ == "__main__":
    unittest.main()

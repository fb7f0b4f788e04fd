# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the checks of opening comments and characters."""

import unittest

import lint_case
import file_text

HEADER = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n//\n// What it is for.\n"


class FileText(lint_case.LintCase):
    lint = file_text

    def test_good_headers(self):
        self.assert_clean({"a.cpp": HEADER + "int x;\n",
                           "run": "#!/bin/sh\n" + HEADER.replace("//", "#"),
                           "README.md": "No header needed, \u00b5s allowed.\n", "a.mlir": "// RUN: x\n"})

    def test_missing_header(self):
        self.assert_one({"a.cpp": "int x;\n"}, "a.cpp:1: the file must open with: SPDX")
        self.assert_one({"a.sh": "#!/bin/sh\necho\n"}, "a.sh:2: the file must open with: SPDX")

    def test_header_without_a_word(self):
        self.assert_one({"a.h": HEADER.splitlines()[0] + "\n//\n\n\n"}, "a.h:2:", "two to eight lines")

    def test_bytes(self):
        self.assert_one({"a.h": HEADER + "int x; \n"}, "a.h:4: trailing blanks")
        self.assert_one({"a.h": HEADER + "int x;"}, "a.h:4: no newline")
        self.assert_one({"a.h": HEADER + "// \u00b5s\n"}, "a.h:4: not ASCII")
        self.assert_one({"a.h": HEADER + "\tint x;\n"}, "a.h:4: tab")
        self.assert_one({"a.md": "word  \n"}, "a.md:1: trailing blanks")


if __name__ == "__main__":
    unittest.main()

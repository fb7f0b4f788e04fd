# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests shared code that names a device, and code that may name it."""

import unittest

import devices
import lint_case

DEVICE = "compiler/Accelerators/Thing/Thing.cpp"
SHARED = "compiler/Place/A.cpp"


class Devices(lint_case.LintCase):
    lint = devices

    def test_shared_code_names_no_device(self):
        for text in ('#include "Accelerators/Thing/Thing.h"\n', 'bool x = name == "thing";\n',
                     'auto t = find("thing-small");\n', "auto &f = thingFamily();\n"):
            self.assert_one({DEVICE: "int x();\n", SHARED: text}, f"{SHARED}:1:", "Thing")

    def test_a_device_names_itself(self):
        self.assert_clean({DEVICE: '#include "Accelerators/Thing/Commands.h"\nauto n = "thing";\n'})

    def test_comments_and_other_words_are_free(self):
        self.assert_clean({DEVICE: "int x();\n", SHARED: "// as in \"thing\"\nint things = 1;\nauto s = \"something\";\n"})


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests attribute names that are spelled twice, and text that may contain a name."""

import unittest

import lint_case  # first: it adds the folder of the lints to the path
import attributes

HEADER = "compiler/Graph/Attributes.h"
CODE = "compiler/Place/A.cpp"
CONSTANT = 'inline constexpr llvm::StringLiteral kNameAttr = "graph.name";\n'


class Attributes(lint_case.LintCase):
    lint = attributes

    def test_a_name_is_spelled_once(self):
        for text in ('f.setArgAttr(i, "graph.name", x);\n', 'bool b = key == "graph.name";\n'):
            self.assert_one({HEADER: CONSTANT, CODE: text}, f"{CODE}:1:", "spells 'graph.name' again", HEADER)

    def test_a_name_has_one_constant(self):
        other = "compiler/Memory/Passes.h"
        text = 'constexpr llvm::StringLiteral kOtherAttr =\n    "graph.name";\n'
        self.assert_one({HEADER: CONSTANT, other: text}, f"{other}:2:", "is already a constant of")

    def test_a_constant_is_in_a_header(self):
        self.assert_one({CODE: CONSTANT}, f"{CODE}:1:", "move it to a header")

    def test_an_access_uses_a_constant(self):
        for text in ('op->getAttrOfType<UnitAttr>("task.mark");\n', 'op->hasAttr("task.mark");\n',
                     'f.getArgAttr(i, "task.mark");\n', 'op->removeAttr(\n"task.mark");\n'):
            self.assert_one({CODE: text}, CODE, "reads or sets 'task.mark' by a literal")

    def test_tests_are_checked(self):
        path = "tests/differential/a.cpp"
        self.assert_one({HEADER: CONSTANT, path: 'auto n = "graph.name";\n'}, f"{path}:1:", "spells")

    def test_comments_ir_and_ops_are_free(self):
        text = '// as in "graph.name"\nauto ir = "{graph.name = 1}";\nbool b = op == "graph.kernel";\nop->getAttr("kind");\n'
        self.assert_clean({HEADER: CONSTANT, CODE: text})


if __name__ == "__main__":
    unittest.main()

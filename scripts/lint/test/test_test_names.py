# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests test_names.py: names that violate the scheme of tests/README.md, and valid names."""

import unittest

import lint_case
import test_names

CASE = "TEST(Planner, KeepsOrder) {}\n"


class TestNames(lint_case.LintCase):
    lint = test_names

    def test_a_unit_test_ends_in_test(self):
        self.assert_one({"compiler/Memory/test/PlannerTest.cpp": CASE}, "compiler/Memory/test/PlannerTest.cpp:1:", "<thing>_test.cpp")

    def test_a_unit_test_is_beside_its_code(self):
        self.assert_one({"tests/models/planner_test.cpp": CASE}, "tests/models/planner_test.cpp:1:", "beside the code")

    def test_a_lit_test_is_snake_case(self):
        self.assert_one({"compiler/Memory/test/PlanArena.mlir": "\n"}, "compiler/Memory/test/PlanArena.mlir:1:", "snake case")

    def test_names_of_the_scheme_pass(self):
        self.assert_clean({"compiler/Memory/test/planner_test.cpp": CASE, "compiler/Memory/test/plan_arena.mlir": "\n",
                           "tests/models/peak_memory.py": "\n", "compiler/Memory/test/Case.cpp": "int x;\n"})


if __name__ == "__main__":
    unittest.main()

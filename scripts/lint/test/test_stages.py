# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests stage folders with a missing file."""

import unittest

import lint_case
import stages

PASS = 'def ChooseConvBlockPass : Pass<"convoy-layout-choose-conv-block"> {}\n'
STAGE = {
    "compiler/Layout/README.md": "Takes.\n" * 30,
    "compiler/Layout/Passes.td": PASS + 'def CheckLayoutContractPass : Pass<"convoy-layout-check-contract"> {}\n',
    "compiler/Layout/Passes.h": "",
    "compiler/Layout/Passes.cpp": "",
    "compiler/Layout/Contract.cpp": "",
    "compiler/Layout/ChooseConvBlock.cpp": "",
    "compiler/Layout/test/choose_conv_block.mlir": "",
    "compiler/Layout/test/contract.mlir": "",
}


class Stages(lint_case.LintCase):
    lint = stages

    def test_whole_stage(self):
        self.assert_clean(STAGE)

    def test_each_file_is_needed(self):
        for path in STAGE:
            if path.endswith("Passes.td"):
                continue
            rest = {p: text for p, text in STAGE.items() if p != path}
            found = self.findings(rest)
            self.assertTrue(found, path)
            self.assertIn(path.rsplit("/", 1)[1], " ".join(found))

    def walk(self, *rows):
        """Returns a tree whose ARCHITECTURE.md lists these (folder, file) rows."""
        table = "".join(f"| `{folder}` | does | `{file}` |\n" for folder, file in rows)
        return {**STAGE, "ARCHITECTURE.md": f"# A\n\n{stages.WALK}\n\n{table}\n## Next\n"}

    def test_walk_lists_each_stage_once(self):
        row = ("compiler/Layout", "ChooseConvBlock.cpp")
        self.assert_clean(self.walk(row))
        self.assert_one(self.walk(), "ARCHITECTURE.md:3:", "lists compiler/Layout 0 times")
        self.assert_one(self.walk(row, row), "ARCHITECTURE.md:3:", "lists compiler/Layout 2 times")

    def test_walk_names_files_that_exist(self):
        self.assert_one(self.walk(("compiler/Layout", "Gone.cpp")), "ARCHITECTURE.md:3:", "Gone.cpp")

    def test_readme_of_31_lines(self):
        self.assert_one({**STAGE, "compiler/Layout/README.md": "x\n" * 31}, "compiler/Layout/README.md:30:", "30 lines")

    def test_folder_without_passes_is_free(self):
        self.assert_clean({"compiler/Support/Tensor.cpp": "", "compiler/Targets/host.json": ""})

    def test_snake_case(self):
        self.assertEqual(stages.snake_case("LowerToLLVMCalls"), "lower_to_llvm_calls")
        self.assertEqual(stages.snake_case("PackNchwWeights"), "pack_nchw_weights")


if __name__ == "__main__":
    unittest.main()

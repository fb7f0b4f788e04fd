# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests undocumented passes and ops, and citations of constraints that do not exist."""

import unittest

import lint_case
import tablegen

TD = "compiler/Layout/Passes.td"
GOOD = '''
def ChooseConvBlockPass : Pass<"convoy-layout-choose-conv-block", "mlir::func::FuncOp"> {
  let summary = "Choose the channel block of each convolution";
  let description = [{
    Takes: convolutions. Gives: a block on each. // before } after
  }];
}
'''


class Passes(lint_case.LintCase):
    lint = tablegen

    def test_good_pass(self):
        self.assert_clean({TD: GOOD})

    def test_flag_shape_stage_and_verb(self):
        for flag, words in (("layout-choose-block", "<verb>-<noun>"), ("convoy-choose-block", "<verb>-<noun>"),
                            ("convoy-fusion-choose-block", "convoy-layout-"),
                            ("convoy-layout-optimize-blocks", "verb 'optimize'")):
            self.assert_one({TD: GOOD.replace("convoy-layout-choose-conv-block", flag)}, f"{TD}:2:", words)

    def test_second_folder_level_keeps_the_stage(self):
        self.assert_clean({"compiler/Codegen/LLVM/Passes.td":
                           GOOD.replace("convoy-layout-choose-conv-block", "convoy-codegen-lower-tasks")})

    def test_passes_of_a_device_have_its_name(self):
        path = "compiler/Accelerators/NVDLA/Compile/Passes.td"
        self.assert_clean({path: GOOD.replace("convoy-layout-", "convoy-nvdla-")})
        self.assert_one({path: GOOD.replace("convoy-layout-", "convoy-accelerators-")}, f"{path}:2:", "convoy-nvdla-")
        shared = "compiler/Accelerators/Passes.td"
        self.assert_clean({shared: GOOD.replace("convoy-layout-", "convoy-accelerators-")})

    def test_summary_and_description(self):
        self.assert_one({TD: GOOD.replace("let summary", "let other")}, f"{TD}:2:", "no summary")
        self.assert_one({TD: GOOD.replace("let description", "let other")}, f"{TD}:2:", "no description")
        self.assert_one({TD: GOOD.replace("Gives:", "Makes")}, f"{TD}:2:", "'Gives:'")
        self.assert_one({TD: GOOD.replace('"Choose the channel block of each convolution"', '""')},
                        f"{TD}:2:", "no summary")

    def test_name_ends_in_pass(self):
        self.assert_one({TD: GOOD.replace("ChooseConvBlockPass", "ChooseConvBlock")}, f"{TD}:2:", "end in Pass")


class Ops(lint_case.LintCase):
    lint = tablegen

    def test_op_needs_a_summary(self):
        self.assert_one({"compiler/Graph/A.td": 'def Graph_AOp : Graph_Op<"a"> { let results = (outs); }\n'},
                        "compiler/Graph/A.td:1: Graph_AOp: op without a summary")
        self.assert_one({"compiler/Graph/A.td": 'def Graph_BOp : Graph_Op<"b", [Pure]>;\n'}, "compiler/Graph/A.td:1:")

    def test_summary_of_a_class_in_the_file_serves(self):
        self.assert_clean({"compiler/Graph/A.td": 'class Both_Op<string m> : Graph_Op<m> {\n'
                           '  let summary = "One of two";\n}\ndef AOp : Both_Op<"a">;\n'})

    def test_types_and_enums_are_no_ops(self):
        self.assert_clean({"compiler/Graph/A.td": 'def T : Graph_Type<"T", "t"> { let mnemonic = "t"; }\n'})


class Citations(lint_case.LintCase):
    lint = tablegen
    TD = {"compiler/Graph/A.td": 'def AOp : Graph_Op<"a"> { let summary = "x"; let description = "[a.1] y"; }\n'}

    def test_cited_number_exists(self):
        self.assert_clean({**self.TD, "compiler/Graph/A.cpp": "// [a.1]\n// [other.7] is free\n"})
        self.assert_one({**self.TD, "compiler/Graph/A.cpp": "\nf(); // [a.2]\n"}, "compiler/Graph/A.cpp:2: [a.2]")


if __name__ == "__main__":
    unittest.main()

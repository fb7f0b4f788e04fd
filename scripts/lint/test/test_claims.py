# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of claims: planned items that exist already, features that the README denies, and goals."""

import unittest

import lint_case
import claims


class TestRoadmap(lint_case.LintCase):
    lint = claims
    commands = "## convoy quantize\n\n```\n  --max-drop X%   Limit the drop.\n```\n"
    changelog = "### Added\n\n- Transformers: attention is one kernel.\n"

    def tree(self, roadmap):
        return {"docs/roadmap.md": roadmap, "docs/reference/command-line.md": self.commands, "CHANGELOG.md": self.changelog}

    def test_a_planned_verb_does_not_exist(self):
        self.assert_one(self.tree("## Next\n\n- **Bounds.** The verb\n  `convoy quantize MODEL` proves one.\n"),
                        "docs/roadmap.md:3:", "`convoy quantize` exists")

    def test_a_planned_flag_does_not_exist(self):
        self.assert_one(self.tree("- **Bounds.** `--max-drop=1%` limits the drop.\n"), "docs/roadmap.md:1:", "`--max-drop` exists")

    def test_a_planned_title_is_not_in_the_changelog(self):
        self.assert_one(self.tree("- **Transformers.** Attention.\n"), "docs/roadmap.md:1:", "lists 'Transformers'")

    def test_limits_may_name_verbs(self):
        self.assert_clean(self.tree("- **Bands.** `--max` and `convoy quant`.\n\n## What Convoy does not plan\n\n- See `convoy quantize`.\n"))


class TestOldNames(lint_case.LintCase):
    lint = claims
    options = ('  let oldNames = ["--ram", "--against"];\n'
               'def A : OldVerb<"jobs", "service jobs">;\ndef B : OldVerb<"report", "records report", "namesRecords">;\n')

    def test_a_page_has_the_names_of_today(self):
        for text in ("`--ram 4K`", "convoy compile m.onnx --ram=4K", "`convoy bench m --against onnxruntime`", "`convoy jobs list`"):
            self.assert_one({"options/A.td": self.options, "docs/a.md": f"a\n{text}\n"}, "docs/a.md:2:", "is an old name")

    def test_other_flags_and_the_changelog_may_have_them(self):
        page = "`--max-ram`, `--ramble`, bench/measure --against f, `convoy service jobs`, `convoy report m.onnx`\n"
        self.assert_clean({"options/A.td": self.options, "docs/a.md": page, "CHANGELOG.md": "`--ram`\n"})


class TestReadme(lint_case.LintCase):
    lint = claims

    def test_a_denied_feature_is_not_in_the_changelog(self):
        tree = {"README.md": "| | Convoy |\n|---|---|\n| GPU | **no** |\n", "CHANGELOG.md": "- Code for GPUs.\n"}
        self.assert_one(tree, "README.md:3:", "'GPU' is **no**, but CHANGELOG.md lists it")
        self.assert_clean({**tree, "CHANGELOG.md": "- Code for CPUs.\n"})

    def test_a_denied_feature_has_its_evidence(self):
        self.assert_one({"README.md": "| speed | **no** |\n"}, "README.md:1:", "'speed' is **no**", "scripts/lint/claims.py")


    head = "| | Convoy | Other |\n|---|---|---|\n"

    def test_a_row_of_the_comparison_has_evidence(self):
        tree = {"README.md": self.head + "| search for faster kernels | yes | no |\n"}
        self.assert_one(tree, "README.md:3:", "'search for faster kernels': docs/reference/command-line.md has no text")
        self.assert_clean({**tree, "docs/reference/command-line.md": "## convoy tune\n"})

    def test_a_new_row_needs_evidence(self):
        self.assert_one({"README.md": self.head + "| training | yes | yes |\n"}, "README.md:3:", "'training' has no evidence", "EVIDENCE")

    def test_a_plain_no_contradicts_the_evidence(self):
        tree = {"README.md": self.head + "| search for faster kernels | no | no |\n", "docs/reference/command-line.md": "## convoy tune\n"}
        self.assert_one(tree, "README.md:3:", "correct the row")

    def test_other_tables_need_none(self):
        self.assert_clean({"README.md": "| a | b |\n|---|---|\n| training | yes |\n" })

    def test_a_number_is_generated(self):
        self.assert_one({"README.md": "It takes 0.59 of the time.\n"}, "README.md:1:", "the number 0.59 is not generated")
        self.assert_one({"README.md": "It has\n11 networks.\n"}, "README.md:2:", "the number 11")

    def test_facts_names_and_code_have_numbers(self):
        self.assert_clean({"README.md": "It takes <!-- fact: a -->0.59<!-- end --> on Debian 12 with x86-64, int8 and [a](b-2.md).\n"
                                        "```sh\nx 3\n```\n<!-- benchmark summary -->\n4\n<!-- end of benchmark summary -->\n"})


class TestGoals(lint_case.LintCase):
    lint = claims

    def test_pages_state_no_goals(self):
        for text in ("| ratio | wanted |", "It reaches 0.95 (target 0.92).", "Two networks miss their targets.", "The target was 0.6."):
            self.assert_one({"docs/benchmarks/x.md": text + "\n"}, "docs/benchmarks/x.md:1:", "internal goal")

    def test_decisions_and_other_targets_are_free(self):
        self.assert_clean({"docs/decisions/1.md": "The target was 0.6.\n", "docs/a.md": "The target is `host` (target file).\n"})


if __name__ == "__main__":
    unittest.main()

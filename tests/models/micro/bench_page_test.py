#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the tables of bench/micro/run on rows that no emulator measured."""

import json
import os
import sys
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bench/micro")
sys.path.insert(0, BENCH)
import micro_page  # noqa: E402


def row(network, target, instructions, **changes):
    facts = {"network": network, "target": target, "fits": True, "equal": True, "samples": 4, "golden_difference": 0,
             "instructions": instructions, "rows_workspace_bytes": 800, "workspace_bytes": 1000,
             "input_bytes": 90, "output_bytes": 10, "code_bytes": 5000, "weights_bytes": 4000,
             "table_bytes": 1024, "flash_bytes": 10000,
             "compiler": "gcc -O3"}
    return {**facts, **changes}


class BenchPage(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(BENCH, "peers.json")) as file:
            self.peers = json.load(file)

    def page(self, *rows):
        return micro_page.Page(self.peers, rows)

    def test_compares_the_better_compiler(self):
        page = self.page(row("kws", "cortex-m55", 2720000), row("kws", "cortex-m55:clang", 1360000))
        self.assertIn("| KWS (DS-CNN) | M55 clang | 1.36 | 1.70 | 0.80 |", page.against_peers())
        self.assertNotIn("M55 gcc", page.against_peers())

    def test_counts_tables_as_code(self):
        page = self.page(row("kws", "cortex-m4", 1))
        # RAM 800 by rows, else 1000 + 100 of 22,820; code 10,000 - (4,000 - 1,024) of 149,044 - 53,936.
        self.assertIn("| 800 | 1,100 | 22,820 | 0.05 | 7,024 | 95,108 | 0.07 | 10,000 | 149,044 |", page.memory())

    def test_names_targets_that_are_too_small(self):
        page = self.page(row("kws", "cortex-m4", 2000000), {"network": "kws", "target": "cortex-m0plus", "fits": False})
        self.assertIn("| KWS (DS-CNN) | 2.00 | does not fit |", page.all_targets())
        self.assertIn("does not fit", micro_page.progress_line(page.rows[1]))

    def test_marks_wrong_outputs(self):
        self.assertIn("WRONG", micro_page.progress_line(row("kws", "cortex-m4", 1, equal=False)))

    def test_the_page_has_every_table(self):
        text = self.page(row("kws", "cortex-m55", 2720000), row("mnist", "cortex-m4", 1e6, samples=1)).markdown()
        for part in ("on 4 inputs", "## Against TFLite Micro", "KWS (DS-CNN) 0", "## All targets", "`gcc -O3`"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that drawings, snippets, facts, measured tables and API pages equal the output of their scripts.

Needs no build: this test reads the stage table from ARCHITECTURE.md. CI also runs
scripts/generate-docs.sh --check, which reads the stage table from the driver.
"""

import json
import os
import re
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path[:0] = [os.path.join(ROOT, "scripts"), os.path.join(ROOT, "scripts", "diagrams"), os.path.join(ROOT, "bench")]

import add_op
import api_docs
import benchmarks
import doc_facts
import doc_snippets
import front
import pipeline
import generate_docs
import header_items
import run_commands
import table
import tested_models


def read(path, root=ROOT):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


class Pages(unittest.TestCase):
    def test_pipeline_is_drawn_from_the_stage_table(self):
        self.assertEqual(pipeline.draw(read("ARCHITECTURE.md")), read(pipeline.PATH))

    def test_every_stage_is_in_the_drawing(self):
        drawing = read(pipeline.PATH)
        for name, _, _ in pipeline.stages(read("ARCHITECTURE.md")):
            self.assertIn(f">{name}</text>", drawing)

    def test_chart_and_tables_show_the_stored_measurements(self):
        self.assertEqual(benchmarks.chart(ROOT), read(benchmarks.CHART))
        for path in ("README.md", "docs/benchmarks/fp32.md", "docs/benchmarks/int8.md",
                     "docs/benchmarks/transformers.md", "docs/benchmarks/zoo.md", "docs/benchmarks/source.md"):
            text = read(path)
            self.assertEqual(benchmarks.fill(ROOT, text), text, path)

    def test_the_picture_shows_the_stored_measurements(self):
        for theme, path in front.PATHS.items():
            self.assertEqual(front.draw(ROOT, theme), read(path), f"{path}: run scripts/generate-docs.sh")
        fp32 = table.geometric_means(benchmarks.load(ROOT, "fp32.json"))[1]
        self.assertIn(f">{fp32:.2f}</text>", read(front.PATHS["light"]))

    def test_facts_in_sentences_are_true(self):
        for path in generate_docs.FILLED_PAGES:
            text = read(path)
            self.assertEqual(doc_facts.fill(ROOT, text), text, f"{path}: run scripts/generate-docs.sh")

    def test_every_fact_is_on_a_page(self):
        pages = "".join(read(path) for path in generate_docs.FILLED_PAGES)
        self.assertEqual({name for _, name, _ in doc_facts.FACT.findall(pages)}, set(doc_facts.FACTS))

    def test_the_command_line_page_has_every_verb(self):
        page = read("docs/reference/command-line.md")
        listed = generate_docs.verbs(page.split("```")[1])
        self.assertIn("quantize", listed)
        self.assertEqual(re.findall(r"^## convoy (\S+)$", page, re.MULTILINE), listed)

    def test_verbs_are_read_from_the_help(self):
        text = "Usage: x VERB\n\nVerbs:\n  run        Run a model\n             and print.\n  list-ops   List.\n\nRun `x VERB --help`.\n"
        self.assertEqual(generate_docs.verbs(text), ["run", "list-ops"])
        self.assertEqual(generate_docs.verbs("Usage: x\n\nOptions:\n  --help\n"), [])

    def test_api_pages_equal_stubs_and_headers(self):
        for path, text in api_docs.pages(ROOT).items():
            self.assertEqual(generate_docs.NOTE + "\n" + text, read(path), f"{path}: run scripts/generate-docs.sh")

    def test_stub_equals_the_table_of_options(self):
        self.assertEqual(api_docs.stub(ROOT), read(api_docs.STUB), f"{api_docs.STUB}: run scripts/generate-docs.sh")

    def test_every_public_header_is_on_a_page(self):
        listed = set(api_docs.C_HEADERS + api_docs.CPP_HEADERS)
        for folder in ("runtime/include/convoy", "compiler/include/convoy"):
            for name in os.listdir(os.path.join(ROOT, folder)):
                # A header with old names only is not documented.
                if "[[deprecated(" not in read(f"{folder}/{name}"):
                    self.assertIn(f"{folder}/{name}", listed)

    def test_the_list_of_tested_models_follows_from_the_tests(self):
        self.assertEqual(generate_docs.NOTE + "\n" + tested_models.page(ROOT), read(tested_models.PAGE),
                         f"{tested_models.PAGE}: run scripts/generate-docs.sh")
        self.assertIn(("ONNX 1.20", "host"), [run[:2] for run in tested_models.conformance(ROOT)])

    def test_a_saved_measurement_is_read_again(self):
        rows = json.loads(read("docs/benchmarks/fp32.json"))["rows"]
        rows = [{**row, "peak_gflops": 170.0, "right": True, "convoy_threads": row["threads"]} for row in rows]
        measured = table.measurement(rows, "bench/run.sh")
        self.assertEqual(json.loads(table.to_json(measured)), measured)
        self.assertIn("FMA peak in the same runs, by threads: 170 GFLOP/s on 1, 170 GFLOP/s on 2.", table.page(measured))

    def test_limits_have_a_column(self):
        row = {"model": "bert_base_s128", "threads": 1, "convoy_ms": 150.0, "peer_ms": 170.0, "ratio": 0.88,
               "ratio_low": 0.87, "ratio_high": 0.89, "compute_limit_ms": 131.46, "weights_limit_ms": 24.3,
               "peak_gflops": 170.0, "right": True, "convoy_threads": 1}
        dynamic = {**row, "model": "bert_base_s128_dynamic_int8"}
        text = table.page(table.measurement([row, dynamic], "bench/run.sh --suite transformers"))
        self.assertIn("| limit ms (FMA / weights) |", text)
        self.assertIn("| 131 / 24.3 |", text)
        self.assertIn("fp32 and int8 (dynamic), batch 1.", text)

    def test_wrong_results_are_marked_and_not_in_the_mean(self):
        rows = [{"model": name, "threads": 1, "convoy_ms": 1.0, "peer_ms": 2.0, "ratio": ratio, "ratio_low": ratio,
                 "ratio_high": ratio, "right": is_right} for name, ratio, is_right in (("a", 0.5, True), ("b", 0.1, False))]
        measured = {"date": "", "machine": "", "cores": 1, "peer": "", "command": "", "numbers": "", "rows": rows}
        self.assertIn("| b | 1 WRONG RESULT |", table.page(measured))
        self.assertEqual(list(table.geometric_means(measured)), [1])
        self.assertAlmostEqual(table.geometric_means(measured)[1], 0.5)

    def test_a_peer_that_slows_down_on_more_threads_is_not_in_the_mean(self):
        rows = [{"model": name, "threads": threads, "convoy_ms": 1.0, "peer_ms": peer, "ratio": 1 / peer, "ratio_low": 0,
                 "ratio_high": 1} for name, threads, peer in (("a", 1, 4.0), ("a", 2, 2.0), ("b", 1, 4.0), ("b", 2, 8.0))]
        measured = {"date": "", "machine": "", "cores": 2, "peer": "P", "command": "", "numbers": "", "rows": rows}
        self.assertEqual({threads: round(mean, 6) for threads, mean in table.geometric_means(measured).items()}, {1: 0.25, 2: 0.5})
        self.assertIn("The mean leaves out b on 2 threads, where P was slower than on fewer threads.", table.page(measured))

    def test_each_suite_states_machine_and_date(self):
        chart, summary = benchmarks.chart(ROOT), benchmarks.summary(ROOT)
        for name in benchmarks.measured_names(ROOT):
            for text in (chart, summary):
                self.assertIn(benchmarks.conditions(benchmarks.load(ROOT, name)), text)


class Headers(unittest.TestCase):
    def test_comment_name_and_code_of_a_declaration(self):
        text = "/* License. */\n\n#include <a.h>\n\n/* Adds.\n * Never fails. */\nint add(int a,\n        int b);\n"
        self.assertEqual(header_items.header_items(text),
                         ("License.", [("add", "Adds.\nNever fails.", "int add(int a,\n        int b);")]))

    def test_private_members_and_bodies_are_left_out(self):
        text = ("// A.\n\nnamespace convoy {\n\nnamespace detail {\nint hidden();\n} // namespace detail\n\n"
                "class B;\n\n/// Owns.\ntemplate <typename T>\nclass Box {\npublic:\n  Box() : x(0) {}\n"
                "  int get() const noexcept { return x; }\n\nprivate:\n  int x;\n};\n\n} // namespace convoy\n")
        self.assertEqual(header_items.header_items(text)[1],
                         [("Box", "Owns.", "template <typename T>\nclass Box {\npublic:\n  Box();\n  int get() const noexcept;\n};")])

    def test_macros_that_follow_each_other_are_one_item(self):
        text = "// A.\n\n/* One. */\n#define ONE 1\n#define TWO 2\n"
        self.assertEqual(header_items.header_items(text)[1], [("", "", "/* One. */\n#define ONE 1\n#define TWO 2")])

    def test_an_opaque_class_with_a_comment_is_an_item(self):
        text = "// A.\n\nnamespace convoy {\n\n/// Opaque.\nclass A;\n\nclass B;\n\n} // namespace convoy\n"
        self.assertEqual(header_items.header_items(text)[1], [("A", "Opaque.", "class A;")])

    def test_arguments_of_a_docstring_become_a_list(self):
        self.assertEqual(api_docs.prose("Runs.\n\na: the first. b, c: others,\n    continued.\n\n    code()\n", "python"),
                         "Runs.\n\n- `a`: the first.\n- `b, c`: others, continued.\n\n```python\ncode()\n```\n")


class Snippets(unittest.TestCase):
    def filled(self, source, page):
        with tempfile.TemporaryDirectory() as root:
            with open(os.path.join(root, "x.c"), "w", encoding="utf-8") as file:
                file.write(source)
            return doc_snippets.fill(root, page)

    def test_marked_lines_replace_the_block(self):
        page = "<!-- snippet: x.c -->\n```c\nold\n```\n"
        self.assertEqual(self.filled("a\n/* begin snippet */\n  int b;\n/* end snippet */\nc\n", page),
                         "<!-- snippet: x.c -->\n```c\nint b;\n```\n")

    def test_other_blocks_stay(self):
        self.assertEqual(self.filled("", "```c\nold\n```\n"), "```c\nold\n```\n")

    def test_a_file_without_marks_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "x.c: expected one comment 'begin snippet'"):
            self.filled("int b;\n", "<!-- snippet: x.c -->\n```c\n```\n")


class Commands(unittest.TestCase):
    def test_marked_blocks_are_not_run(self):
        page = "```console\n$ a\n```\n\n<!-- not run: slow -->\n```console\n$ b\n```\n\n```sh\nc\n```\n"
        self.assertEqual(run_commands.blocks(page), ["$ a\n"])

    def test_output_and_exit_code_belong_to_the_command_above(self):
        self.assertEqual(run_commands.commands("$ a \\\n  b\nx\n[exit code 2]\n$ c\n"),
                         [["a \\\n  b", ["x"], 2], ["c", [], 0]])


class AddOp(unittest.TestCase):
    def changed(self, page, source="a\n  {1},\n} // end\n"):
        with tempfile.TemporaryDirectory() as root:
            with open(os.path.join(root, "x.cpp"), "w", encoding="utf-8") as file:
                file.write(source)
            return add_op.changed_files(root, page)

    def test_every_block_of_the_page_fits_the_tree(self):
        files = add_op.changed_files(ROOT, read("docs/howto/add-op.md"))
        for path in ("compiler/Graph/Tensor.td", "compiler/Graph/InferTensor.cpp", "compiler/Import/Tensor.cpp",
                     "reference/Tensor.cpp", "compiler/Kernels/Loops/MovementEmitters.cpp"):
            self.assertIn("Roll", files[path])

    def test_a_block_has_the_indentation_of_its_line(self):
        page = "<!-- insert: x.cpp before: {1}, -->\n```cpp\n{0},\n```\n"
        self.assertEqual(self.changed(page), {"x.cpp": "a\n  {0},\n  {1},\n} // end\n"})

    def test_a_function_is_followed_by_an_empty_line(self):
        page = "<!-- insert: x.cpp before: } // end -->\n```cpp\nf();\n```\n"
        self.assertEqual(self.changed(page), {"x.cpp": "a\n  {1},\nf();\n\n} // end\n"})

    def test_a_line_that_is_missing_or_not_unique_is_an_error(self):
        page = "<!-- insert: x.cpp before: b -->\n```cpp\nf();\n```\n"
        with self.assertRaisesRegex(ValueError, "x.cpp: expected one line 'b', found 0"):
            self.changed(page)
        with self.assertRaisesRegex(ValueError, "x.cpp: expected one line 'b', found 2"):
            self.changed(page, "b\nb\n")

    def test_a_new_file_must_not_exist(self):
        page = "<!-- create: x.cpp -->\n```cpp\nf();\n```\n"
        with self.assertRaisesRegex(ValueError, "x.cpp: the page creates a file that exists"):
            self.changed(page)


if __name__ == "__main__":
    unittest.main()

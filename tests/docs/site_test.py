# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the site of the documentation and checks it.

    site_test.py ROOT SCRATCH

1. Markdown for MkDocs means the same as Markdown on the host of the repository.
2. The checker of the built pages reports each fault that it is written for.
3. The site builds without a warning, and has the navigation, the search index, both color schemes
   and a page for each linked file. Without MkDocs, this part is skipped.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

ROOT, SCRATCH = sys.argv[1], sys.argv[2]
sys.path[:0] = [os.path.join(ROOT, "scripts", "lint"), os.path.join(ROOT, "scripts", "site")]

import check_site  # noqa: E402
import site_markdown  # noqa: E402

SKIPPED = 77


def read(*path):
    with open(os.path.join(SCRATCH, "html", *path), encoding="utf-8") as file:
        return file.read()


class Markdown(unittest.TestCase):
    def check(self, text, expected):
        self.assertEqual(site_markdown.convert("\n".join(text)), "\n".join(expected) + "\n")

    def test_content_of_items_has_four_blanks(self):
        self.check(["- one", "  more", "", "  ```sh", "  ls", "  ```", "", "after"],
                   ["- one", "    more", "", "    ```sh", "    ls", "    ```", "", "after"])

    def test_nested_items(self):
        self.check(["1. one", "   - two", "     text", "2. three"],
                   ["1. one", "    - two", "        text", "2. three"])

    def test_blank_before_list_and_table(self):
        self.check(["text", "- one"], ["text", "", "- one"])
        self.check(["text", "| a |", "|---|"], ["text", "", "| a |", "|---|"])

    def test_number_inside_of_text_opens_no_list(self):
        self.check(["the year", "2026. More"], ["the year", "2026. More"])

    def test_fences_are_copied(self):
        self.check(["```", "text", "- one", "# two", "```"], ["```", "text", "- one", "# two", "```"])

    def test_headings_have_the_anchors_of_the_lint(self):
        self.check(["## A, b: `c`", "", "## A, b: `c`"], ["## A, b: `c` {#a-b-c}", "", "## A, b: `c` {#a-b-c-1}"])

    def test_picture_follows_the_switch(self):
        self.check(['<picture>', '  <source media="(prefers-color-scheme: dark)" srcset="d.svg">',
                    '  <img alt="x" src="l.svg">', "</picture>"],
                   ["![x](l.svg#only-light)", "![x](d.svg#only-dark)"])


class Checker(unittest.TestCase):
    def findings(self, body):
        folder = os.path.join(SCRATCH, "faults")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
            file.write(body)
        return list(check_site.check(folder))

    def test_correct_page(self):
        self.assertEqual(self.findings('<h1 id="a">A</h1><a href="#a">a</a><a href="https://example.org">b</a>'), [])

    def test_missing_page(self):
        self.assertEqual(self.findings('<a href="other.html">a</a>'), ["index.html: link to other.html, which does not exist"])

    def test_missing_anchor(self):
        self.assertEqual(self.findings('<a href="index.html#b">a</a>'), ["index.html: link to index.html#b, which has no such anchor"])

    def test_other_server(self):
        self.assertEqual(self.findings('<script src="https://example.org/a.js"></script>'),
                         ["index.html: loads https://example.org/a.js from another server"])
        self.assertEqual(self.findings('<img src="//example.org/a.png">'),
                         ["index.html: loads //example.org/a.png from another server"])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([os.path.join(ROOT, "scripts", "site.sh"), "--out", SCRATCH, "--repository", "https://example.org/convoy"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stdout

    def test_groups_of_the_index_are_tabs(self):
        with open(os.path.join(ROOT, "docs", "README.md"), encoding="utf-8") as file:
            groups = re.findall(r"^## (.+)$", file.read(), re.M)
        tabs = re.findall(r'class="md-tabs__link[^"]*">\s*(.*?)\s*</a>', read("index.html"))
        self.assertEqual([html.unescape(tab) for tab in tabs], ["Home"] + groups)

    def test_every_page_of_docs_is_in_the_navigation(self):
        with open(os.path.join(SCRATCH, "mkdocs.yml"), encoding="utf-8") as file:
            shown = json.dumps(json.load(file)["nav"])
        for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                if name.endswith(".md"):
                    self.assertIn(f'"{path}"', shown)

    def test_search_finds_documentation(self):
        index = json.loads(read("search", "search_index.json"))["docs"]
        found = [page["location"] for page in index if "requantize" in page["text"].lower()]
        self.assertTrue(found)
        self.assertFalse([page for page in index if re.search(r"\.(h|cpp|py|td)\.html", page["location"])])

    def has(self, text, *path):
        self.assertTrue(text in read(*path), f"{os.path.join(*path)} does not contain {text}")

    def test_both_color_schemes(self):
        self.has('data-md-color-scheme="slate"', "docs", "security.html")
        self.has('data-md-color-scheme="default"', "docs", "security.html")

    def test_linked_source_is_a_page(self):
        self.has("changed_files", "tests", "docs", "add_op.py.html")

    def test_generated_tables(self):
        self.has("<td>resnet50_v15</td>", "docs", "benchmarks", "fp32.html")
        self.has("<td>AveragePool</td>", "docs", "reference", "supported-ops.html")
        self.has('id="convoycompiledmodel"', "docs", "reference", "python-api.html")

    def test_link_to_the_repository(self):
        self.has('href="https://example.org/convoy"', "index.html")


def main():
    names = [Markdown, Checker]
    has_site = subprocess.run(["/usr/bin/python3", "-c", "import mkdocs, pymdownx"], stderr=subprocess.DEVNULL, check=False).returncode == 0 \
        and os.path.isdir("/usr/share/mkdocs/themes/material")
    names += [Site] if has_site else []
    tests = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(name) for name in names)
    succeeded = unittest.TextTestRunner().run(tests).wasSuccessful()
    if succeeded and not has_site:
        print("skipped: needs MkDocs and its theme Material; run scripts/install-deps.sh --site")
        return SKIPPED
    return 0 if succeeded else 1


if __name__ == "__main__":
    sys.exit(main())

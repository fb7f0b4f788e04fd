# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of links: broken links, anchors and paths, and pages that no index leads to."""

import unittest

import lint_case
import links

INDEX = "docs/README.md"


class TestLinks(lint_case.LintCase):
    lint = links

    def test_a_link_has_a_target(self):
        self.assert_one({"README.md": "See\n[the page](docs/gone.md).\n"}, "README.md:2:", "docs/gone.md, which does not exist")

    def test_a_link_may_span_lines(self):
        self.assert_one({"README.md": "[the\npage](gone.md)\n"}, "README.md:1:", "gone.md")

    def test_a_link_is_relative_to_its_page(self):
        self.assert_clean({INDEX: "[up](../README.md) [folder](howto/)\n", "README.md": "[d](docs/)\n", "docs/howto/README.md": "\n"})

    def test_a_link_stays_in_the_repository(self):
        self.assert_one({"README.md": "[up](../README.md)\n"}, "README.md:1:", "does not exist")

    def test_an_anchor_is_a_heading(self):
        page = "# A page\n## `--json`, and text!\n## Twice\n## Twice\n"
        self.assert_clean({"a.md": "[x](b.md#--json-and-text) [y](b.md#twice-1) [z](#top)\n# Top\n", "b.md": page})
        self.assert_one({"a.md": "[x](b.md#gone)\n", "b.md": page}, "a.md:1:", "#gone", "b.md has no such heading")

    def test_code_and_other_sites_are_no_links(self):
        self.assert_clean({"a.md": "`[x](gone.md)` [y](https://example.com/gone.md)\n```\n[z](gone.md)\n```\n"})

    def test_a_page_is_two_clicks_away(self):
        tree = {INDEX: "[a](a.md)\n", "docs/a.md": "[b](b.md)\n", "docs/b.md": "[c](c.md)\n", "docs/c.md": "\n"}
        self.assert_one(tree, "docs/c.md:1:", "no link from docs/README.md leads here within 2 clicks")
        tree[INDEX] = "[a](a.md) [b](b.md)\n"
        self.assert_clean(tree)

    def test_a_visitor_finds_a_page_in_two_clicks(self):
        tree = {"README.md": "[i](docs/README.md)\n", INDEX: "[a](howto/a.md)\n", "docs/howto/a.md": "[b](b.md) [c](../c/c.md)\n",
                "docs/howto/b.md": "\n", "docs/c/c.md": "\n"}
        self.assert_one(tree, "docs/howto/b.md:1:", "no link from README.md leads here within 2 clicks")
        tree[INDEX] += "[b](howto/b.md)\n"
        self.assert_clean(tree)

    def test_the_needed_pages_are_two_clicks_away(self):
        pages = [path for needed in links.NEEDED.values() for path in needed]
        self.assertEqual(len(links.NEEDED), 15)
        index = "".join(f"[p]({path.removeprefix('docs/')})\n" for path in pages)
        tree = {"README.md": "[i](docs/README.md)\n", INDEX: index, **{path: "\n" for path in pages}}
        self.assert_clean(tree)
        self.assert_one({**tree, INDEX: index.replace("[p](reference/tested-models.md)\n", "[r](reference/README.md)\n"),
                         "docs/reference/README.md": "[t](tested-models.md)\n"},
                        "README.md:1:", "'tested models' does not find docs/reference/tested-models.md within 2 clicks")
        del tree["docs/security.md"]
        self.assert_one({**tree, INDEX: index.replace("[p](security.md)\n", "")}, "README.md:1:", "'security' does not find docs/security.md")

    def test_a_group_of_the_index_is_short(self):
        head, row = "| a | b |\n|---|---|\n", "| c | d |\n"
        self.assert_clean({INDEX: head + 7 * row + "\n" + head + 7 * row})
        self.assert_one({INDEX: head + 8 * row}, "docs/README.md:10:", "more than 7 rows")

    def test_a_path_in_backticks_exists(self):
        tree = {"README.md": "`io/Npy.h`, `io/`, `io/Gone.h`, `io/<Name>.h`, `a/b`\n", "io/Npy.h": "\n"}
        self.assert_one(tree, "README.md:1:", "names io/Gone.h, which does not exist")

    def test_the_changelog_names_older_files(self):
        self.assert_clean({"CHANGELOG.md": "`io/Gone.h`\n", "io/Npy.h": "\n"})


if __name__ == "__main__":
    unittest.main()

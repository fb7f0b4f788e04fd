# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""convoy.records does what `convoy records` does.

  records_test.py CONVOY EXAMPLE.onnx
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import convoy

EXAMPLE = sys.argv.pop(2)
CONVOY = sys.argv.pop(1)


def command_line(*words):
    return subprocess.run([CONVOY, "records", *words], stdout=subprocess.PIPE, check=True, text=True).stdout


class RecordsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.file = folder.name, os.path.join(folder.name, "a.db")
        convoy.tune(EXAMPLE, cls.file, trials=3, wait=0).run()

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_list(self):
        listed = convoy.records.list(self.file)
        self.assertEqual(listed, json.loads(command_line("list", self.file, "--json")))
        self.assertGreater(listed[0]["records"], 0)
        with self.assertRaisesRegex(convoy.Error, "none.db': the file does not exist"):
            convoy.records.list([self.file, self.path("none.db")])
        for wrong, error in [(3, TypeError), ([], ValueError), ([3], TypeError)]:
            with self.subTest(wrong), self.assertRaisesRegex(error, "files: expected|files"):
                convoy.records.list(wrong)

    def test_export_and_import(self):
        lines = convoy.records.export(self.file, into=self.path("a.jsonl"))
        self.assertEqual(lines, command_line("export", self.file))
        with open(self.path("a.jsonl"), encoding="utf-8") as file:
            self.assertEqual(file.read(), lines)
        into = self.path("imported.db")
        added = convoy.records.import_(self.path("a.jsonl"), into=into)
        self.assertEqual(added["files"][0]["added"], convoy.records.list(self.file)[0]["records"])
        self.assertEqual(convoy.records.list(into)[0]["hash"], convoy.records.list(self.file)[0]["hash"])
        with self.assertRaisesRegex(convoy.Error, "into: "):
            convoy.records.import_(self.path("a.jsonl"), into="/dev/null/a.db")

    def test_merge_and_prune(self):
        into = self.path("merged.db")
        count = convoy.records.list(self.file)[0]["records"]
        merged = convoy.records.merge([self.file, self.file], into=into)
        self.assertEqual([(file["added"], file["known"]) for file in merged["files"]], [(count, 0), (0, count)])
        with self.assertRaisesRegex(ValueError, "prune: expected a rule: older_than, stale, failed or keep"):
            convoy.records.prune(into)
        self.assertEqual(convoy.records.prune(into, older_than="30d"), [{"file": into, "removed": 0}])
        kept = convoy.records.prune(into, keep=1, dry_run=True)
        self.assertEqual(kept, json.loads(command_line("prune", into, "--keep", "1", "--dry-run", "--json")))
        self.assertEqual(convoy.records.list(into)[0]["records"], count)
        self.assertEqual(convoy.records.prune(into, keep=1), kept)
        self.assertEqual(convoy.records.list(into)[0]["records"], count - kept[0]["removed"])
        with self.assertRaisesRegex(convoy.Error, "does not exist"):
            convoy.records.prune(self.path("none.db"), failed=True)

    def test_report(self):
        page = self.path("page.html")
        command_line("report", self.file, "--report", page)
        with open(page, encoding="utf-8") as file:
            self.assertEqual(convoy.records.report(self.file), file.read())


if __name__ == "__main__":
    unittest.main()

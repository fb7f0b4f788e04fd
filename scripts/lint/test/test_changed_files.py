# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the list of changed files with a remote, without one, and in a clone of one commit."""

import os
import subprocess
import tempfile
import unittest

import lint_case  # noqa: F401  (sets the path)
import changed_files


class ChangedFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = os.path.join(self.folder.name, "repo")
        os.mkdir(self.root)
        self.git("init", "-q", "-b", "main")
        self.commit("first.cpp")

    def tearDown(self):
        self.folder.cleanup()

    def git(self, *args):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *args],
                       cwd=self.root, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def write(self, name):
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as file:
            file.write(name)

    def commit(self, name):
        self.write(name)
        self.git("add", name)
        self.git("commit", "-q", "-m", name)

    def changed(self):
        return changed_files.changed_files(self.root)

    def test_single_commit_is_all_changed(self):
        self.assertEqual(self.changed(), ["first.cpp"])

    def test_last_commit_without_a_remote(self):
        self.commit("second.cpp")
        self.assertEqual(self.changed(), ["second.cpp"])

    def test_new_and_edited_files_count(self):
        self.commit("second.cpp")
        self.write("new.cpp")
        with open(os.path.join(self.root, "first.cpp"), "a", encoding="utf-8") as file:
            file.write("more")
        self.assertEqual(self.changed(), ["first.cpp", "new.cpp", "second.cpp"])

    def test_branch_against_origin(self):
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.commit("second.cpp")
        self.commit("third.cpp")
        self.assertEqual(self.changed(), ["second.cpp", "third.cpp"])

    def test_without_git_everything_counts(self):
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, "build"))
            for name in ("a.cpp", "build/b.cpp"):
                open(os.path.join(root, name), "w", encoding="utf-8").close()
            self.assertEqual(changed_files.changed_files(root), ["a.cpp"])

    def test_deleted_files_are_left_out(self):
        self.commit("second.cpp")
        self.git("rm", "-q", "first.cpp")
        self.git("commit", "-q", "-m", "gone")
        self.assertEqual(self.changed(), [])


if __name__ == "__main__":
    unittest.main()

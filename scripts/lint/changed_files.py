# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the files that differ from main, one per line.

Compares the working tree with the merge base of this branch and origin/main. Without a
remote, or on main, it compares with the parent of the last commit. In a clone of one
commit, it prints every file of that commit; without git, every file. New files are
included.
"""

import os
import subprocess
import sys

import tree


def git(root, *args):
    """Returns git's output, or None if git fails."""
    done = subprocess.run(["git", "-c", "safe.directory=*", "-C", root, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode() if done.returncode == 0 else None


def base_commit(root):
    head = (git(root, "rev-parse", "HEAD") or "").strip()
    for upstream in ("origin/main", "origin/master"):
        base = (git(root, "merge-base", "HEAD", upstream) or "").strip()
        if base and base != head:
            return base
    return (git(root, "rev-parse", "--verify", "HEAD~1") or "").strip() or None


def changed_files(root):
    if git(root, "rev-parse", "HEAD") is None:
        return tree.list_files(root)
    base = base_commit(root)
    if base:
        names = git(root, "diff", "--name-only", "--diff-filter=d", base)
    else:
        names = git(root, "ls-files")
    names = (names or "") + (git(root, "ls-files", "--others", "--exclude-standard") or "")
    return sorted({name for name in names.splitlines() if os.path.isfile(os.path.join(root, name))})


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(here))
    print("\n".join(changed_files(folder)))

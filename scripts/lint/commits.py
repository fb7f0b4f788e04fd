# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the subjects of commits: `Component: imperative`, at most 72 characters.

Without an argument it checks the commits since the rule was introduced, as far as
the clone has them. With a file it checks the message in that file, for the hook
commit-msg.
"""

import re
import subprocess
import sys

SINCE = "33f3a6c85f3f49258148b204e9ee2b5964d50001"
MAX_LENGTH = 72
SUBJECT = re.compile(r"^[A-Z][\w/-]*(?:[ ,]+[\w/-]+)*: (?P<verb>[a-z][\w-]*)\b")
NOT_IMPERATIVE = re.compile(r"(?:[^se]s|[^e]ed|ing)$")
IMPERATIVE = {"bring", "string", "embed", "bias", "focus"}


def problems(subject):
    """Returns what is wrong with a subject, as sentences without the subject."""
    found = []
    if len(subject) > MAX_LENGTH:
        found.append(f"has {len(subject)} characters, at most {MAX_LENGTH}")
    match = SUBJECT.match(subject)
    if not match:
        found.append("is not of the form 'Component: imperative in lower case'")
    elif NOT_IMPERATIVE.search(match["verb"]) and match["verb"] not in IMPERATIVE:
        found.append(f"starts with '{match['verb']}'; write the imperative, for example 'add' instead of 'adds' or 'added'")
    if subject.endswith("."):
        found.append("ends with a full stop")
    return found


def subjects():
    """Subjects of the commits since SINCE, or of HEAD if the clone is too shallow."""
    known = subprocess.run(["git", "cat-file", "-e", SINCE], stderr=subprocess.DEVNULL).returncode == 0
    names = ["--no-merges", f"{SINCE}..HEAD"] if known else ["--no-merges", "-1"]
    log = subprocess.run(["git", "log", "--format=%h %s", *names], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [line.split(" ", 1) for line in log.stdout.decode().splitlines()]


def main():
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8") as file:
            commits = [("message", file.readline().rstrip("\n"))]
    else:
        commits = subjects()
    failed = False
    for name, subject in commits:
        for problem in problems(subject):
            failed = True
            print(f"commit {name}: the subject '{subject}' {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of a page and compares their output with the page.

In ```console blocks a line that begins with "$ " is a command, which a backslash at its end
continues. The lines below a command are its output. "..." within a line matches any text; a line
that is only "..." matches any lines. Blanks match any number of blanks. A command without output
below it must succeed. A command followed by "[exit code N]" must end with N. The script skips a
block directly after the line "<!-- not run: REASON -->". Snippets (scripts/doc_snippets.py) must
equal the lines of their file.

  run_commands.py PAGE --root DIR --build DIR [--needs-module NAME]

With --needs-module, the exit code is 77 (skipped) if Python has no module NAME.
"""

import argparse
import importlib.util
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import doc_snippets


def blocks(text):
    found = re.findall(r"^(<!-- not run: .*? -->\n)?```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for mark, block in found if not mark]


def commands(block):
    """Returns (command, output lines, exit code) of each command in a block."""
    found = []
    continues = False
    for line in block.splitlines():
        if continues:
            found[-1][0] += "\n" + line
        elif line.startswith("$ "):
            found.append([line[2:], [], 0])
        elif re.fullmatch(r"\[exit code \d+\]", line):
            found[-1][2] = int(line[len("[exit code "):-1])
        else:
            found[-1][1].append(line)
            continue
        continues = line.endswith("\\")
    return found


def pattern(lines):
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*?".join(re.sub(r"(?:\\ )+", r"[ ]+", re.escape(part)) for part in line.rstrip().split("...")) + r"[ ]*\n")
    return "".join(parts)


def run(command, args):
    """Runs a command after replacing the page's paths with the paths of this build."""
    real = command.replace("build/release", args.build)
    # `python3` is the interpreter that runs this script, because it has the packages.
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    return subprocess.run(["bash", "-c", real], cwd=args.root, env={**os.environ, "PATH": path},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=600)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page")
    parser.add_argument("--root", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--needs-module")
    args = parser.parse_args()
    if args.needs_module and importlib.util.find_spec(args.needs_module) is None:
        print(f"skipped: needs the Python module {args.needs_module}, which scripts/install-deps.sh --zoo installs")
        return 77
    with open(args.page, encoding="utf-8") as file:
        text = file.read()
    total, wrong = 0, 0
    if doc_snippets.fill(args.root, text) != text:
        wrong += 1
        print(f"{args.page}: a snippet differs from its file; run scripts/generate-docs.sh")
    for block in blocks(text):
        for command, lines, code in commands(block):
            total += 1
            done = run(command, args)
            output = done.stdout.decode()
            # Replaces the paths of this build with the page's paths.
            output = output.replace(args.build, "build/release")
            is_same = not lines or re.fullmatch(pattern(lines), output)
            if done.returncode != code or not is_same:
                wrong += 1
                print(f"{args.page}: $ {command}\n  exit code {done.returncode}, expected {code}; it printed:")
                print("\n".join("  " + line for line in output.splitlines()))
    if total == 0:
        print(f"{args.page}: no ```console block, so nothing was tested")
        return 1
    print(f"{args.page}: {total} commands run, {wrong} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

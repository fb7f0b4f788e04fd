#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws sentences from the tree with a fixed seed, for a review of the language.

The sentences come in equal parts from help texts, error messages, documentation
pages and file openings of one commit. With --against, the script prints beside each
sentence the text that another commit has in the same place: the help of the same
flag, the opening of the same file, or the most similar error or sentence of the same
file.

  sample_sentences.py [--ref HEAD] [--against COMMIT] [--seed 15] [--count 60]
"""

import argparse
import difflib
import random
import re
import subprocess

ERROR = re.compile(r"\b(?:emitOpError|emitError|emitRemark|emitWarning|notifyMatchFailure|createStringError|addProblem|"
                   r"unsupported|refuse|fail|problem|[a-z]\w*Error)\s*\(((?:[^;\"]|\"(?:\\.|[^\"\\])*\")*?)\)\s*[;<,]")
LITERAL = re.compile(r"\"((?:\\.|[^\"\\])*)\"")
SOURCES = (".cpp", ".h", ".c", ".td", ".py", ".sh")


def git(*arguments):
    return subprocess.run(["git", *arguments], check=True, stdout=subprocess.PIPE).stdout.decode("utf-8", "replace")


def read(ref, path):
    return git("show", f"{ref}:{path}")


def sentences(text):
    """Splits prose into sentences of at least four words."""
    text = re.sub(r"\s+", " ", text).strip()
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z`*\[])", text)
    return [part for part in parts if len(part.split()) >= 4]


def help_texts(ref, _paths):
    """(verb, flag) to help text, from the generated page of the command line."""
    found, verb, flag = {}, "", ""
    for line in read(ref, "docs/reference/command-line.md").splitlines():
        heading = re.match(r"#+ (.*)", line)
        entry = re.match(r"  (-[^ ]*(?: [^ ]+)*?|[a-z][\w-]*)(?:  +(\S.*))?$", line)
        more = re.match(r" {20,}(\S.*)$", line)
        if heading:
            verb, flag = heading.group(1), ""
        elif entry:
            flag = re.split(r"[ :=\[]", re.sub(r"^-\w, ?", "", entry.group(1)))[0]
            found[(verb, flag)] = entry.group(2) or ""
        elif more and flag:
            found[(verb, flag)] += " " + more.group(1)
    return {key: text.strip() for key, text in found.items() if len(text.split()) >= 4}


def openings(ref, paths):
    """Path to the comment that opens the file."""
    found = {}
    for path in paths:
        if not path.endswith(SOURCES):
            continue
        text = read(ref, path)
        match = (re.search(r"SPDX[^\n]*\n(?:(?://|#) ?\n)?((?:(?://|#) ?[^\n]*\n)+)", text)
                 or re.search(r"SPDX[^\n]*\n\"\"\"(.*?)\"\"\"", text, re.DOTALL)
                 or re.search(r"SPDX[^\n]*\n \*\n((?: \*[^\n/]*\n)+)", text))
        if match:
            prose = re.sub(r"^(?://|#| \*) ?", "", match.group(1), flags=re.MULTILINE).split("\n\n")[0]
            if len(prose.split()) >= 4:
                found[path] = re.sub(r"\s+", " ", prose).strip()
    return found


def message(statement):
    """Joins the literals of a statement; "..." stands for the values between them."""
    text, end = "", None
    for literal in LITERAL.finditer(statement):
        adjacent = end is None or not statement[end:literal.start()].strip()
        text += literal.group(1) if adjacent else "..." + literal.group(1)
        end = literal.end()
    return text.strip()


def errors(ref, paths):
    """(path, index) to the literals of an error statement."""
    found = {}
    for path in paths:
        if not path.endswith(".cpp") or "/test/" in path or path.startswith(("tests/", "bench/")):
            continue
        for index, match in enumerate(ERROR.finditer(read(ref, path))):
            text = message(match.group(0))
            if len(text.split()) >= 4:
                found[(path, index)] = text
    return found


def documents(ref, paths):
    """(page, sentence) to the sentence."""
    found = {}
    for path in paths:
        if not path.endswith(".md") or path.startswith("docs/reference/"):
            continue
        text = re.sub(r"```.*?```|<!--.*?-->", "", read(ref, path), flags=re.DOTALL)
        for paragraph in re.split(r"\n\s*\n|\n(?=[-*|#] ?)", text):
            if paragraph.startswith(("|", "#")):
                continue
            for sentence in sentences(paragraph.lstrip("-*0123456789. ")):
                found[(path, sentence)] = sentence
    return found


KINDS = {"help": help_texts, "error": errors, "documentation": documents, "file opening": openings}


def renames(ref, other):
    """Old path to new path of the files that moved between two commits."""
    lines = git("diff", "-M40%", "--name-status", ref, other).splitlines()
    return dict(line.split("\t")[1:] for line in lines if line.startswith("R"))


def counterpart(kind, key, before, after, moved):
    """The text that `after` has in the place of `key`, or a note that it is gone."""
    if kind == "help":
        return after.get(key, "(the flag is no longer listed here)")
    if kind == "file opening":
        return after.get(moved.get(key, key), "(the file is gone)")
    path = moved.get(key[0], key[0])
    same_file = {other: text for other, text in after.items() if other[0] == path}

    def likeness(other):
        is_same_place = kind == "error" and other[1] == key[1]
        return difflib.SequenceMatcher(None, before, same_file[other]).ratio() + (0.4 if is_same_place else 0)

    return same_file[max(same_file, key=likeness)] if same_file else "(the page or file is gone)"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ref", default="HEAD", help="commit to draw from (default: HEAD)")
    parser.add_argument("--against", help="commit whose text is printed beside each sentence (default: none)")
    parser.add_argument("--seed", type=int, default=15, help="seed of the draw (default: 15)")
    parser.add_argument("--count", type=int, default=60, help="number of sentences (default: 60)")
    args = parser.parse_args()
    paths = git("ls-tree", "-r", "--name-only", args.ref).splitlines()
    other_paths = git("ls-tree", "-r", "--name-only", args.against).splitlines() if args.against else []
    moved = renames(args.ref, args.against) if args.against else {}
    generator = random.Random(args.seed)
    number = 0
    for kind, collect in KINDS.items():
        texts = collect(args.ref, paths)
        others = collect(args.against, other_paths) if args.against else {}
        for key in generator.sample(sorted(texts), args.count // len(KINDS)):
            number += 1
            place = key if isinstance(key, str) else " ".join(str(part) for part in key[:1 if kind == "documentation" else 2])
            print(f"{number}. {kind}, {place}\n   before: {texts[key]}" if args.against
                  else f"{number}. {kind}, {place}\n   {texts[key]}")
            if args.against:
                print(f"   after:  {counterpart(kind, key, texts[key], others, moved)}")


if __name__ == "__main__":
    main()

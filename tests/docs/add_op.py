#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds the op of docs/howto/add-op.md to copies of the sources, builds it and runs the page's commands.

A block after one of these lines belongs to a file:
  <!-- insert: FILE before: LINE -->   inserts the block before the only line of FILE that equals LINE
  <!-- create: FILE -->                writes a new file

The scratch folder holds only the changed files. A new op adds a class to a generated header and
changes no other class, so the test compiles only the changed sources, without the precompiled
header, and links them before the static libraries of the build (lld). A build of the changed tree
would compile all files again.

  add_op.py --root DIR --build DIR PAGE     exit code 77 (skipped) if the build is not by Ninja
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import run_commands

BLOCK = re.compile(r"^<!-- (?:insert: (?P<file>\S+) before: (?P<line>.*?)|create: (?P<new>\S+)) -->\n```\w+\n(?P<text>.*?)^```$",
                   re.MULTILINE | re.DOTALL)
TOOLS = ("convoy", "convoy-opt", "convoy-translate")


def insert(path, text, block, line):
    """Returns the text of a file with the block before the only line that equals `line`."""
    lines = text.splitlines(keepends=True)
    found = [i for i, each in enumerate(lines) if each.strip() == line]
    if len(found) != 1:
        raise ValueError(f"{path}: expected one line '{line}', found {len(found)}")
    indent = lines[found[0]][:len(lines[found[0]]) - len(lines[found[0]].lstrip())]
    added = [indent + each if each.strip() else each for each in block.splitlines(keepends=True)]
    return "".join(lines[:found[0]] + added + ([] if indent else ["\n"]) + lines[found[0]:])


def changed_files(root, page):
    """Returns {path: text} of the files that the blocks of the page change or create."""
    files = {}
    for block in BLOCK.finditer(page):
        path = block["file"] or block["new"]
        if block["new"]:
            if os.path.exists(os.path.join(root, path)):
                raise ValueError(f"{path}: the page creates a file that exists")
            files[path] = block["text"]
            continue
        if path not in files:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                files[path] = file.read()
        files[path] = insert(path, files[path], block["text"], block["line"])
    return files


def write(folder, files):
    shutil.rmtree(folder, ignore_errors=True)
    for path, text in files.items():
        full = os.path.join(folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


def run(command, cwd):
    done = subprocess.run(command, cwd=cwd, shell=isinstance(command, str), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        text = command if isinstance(command, str) else shlex.join(command)
        raise ValueError(f"{text[:400]}\n{done.stdout.decode()}")


def ninja(build, *targets):
    """Returns the commands that build the targets, the last of them last."""
    done = subprocess.run(["ninja", "-t", "commands", *targets], cwd=build, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().splitlines()


def generate(args, scratch, path):
    """Generates the includes of a changed .td file into the scratch folder."""
    stem = os.path.splitext(path)[0]
    outputs = [f"{stem}{part}.inc" for part in (".h", ".cpp", ".enum.h", ".enum.cpp")]
    for command in ninja(args.build, *outputs):
        if f" -o {stem}." in command.replace(args.build + "/", ""):
            command = command.replace(os.path.join(args.root, path), os.path.join(scratch, path))
            command = re.sub(rf"(?:\S*/)?{re.escape(stem)}((?:\.\w+)+)\.inc\b", rf"{scratch}/{stem}\1.inc", command)
            command = re.sub(r" -d \S+", "", command)
            run(command, args.build)


def compile_command(args, scratch, path, entry):
    """Returns the object and the command that compiles a source of the scratch folder."""
    words = shlex.split(entry["command"])
    for i, word in enumerate(words):
        if word == "-include-pch":
            del words[i - 1:i + 3]
            break
    output = os.path.join(scratch, path + ".o")
    words[words.index("-o") + 1] = output
    words[words.index("-c") + 1] = os.path.join(scratch, path)
    compiler = next(i for i, word in enumerate(words) if re.search(r"(clang\+\+|g\+\+|c\+\+)[-.\d]*$", word))
    words[compiler + 1:compiler + 1] = [f"-I{scratch}", f"-I{scratch}/compiler"]
    return output, words + ["-O0"]


def build_tools(args, scratch, files):
    for path in files:
        if path.endswith(".td"):
            generate(args, scratch, path)
    with open(os.path.join(args.build, "compile_commands.json"), encoding="utf-8") as file:
        entries = {os.path.relpath(entry["file"], args.root): entry for entry in json.load(file)}
    sources = {path for path in files if path.endswith(".cpp")}
    # The file that compiles the generated code of a family has no block of its own.
    for path in [path for path in files if path.endswith(".td")]:
        generated = path[:-len(".td")] + "Ops.cpp"
        if generated not in sources:
            shutil.copy(os.path.join(args.root, generated), os.path.join(scratch, generated))
            sources.add(generated)
    jobs = {path: compile_command(args, scratch, path, entries[path]) for path in sorted(sources)}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: run(job[1], args.build), jobs.values()))
    # The linker takes a symbol from the first archive that defines it, and only if a tool needs it.
    archive = os.path.join(scratch, "libadd_op.a")
    run(["ar", "rcs", archive] + [output for path, (output, _) in jobs.items() if not path.startswith("tests/")], scratch)
    os.makedirs(os.path.join(scratch, "bin"), exist_ok=True)
    for tool in TOOLS:
        link = ninja(args.build, f"bin/{tool}")[-1]
        run(link.replace(f" -o bin/{tool} ", f" -o {scratch}/bin/{tool} {archive} "), args.build)


def run_page(args, scratch, page):
    """Runs the commands of the page in the scratch folder and returns the number of findings."""
    wrong = 0
    commands = argparse.Namespace(root=scratch, build=scratch)
    for block in run_commands.blocks(page):
        for command, lines, code in run_commands.commands(block):
            done = run_commands.run(command, commands)
            output = done.stdout.decode()
            if done.returncode != code or (lines and not re.fullmatch(run_commands.pattern(lines), output)):
                wrong += 1
                print(f"{args.page}: $ {command}\n  exit code {done.returncode}, expected {code}; it printed:\n{output}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page")
    parser.add_argument("--root", required=True)
    parser.add_argument("--build", required=True)
    args = parser.parse_args()
    if not os.path.exists(os.path.join(args.build, "build.ninja")) or not shutil.which("ninja"):
        print("skipped: the test reads the commands of a Ninja build")
        return 77
    with open(args.page, encoding="utf-8") as file:
        page = file.read()
    scratch = os.path.join(args.build, "tests", "docs", "add_op")
    try:
        files = changed_files(args.root, page)
        write(scratch, files)
        build_tools(args, scratch, files)
    except ValueError as error:
        print(f"{args.page}: {error}")
        return 1
    wrong = run_page(args, scratch, page)
    print(f"{args.page}: {len(files)} files, {wrong} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates code from the table of options. The build runs it:

  generate_options.py --tablegen llvm-tblgen --out FOLDER    writes every file below FOLDER
  generate_options.py --list                                 prints the names of the files

A file that does not change keeps its time, so that a new help text does not compile the compiler
again. scripts/generate_docs.py imports `outputs` for the reference pages and the stubs.
"""

import argparse
import os
import sys

import emit_completion
import emit_cpp
import emit_man
import emit_python
import option_table

OUTPUTS = {
    "compiler/convoy/options.h": emit_cpp.request_header,
    "compiler/Driver/RequestStages.inc": emit_cpp.stages_inc,
    "tools/convoy/Options.inc": emit_cpp.options_inc,
    "tools/convoy/VerbFlags.inc": emit_cpp.verbs_inc,
    "tools/convoy/RequestKey.inc": emit_cpp.key_inc,
    "python/compiler/RequestValues.inc": emit_cpp.python_inc,
    "python/compiler/SearchValues.inc": emit_cpp.search_inc,
    "python/compiler/ImageValues.inc": emit_cpp.image_inc,
    "python/compiler/QuantizeValues.inc": emit_cpp.quantize_inc,
    "python/convoy/_options.py": emit_python.module,
    "python/convoy/_flags.py": emit_python.flags_module,
    "share/bash-completion/completions/convoy": emit_completion.bash,
    "share/zsh/site-functions/_convoy": emit_completion.zsh,
    "share/fish/vendor_completions.d/convoy.fish": emit_completion.fish,
    "share/man/man1/convoy.1": emit_man.page,
}


def outputs(options):
    """{path below the build folder: text}."""
    return {path: emit(options) for path, emit in OUTPUTS.items()}


def write(path, text):
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tablegen", default=option_table.TABLEGEN)
    parser.add_argument("--out")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list:
        print(";".join(OUTPUTS), end="")
        return 0
    for path, text in outputs(option_table.read_table(args.tablegen)).items():
        write(os.path.join(args.out, path), text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the diagrams of docs/how-it-works that show the output of the compiler.

  draw.py [--check] [--build FOLDER]

Each diagram shows what the built compiler prints for a model of models.py. All
targets are fixed, so that the drawings are the same on every machine. `--check`
writes nothing, names each drawing that would change and ends with 1.
scripts/generate-docs.sh runs this program.
"""

import argparse
import os
import sys
import tempfile

import accelerator
import compiler_output
import integer_graph
import layouts
import models
import schedule

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIAGRAMS = {"layouts": layouts, "schedule": schedule, "integer-graph": integer_graph, "accelerator": accelerator}


def old_text(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a drawing would change")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), help="build folder (default: build/release)")
    args = parser.parse_args()
    stale = []
    with tempfile.TemporaryDirectory() as folder:
        models.write_all(folder)
        compiler = compiler_output.Compiler(args.build, folder)
        for name, module in DIAGRAMS.items():
            path = os.path.join("docs", "images", name + ".svg")
            text = module.draw(compiler)
            if text == old_text(os.path.join(ROOT, path)):
                continue
            stale.append(path)
            if not args.check:
                os.makedirs(os.path.join(ROOT, "docs", "images"), exist_ok=True)
                with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
                    file.write(text)
    for path in stale:
        print(f"{path}: {'out of date; run scripts/generate-docs.sh' if args.check else 'written'}")
    return 1 if stale and args.check else 0


if __name__ == "__main__":
    sys.exit(main())

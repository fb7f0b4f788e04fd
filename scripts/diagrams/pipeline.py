#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws docs/images/pipeline.svg from the stage table of ARCHITECTURE.md.

scripts/generate-docs.sh writes that table from the driver and then calls draw().
The stages fill rows of boxes from left to right; the model enters above, the
artifacts leave below. A stage whose result the reference interpreter can run has a
green mark.

  pipeline.py        prints the drawing for the table as it is
"""

import os
import re
import sys

import svg

PATH = "docs/images/pipeline.svg"
COLUMNS = 4
BOX, GAP, MARGIN, CHARACTERS = 190, 24, 20, 29
STAGE, EDGE, REFERENCE = "#e8f1fa", "#7aa7d2", "#2f9e6e"
ARTIFACTS = [("native library", "shared library, C header"), ("portable C", "C11 source, test bench"),
             ("device program", "for example an NVDLA loadable")]


def stages(architecture):
    """(name, what it does, whether the reference runs its result) of each row."""
    table = architecture.split("<!-- stage table: generated -->\n")[1].split("<!-- end of stage table -->")[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]
    return [(row[0], re.sub(r"`", "", row[1]), row[2] == "yes") for row in rows]


def box(x, y, height, name, words, is_followed):
    shapes = [svg.rect(x, y, BOX, height, STAGE, EDGE, 6), svg.text(x + 12, y + 22, name, 15, bold=True)]
    if is_followed:
        shapes.append(svg.rect(x + BOX - 20, y + 12, 9, 9, REFERENCE, radius=4.5))
    for i, words_of_line in enumerate(svg.wrapped(words, CHARACTERS)):
        shapes.append(svg.text(x + 12, y + 40 + 15 * i, words_of_line, 12, svg.GRAY))
    return shapes


def place(index, height):
    return (MARGIN + index % COLUMNS * (BOX + GAP), 84 + index // COLUMNS * (height + GAP))


def arrows(count, height):
    """Along each row, and from the end of a row to the start of the next."""
    shapes = []
    for i in range(1, count):
        (x0, y0), (x1, y1) = place(i - 1, height), place(i, height)
        if y0 == y1:
            shapes.append(svg.line(x0 + BOX + 2, y0 + height / 2, x1 - 2, y1 + height / 2, svg.GRAY, 1.5, arrow=True))
            continue
        middle = y1 - GAP / 2
        shapes += [svg.line(x0 + BOX / 2, y0 + height, x0 + BOX / 2, middle, svg.GRAY, 1.5),
                   svg.line(x0 + BOX / 2, middle, x1 + BOX / 2, middle, svg.GRAY, 1.5),
                   svg.line(x1 + BOX / 2, middle, x1 + BOX / 2, y1 - 2, svg.GRAY, 1.5, arrow=True)]
    return shapes


def draw(architecture):
    rows = stages(architecture)
    height = 36 + 15 * max(len(svg.wrapped(words, CHARACTERS)) for _, words, _ in rows)
    width = 2 * MARGIN + COLUMNS * BOX + (COLUMNS - 1) * GAP
    shapes = [svg.rect(MARGIN, 20, BOX, 38, svg.INK, radius=6),
              svg.text(MARGIN + BOX / 2, 44, "ONNX model", 15, "#ffffff", "middle", True),
              svg.line(MARGIN + BOX / 2, 58, MARGIN + BOX / 2, 82, svg.GRAY, 1.5, arrow=True),
              svg.rect(MARGIN + BOX + GAP, 35, 9, 9, REFERENCE, radius=4.5),
              svg.text(MARGIN + BOX + GAP + 16, 44, "the reference interpreter runs the result of this stage", 12, svg.GRAY)]
    for i, row in enumerate(rows):
        shapes += box(*place(i, height), height, *row)
    shapes += arrows(len(rows), height)
    last_x, last_y = place(len(rows) - 1, height)
    below = last_y + height
    top = below + 44
    shapes.append(svg.line(last_x + BOX / 2, below, last_x + BOX / 2, below + 20, svg.GRAY, 1.5))
    left = (width - len(ARTIFACTS) * BOX - (len(ARTIFACTS) - 1) * GAP) / 2
    centers = [left + i * (BOX + GAP) + BOX / 2 for i in range(len(ARTIFACTS))]
    ends = sorted(centers + [last_x + BOX / 2])
    shapes.append(svg.line(ends[0], below + 20, ends[-1], below + 20, svg.GRAY, 1.5))
    for center, (name, words) in zip(centers, ARTIFACTS):
        shapes += [svg.line(center, below + 20, center, top - 2, svg.GRAY, 1.5, arrow=True),
                   svg.rect(center - BOX / 2, top, BOX, 50, svg.INK, radius=6),
                   svg.text(center, top + 22, name, 15, "#ffffff", "middle", True),
                   svg.text(center, top + 40, words, 12, "#cbd2d9", "middle")]
    return svg.drawing(width, top + 70, "The stages of a compile, from the ONNX model to the artifacts", shapes,
                       "scripts/diagrams/pipeline.py")


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, "ARCHITECTURE.md"), encoding="utf-8") as file:
        sys.stdout.write(draw(file.read()))


if __name__ == "__main__":
    main()

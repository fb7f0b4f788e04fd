# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Boxes, arrows and text as SVG, for the diagrams of docs/how-it-works.

The text of a drawing depends only on the calls that made it. Each drawing has a
white background, so that it is legible on light and dark pages.
"""

from xml.sax.saxutils import escape

FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
MONO = "DejaVu Sans Mono, Menlo, Consolas, monospace"
LINE = 17  # pixels from one line of text to the next

# Fill colours by meaning; the text on them is black.
PLAIN, BLUE, GREEN, ORANGE, GREY = "#ffffff", "#cfe3f7", "#d3ecd2", "#fbdcc0", "#e9e9e9"
DARK = "#333333"


def number(value):
    """A coordinate with at most one decimal place."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Drawing:
    def __init__(self, title, width):
        self.width = width
        self.bottom = 0
        self.parts = []
        self.title = title
        self.text(20, 32, title, size=17, bold=True)

    def add(self, part, bottom):
        self.parts.append(part)
        self.bottom = max(self.bottom, bottom)

    def text(self, x, y, words, size=13, bold=False, mono=False, anchor="start", fill="#000000"):
        weight = ' font-weight="bold"' if bold else ""
        family = f' font-family="{MONO}"' if mono else ""
        self.add(f'<text x="{number(x)}" y="{number(y)}" font-size="{size}"{weight}{family} text-anchor="{anchor}" '
                 f'fill="{fill}" xml:space="preserve">{escape(words)}</text>', y + 6)

    def rect(self, x, y, width, height, fill=PLAIN, stroke=DARK, dashed=False):
        dash = ' stroke-dasharray="6 4"' if dashed else ""
        self.add(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" rx="4" '
                 f'fill="{fill}" stroke="{stroke}"{dash}/>', y + height)

    def box(self, x, y, width, lines, fill=PLAIN, size=13, mono=False):
        """A box with its first line in bold; returns its height."""
        height = LINE * len(lines) + 14
        self.rect(x, y, width, height, fill)
        for index, line in enumerate(lines):
            self.text(x + 10, y + 20 + index * LINE, line, size=size if index == 0 else size - 1,
                      bold=index == 0, mono=mono and index > 0)
        return height

    def line(self, x1, y1, x2, y2, color=DARK, arrow=True, width=1.5, dashed=False):
        head = ' marker-end="url(#arrow)"' if arrow else ""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.add(f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" stroke="{color}" '
                 f'stroke-width="{number(width)}"{head}{dash}/>', max(y1, y2))

    def commands(self, lines):
        """Names, below the drawing, the commands that printed its data."""
        y = self.bottom + 34
        self.text(20, y, "Data printed by:", size=12, fill="#555555")
        for index, line in enumerate(lines):
            self.text(135, y + index * 16, line, size=12, mono=True, fill="#555555")

    def svg(self):
        height = number(self.bottom + 14)
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height}" '
                f'viewBox="0 0 {self.width} {height}" font-family="{FONT}" role="img">\n'
                f"<title>{escape(self.title)}</title>\n"
                '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
                f'orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="{DARK}"/></marker></defs>\n'
                f'<rect width="{self.width}" height="{height}" fill="#ffffff"/>\n')
        return head + "\n".join(self.parts) + "\n</svg>\n"

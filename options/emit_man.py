# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The manual page convoy(1) that the table of options generates, in the macros of mdoc."""

import os
import re
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MONTHS = ("January February March April May June July August September October November December").split()

HEAD = r""".\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
.\" Generated from options/.
.Dd %(date)s
.Dt CONVOY 1
.Os
.Sh NAME
.Nm convoy
.Nd compile ONNX models to native code, C source or programs of accelerators
.Sh SYNOPSIS
.Nm
.Ar verb
.Op Ar flags
.Nm
.Cm help
.Op Ar verb
.Sh DESCRIPTION
%(flags)s"""

TAIL = r""".Sh EXIT STATUS
.Bl -tag -width Ds -compact
.It 0
Success.
.It 1
An error of the user, or missing memory.
.It 2
Convoy does not support the model or the flags.
.It 3
A bug in Convoy.
.El
.Sh EXAMPLES
Compile a model for this machine and run it on an image:
.Bd -literal -offset indent
convoy compile model.onnx -o out
convoy run model.onnx --input photo.jpg --preprocess imagenet
.Ed
"""


def date():
    """The date of the last release in the changelog."""
    with open(os.path.join(ROOT, "CHANGELOG.md"), encoding="utf-8") as file:
        year, month, day = re.search(r"^## [0-9.]+ - (\d+)-(\d+)-(\d+)$", file.read(), re.MULTILINE).groups()
    return f"{MONTHS[int(month) - 1]} {int(day)}, {year}"


def escaped(text):
    """Text without the meaning of a macro or of an escape."""
    text = text.replace("\\", "\\e").replace("`", "").replace("--", "\\-\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def paragraph(text):
    """One line per sentence part, as mdoc wants it."""
    sentences = re.split(r"(?<=[.;:]) (?=[A-Za-z\-])", text)
    lines = [line for sentence in sentences for line in textwrap.wrap(sentence, 78, break_long_words=False, break_on_hyphens=False)]
    return "".join(escaped(line) + "\n" for line in lines)


def item(name, text):
    return f".It {name}\n{paragraph(text)}"


def flag_names(flags, shown):
    names = " , ".join(f"Fl {name[1:]}" if not name.startswith("--") else f"Fl \\-{name[2:]}" for name in flags)
    if shown.startswith("["):
        return f"{names} Ns Oo = Ns Ar FILE Oc"
    return f"{names} Ar {argument(shown)}" if shown else names


def argument(shown):
    return '"' + shown.replace("|", "\\*(Ba") + '"' if re.search(r"[|\s,.\[\]]", shown) else shown


def flag_list(entries):
    items = "".join(item(flag_names(entry.flags, entry.kind.shown) if entry.flags else f"Ar {argument(entry.kind.shown)}", entry.help)
                    for entry in entries)
    return f".Bl -tag -width Ds\n{items}.El\n" if items else ""


def section(table, verb):
    entries = [entry for entry in table.entries(verb) if entry.is_listed]
    return f".Ss convoy {verb.name}\n{paragraph(verb.help)}{flag_list(entries)}"


def page(table):
    tool = "".join(item(flag_names(flag.names.split(","), ""), flag.help) for flag in table.all("ToolFlag"))
    verbs = "".join(section(table, verb) for verb in table.verbs if verb.run)
    return HEAD % {"date": date(), "flags": f"The flags without a verb:\n.Bl -tag -width Ds\n{tool}.El\n"} + f".Sh VERBS\n{verbs}" + TAIL

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the quotations of known_differences.json against the operator texts of the installed ONNX.

A clause names versions of operators (`Slice-13`) and quotes them between single quotes. Each quotation must occur in the
text of one of the versions. The test does not check a clause with a version that the installed ONNX does not have, or
with the words `of ONNX`, which name the release of a corrected text.
"""

import re
import sys

import known
from onnx import defs

# A quotation may contain quotes inside of a word, such as in "ONNX's".
QUOTATION = re.compile(r"(?<!\w)'([^']+(?:'\w[^']*)*)'(?!\w)")
VERSION = re.compile(r"(ai\.onnx\.ml )?\b([A-Z]\w+)-(\d+)")
# Most clauses quote a version that the oldest supported ONNX has.
FEWEST_CHECKED = 20


def joined(text):
    return re.sub(r"\s+", " ", text.replace("`", ""))


def text_of(domain, op, version):
    """Returns the text of a version of an operator, or None if the installed ONNX does not have the version."""
    try:
        schema = defs.get_schema(op, version, domain)
    except defs.SchemaError:
        return None
    if schema.since_version != version:
        return None
    values = [*schema.attributes.values(), *schema.inputs, *schema.outputs]
    return joined(" ".join([schema.doc or "", *(value.description for value in values)]))


def main():
    wrong, checked, skipped = [], 0, 0
    for clause in sorted({entry["clause"] for entry in known.entries()}):
        versions = VERSION.findall(clause)
        if not versions:
            wrong.append(f"expected a version of an operator, as in Slice-13, got: {clause}")
        texts = [text_of(domain.strip(), op, int(version)) for domain, op, version in versions]
        quotations = QUOTATION.findall(clause)
        if None in texts or "of ONNX 1" in clause:
            skipped += len(quotations)
            continue
        checked += len(quotations)
        wrong += [f"no text of {clause.split(':')[0]} has the quotation '{quotation}'" for quotation in quotations
                  if not any(joined(quotation) in text for text in texts)]  # fmt: skip
    for line in wrong:
        print(f"FAILED {line}")
    print(f"{checked - len(wrong)} quotations are in the operator texts; {skipped} are of versions that the installed ONNX does not have")
    return 1 if wrong or checked < FEWEST_CHECKED else 0


if __name__ == "__main__":
    sys.exit(main())

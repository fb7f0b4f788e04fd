# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds functions and variables in C++ files without a compiler.

`blank` replaces comments, literals and preprocessor lines by spaces, so that
offsets and lines stay the same. `parse` then walks the braces and distinguishes
namespaces, classes, functions and initializers by the words before each brace. It does
not support braces that a macro or #if leaves unbalanced; Convoy has no such code.
"""

import re
from collections import namedtuple

Function = namedtuple("Function", "name first_line last_line")
# A declaration that ends in `;`, with the kind of scope it stands in:
# "namespace", "class" or "function".
Statement = namedtuple("Statement", "text line scope")

_LITERALS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s"]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'", re.DOTALL)
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_FUNCTION_TAIL = re.compile(
    r"\)\s*(?:const|noexcept(?:\([^)]*\))?|override|final|mutable|&&?|__attribute__\(\(.*?\)\)|\s)*"
    r"(?:->[^{;]*)?$", re.DOTALL)
_NAME = re.compile(r"((?:\w+::)*operator\s*(?:[^\s\w(]+|\(\))|[~\w:]+)\s*\(")


def _spaces(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def blank_comments(text):
    """Blanks comments and literals."""
    return _LITERALS.sub(_spaces, text)


def blank(text):
    return _PREPROCESSOR.sub(_spaces, blank_comments(text))


def _kind_of_brace(head, scope):
    """Returns the kind of scope that the brace after `head` opens, outside functions."""
    words = head.strip()
    if re.search(r"\bnamespace\b[\w\s:]*$", words) or re.search(r'\bextern\s*$', words):
        return "namespace"
    if re.search(r"\b(class|struct|union)\b[^()=]*$", _without_templates(words)):
        return "class"
    if re.search(r"\benum\b[^()=]*$", words):
        return "initializer"
    if _FUNCTION_TAIL.search(words) or _is_constructor_head(words):
        return "function"
    return "initializer"


def _without_templates(words):
    return re.sub(r"\btemplate\s*<[^{]*?>\s*(?=\b(class|struct|union|enum)\b)", "", words)


def _is_constructor_head(words):
    """True after `Name(args) : member(x), other` with `{` of the body or of a member."""
    return re.search(r"\)\s*(noexcept\s*)?:(?!:)", words) is not None


def parse(text):
    """Returns (functions, statements) of one file."""
    code = blank(text)
    functions, statements, stack = [], [], []
    start = 0  # start of the current declaration
    line = 1
    head_line = None
    for offset, char in enumerate(code):
        scope = stack[-1][0] if stack else "namespace"
        if char == "\n":
            line += 1
        elif not char.isspace() and head_line is None and char not in "{};":
            head_line = line
        if char == "{":
            kind = "block" if scope in ("function", "block") else _kind_of_brace(code[start:offset], scope)
            if scope == "initializer":
                kind = "initializer"
            stack.append((kind, code[start:offset], head_line or line, start))
            if kind != "initializer":
                start, head_line = offset + 1, None
        elif char == "}" and stack:
            kind, head, first, head_start = stack.pop()
            if kind == "function" and not _continues_initializers(code, offset, head):
                name = _NAME.search(head)
                functions.append(Function(name.group(1) if name else "?", first, line))
            if kind == "initializer" or (kind == "function" and _continues_initializers(code, offset, head)):
                start, head_line = head_start, first
            else:
                start, head_line = offset + 1, None
        elif char == ";" and scope != "initializer":
            inside = "function" if scope == "block" else scope
            statements.append(Statement(code[start:offset].strip(), head_line or line, inside))
            start, head_line = offset + 1, None
    return functions, statements


def _continues_initializers(code, offset, head):
    """True when the brace at `offset` closed a member's `{init}`, not the body."""
    following = code[offset + 1:].lstrip()[:1]
    return _is_constructor_head(head) and following in (",", "{")

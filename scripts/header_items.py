# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splits a public C or C++ header into its declarations. api_docs.py uses it.

Not a parser of C++: it relies on the formatting of this repository (clang-format, one declaration per
group of lines, comments directly before their declaration).
"""

import re

# Lines that belong to no declaration.
SKIPPED = re.compile(r"#(include|ifndef|ifdef|endif|pragma|if |else)|extern \"C\"|} // namespace|#define CONVOY_\w+_HP?P?$")
NAMES = (re.compile(r"#define (\w+)"), re.compile(r"(?:struct|class|enum class|enum|union)(?: CONVOY_API)? (\w+)[^;()]*\{"),
         re.compile(r"^(?:struct|class) (\w+);"), re.compile(r"using (\w+) ="),
         re.compile(r"typedef [^;{(]*?(\w+);"), re.compile(r"(\w+|operator\S+)\("), re.compile(r"(\w+)(?:\[\])? ="))


def comment_text(lines):
    """Returns the text of a comment without its marks."""
    text = []
    for line in lines:
        line = re.sub(r"^\s*(///?<?|/\*|\*/|\*(?!/))", "", line).removesuffix("*/").rstrip()
        text.append(line[1:] if line.startswith(" ") else line)
    return "\n".join(text).strip("\n")


def take_comment(lines, i):
    """Returns the index after the comment that begins at line i; i if there is none."""
    if lines[i].lstrip().startswith("/*"):
        while "*/" not in lines[i]:
            i += 1
        return i + 1
    while i < len(lines) and lines[i].lstrip().startswith("//"):
        i += 1
    return i


def without_comments(line):
    return re.sub(r'//.*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'', "", line)


def take_declaration(lines, i):
    """Returns the index after the declaration that begins at line i."""
    if lines[i].startswith("#define"):
        while lines[i].endswith("\\"):
            i += 1
        return i + 1
    depth, in_comment = 0, False
    while i < len(lines):
        line = without_comments(lines[i])
        in_comment = (in_comment or "/*" in line) and "*/" not in line
        if not in_comment and not line.lstrip().startswith("*"):
            depth += line.count("{") + line.count("(") - line.count("}") - line.count(")")
            if depth == 0 and re.search(r"[;}]\s*$", line):
                return i + 1
        i += 1
    return i


def is_type(code):
    return re.match(r"(template <[^{;]*>\s*)?(typedef )?(struct|class|enum|union)\b", code) is not None


def without_bodies(code):
    """Replaces the body of each function, and the initializers of a constructor, by a semicolon."""
    result, depth, i = [], 0, 0
    top = 1 if is_type(code) else 0
    lines = code.splitlines()
    while i < len(lines):
        line = without_comments(lines[i])
        opens = line.count("{") - line.count("}")
        begins = depth == top and re.search(r"\)[^;=]*\{|^\s*:.*\{", line) and not re.match(r"\s*(struct|enum|class)", line)
        if begins:
            end, level = i, opens
            while level > 0:
                end += 1
                level += without_comments(lines[end]).count("{") - without_comments(lines[end]).count("}")
            head = re.sub(r"\s*(\)(?: const)?(?: noexcept)?)\s*(: .*)?\{.*$", r"\1;", lines[i])
            if head.lstrip().startswith(":") or head == lines[i]:
                result[-1] = result[-1].rstrip() + ";"
            else:
                result.append(head)
            i = end + 1
            continue
        depth += opens
        result.append(lines[i])
        i += 1
    return "\n".join(result)


def public_part(code):
    """Removes the private members of a class, and an empty line at an end."""
    code = re.sub(r"\n *private:\n.*(?=\n};)", "", code, flags=re.DOTALL)
    return re.sub(r"\n+(};?)$", r"\n\1", code).strip("\n")


def name_of(code):
    plain = "\n".join(without_comments(line) for line in code.splitlines())
    closing = re.match(r"typedef (?:struct|enum|union)[^;]*\{.*\} (\w+);$", plain, re.DOTALL)
    if closing:
        return closing[1]
    plain = re.sub(r"^template <[^{;]*?>\n", "", plain)
    if not is_type(plain):
        plain = plain.partition("{")[0]
    for pattern in NAMES:
        found = pattern.search(plain)
        if found:
            return found[1]
    return ""


def is_forward(code):
    return re.fullmatch(r"(typedef )?(struct|class|enum class|union) [\w: ]+;", code.strip()) is not None


def raw_items(lines, i):
    """Yields (comment lines, declaration lines) of the declarations from line i on."""
    comment = []
    while i < len(lines):
        line = lines[i]
        end = take_comment(lines, i)
        inner = re.match(r"namespace (\w+) \{", line)
        if end > i:
            comment = lines[i:end]
        elif inner and inner[1] != "convoy":
            end = next(j for j in range(i, len(lines)) if lines[j].startswith(f"}} // namespace {inner[1]}")) + 1
        elif not line.strip() or inner or SKIPPED.match(line) or line == "}":
            end, comment = i + 1, []
        else:
            end = take_declaration(lines, i)
            yield comment, lines[i:end]
            comment = []
        i = end


def header_items(text):
    """Returns the comment at the top and [(name, comment, code)]. Definitions of macros that follow each
    other are one item without a name."""
    lines = text.splitlines()
    start = take_comment(lines, 0)
    opening = re.sub(r"^SPDX-\S+ .*\n+", "", comment_text(lines[:start]))
    items = []
    for comment, declaration in raw_items(lines, start):
        code = "\n".join(declaration)
        if declaration[0].startswith("#define"):
            block = "\n".join(comment + declaration)
            if items and not items[-1][0]:
                items[-1] = ("", "", items[-1][2] + "\n" + block)
            else:
                items.append(("", "", block))
        elif not is_forward(code) or comment:
            items.append((name_of(code), comment_text(comment), public_part(without_bodies(code))))
    return opening, items

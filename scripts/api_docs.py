# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates the API pages: the Python packages from their stubs and docstrings, C and C++ from the
public headers, and what the table of options generates. scripts/generate_docs.py calls `pages`. The script
needs llvm-tblgen and no build.

A declaration of a header is a part of its page if it is at the level of the file or of namespace
`convoy`. The comment before it becomes text; comments inside it stay in the code. Private members and
function bodies are left out.
"""

import ast
import os
import re
import sys
import textwrap

from header_items import header_items

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "options"))

import emit_python  # noqa: E402
import generate_options  # noqa: E402
import option_table  # noqa: E402

C_HEADERS = [f"runtime/include/convoy/{name}.h" for name in ("convoy", "table", "load", "device", "power", "abstract", "custom_op")]
CPP_HEADERS = ["runtime/include/convoy/convoy.hpp", "runtime/include/convoy/library.hpp"] + [
    f"compiler/include/convoy/{name}.h"
    for name in ("workflow", "compiler", "request", "options", "artifact", "report", "model", "tensor", "result", "tuner", "local_tuner", "version")]
# Package, stub of the public names, and what the page says first.
PYTHON_MODULES = [("convoy", "python/convoy/__init__.pyi"), ("convoy.backend", "python/convoy/backend.pyi"),
                  ("convoy.records", "python/convoy/records.pyi"), ("convoy_runtime", "python/convoy_runtime/__init__.pyi")]
ARGUMENT = re.compile(r"[\w*]+(?:, [\w*]+)*: ")
# Several arguments may share a line of a docstring: "samples: per row. hot: repeat each kernel."
NEXT_ARGUMENT = re.compile(r"(?<=[.\])]) (?=[a-z_]\w*(?:, [a-z_]\w*)*: )")


OPTIONS = option_table.read_table()
# The files of the build that the pages show, by their place in the tree.
GENERATED = {"compiler/include/convoy/options.h": "compiler/convoy/options.h", "python/convoy/_options.py": "python/convoy/_options.py",
             "python/convoy/_flags.py": "python/convoy/_flags.py"}
STUB = "python/convoy/__init__.pyi"
STUB_PART = re.compile(r"(# From the table of options: (\w+)[^\n]*\n).*?(# End of the table of options.\n)", re.DOTALL)


def read(root, path):
    if path in GENERATED:
        return generate_options.OUTPUTS[GENERATED[path]](OPTIONS)
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def escaped(text):
    """Marks `<model>_run` as code, which Markdown would read as HTML."""
    return re.sub(r"(?<!`)(<\w+>(?:[\w.]*\w)?)", r"`\1`", text)


def paragraphs(text):
    """Yields (is code, lines) of each part of a comment or docstring. Code is indented and follows an
    empty line; an indented line inside a paragraph continues it."""
    found = []
    for part in re.split(r"\n\s*\n", text):
        lines = part.splitlines()
        is_code = part.startswith("  ")
        if is_code and found and found[-1][0]:
            found[-1][1].extend([""] + lines)
        elif lines:
            found.append((is_code, lines))
    return found


def arguments(lines):
    """Returns the lines `name: text` of a docstring as a list."""
    items = []
    for line in lines:
        if ARGUMENT.match(line):
            items.append(line)
        else:
            items[-1] += " " + line.strip()
    pairs = [part.split(": ", 1) for item in items for part in NEXT_ARGUMENT.split(item)]
    return "\n".join(f"- `{name}`: {escaped(rest)}" for name, rest in pairs)


def prose(text, language):
    """Returns a comment or docstring as Markdown. Lines `name: text` become a list."""
    parts = []
    for is_code, lines in paragraphs(textwrap.dedent(text).strip("\n")):
        if is_code:
            code = textwrap.dedent("\n".join(lines)).strip("\n")
            parts.append(f"```{language}\n{code}\n```")
        elif language == "python" and ARGUMENT.match(lines[0]):
            parts.append(arguments(lines))
        else:
            parts.append(escaped(" ".join(line.strip() for line in lines)))
    return "\n\n".join(parts) + "\n"


# -- Headers -------------------------------------------------------------------


def without_lint_marks(code):
    """Returns the code without the marks that suppress findings of clang-tidy."""
    return re.sub(r"(?: //|;)? NOLINT\w*(?:\([^)]*\))?", "", code)


def header_page(root, title, intro, headers, language):
    parts = [f"# {title}\n", intro]
    for path in headers:
        opening, items = header_items(read(root, path))
        parts.append(f"## {path.split('include/')[1]}\n\n{prose(opening, language)}")
        for name, comment, code in items:
            heading = f"### {name}\n\n" if name else ""
            text = prose(comment, language) + "\n" if comment else ""
            parts.append(f"{heading}{text}```{language}\n{without_lint_marks(code)}\n```\n")
    return "\n".join(parts)


def c_page(root):
    return header_page(root, "C API", "From the headers in `runtime/include/convoy`. The header of a model, which `convoy compile` "
                       "writes, declares the functions of that model.\n", C_HEADERS, "c")


def cpp_page(root):
    return header_page(root, "C++ API", "From the headers that run compiled models in `runtime/include/convoy`, and from the headers "
                       "of the compiler in `compiler/include/convoy`. [Embed the compiler](../howto/embed.md) explains how to link them.\n",
                       CPP_HEADERS, "cpp")


# -- Python --------------------------------------------------------------------


def documented(root, package):
    """Returns {qualified name: docstring} of all modules of a package; a module is named by its file."""
    found = {}
    folder = os.path.join(root, "python", package)
    generated = [os.path.basename(path) for path in GENERATED if os.path.dirname(path) == f"python/{package}"]
    for name in sorted(os.listdir(folder) + generated):
        if name.endswith(".py"):
            tree = ast.parse(read(root, os.path.join("python", package, name)))
            found[name] = ast.get_docstring(tree, clean=False) or ""
            for node in tree.body:
                if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                    found[node.name] = ast.get_docstring(node) or ""
                for member in getattr(node, "body", []) if isinstance(node, ast.ClassDef) else ():
                    if isinstance(member, ast.FunctionDef):
                        found[f"{node.name}.{member.name}"] = ast.get_docstring(member) or ""
    return found


def class_part(node, source, docs):
    code = textwrap.dedent(ast.get_source_segment(source, node))
    parts = [f"```python\n{code}\n```\n"]
    for member in node.body:
        text = docs.get(f"{node.name}.{getattr(member, 'name', '')}")
        if text:
            parts.append(f"**{node.name}.{member.name}**: {prose(text, 'python')}")
    return "\n".join(parts)


def stub(root):
    """The stub of convoy with the declarations that the table of options generates."""
    return STUB_PART.sub(lambda match: match[1] + emit_python.stub(OPTIONS, match[2]) + match[3], read(root, STUB))


def module_part(root, module, path):
    source = stub(root) if path == STUB else read(root, path)
    package, _, name = module.partition(".")
    docs = documented(root, package)
    parts = [f"## {module}\n\n{prose(docs[(name or '__init__') + '.py'], 'python')}"]
    again = [alias.asname for node in ast.parse(source).body if isinstance(node, ast.ImportFrom)
             for alias in node.names if alias.asname and node.module == "convoy_runtime"]
    if again:
        parts.append(f"From [convoy_runtime](#convoy_runtime): {', '.join(f'`{name}`' for name in again)}.\n")
    for node in ast.parse(source).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            parts.append(f"### {module}.{node.name}\n")
            if docs.get(node.name):
                parts.append(prose(docs[node.name], "python"))
            parts.append(class_part(node, source, docs) if isinstance(node, ast.ClassDef)
                         else f"```python\n{ast.get_source_segment(source, node)}\n```\n")
    return "\n".join(parts)


def python_page(root):
    intro = ("# Python API\n\nFrom the stubs and docstrings in `python/`. [Use Convoy from Python](../howto/python.md) "
             "explains the packages by examples.\n")
    return "\n".join([intro] + [module_part(root, module, path) for module, path in PYTHON_MODULES])


def pages(root):
    """Returns {path: text} of the API pages."""
    return {"docs/reference/python-api.md": python_page(root), "docs/reference/c-api.md": c_page(root),
            "docs/reference/cpp-api.md": cpp_page(root)}

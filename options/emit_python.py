# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python that the table of options generates: convoy.compile and convoy.tune with their docstrings and
stubs, and the function that checks the keywords of everything that compiles."""

import json
import textwrap
from collections import namedtuple

MODEL = ("model: Union[str, os.PathLike[str], bytes, Any]", "the path of an ONNX file, its bytes, or an onnx.ModelProto.")

# A function. `first` and `last` are the parameters around the keywords of the table, with their sentences.
Function = namedtuple("Function", "summary first last result body returns")
FUNCTIONS = {
    "compile": Function(
        "Compiles a model into this process.", [MODEL],
        [("progress: Optional[Callable[[str, int, int], None]] = None", "called as progress(step, number, total) when a step begins.")],
        "CompiledModel", "    return _loaded(make_request(\n{arguments}), progress)\n",
        """\
    Raises Error with all reasons in `problems`; ArgumentValueError and ArgumentTypeError, which are
    also ValueError and TypeError, for wrong arguments. Other Python threads run meanwhile. Ctrl-C
    raises KeyboardInterrupt at once; the compiler then ends at the end of its current stage.
"""),
    "tune": Function(
        "Measures configurations of the model's kernels on this machine and adds them to a file of records.",
        [MODEL, ("records: Union[str, os.PathLike[str]]", "the file; `compile(model, records=...)` uses it.")],
        [("threads: int = 1", "threads of an inference."), ("**build: Any", "other arguments of `compile`.")],
        "Tuning", "    return start_tuning(\n        make_request(model, threads=threads, **build), "
        "_text(\"records\", records, optional=False), {{\n{values}        }})\n",
        """\
    Returns an iterator over TuneProgress whose last step sets `result`; `yield from` returns the same.
    Ctrl-C raises KeyboardInterrupt and ends the search; its records stay.
"""),
}


def keywords(table, name):
    """(options that may be given by position, other options) of a function."""
    positional = table.record("PythonCompile").positional if name == "compile" else []
    return positional, [option for option in table.keywords(name) if option not in positional]


def parameters(table, name):
    """The parameters of a function with types and defaults."""
    positional, others = keywords(table, name)
    positional, others = [["{0.name}: {0.type} = {0.compiled}".format(option.python) for option in part] for part in (positional, others)]
    function = FUNCTIONS[name]
    return [text for text, _ in function.first] + positional + ["*"] + others + [text for text, _ in function.last]


def declared(table, name, indent):
    """The declaration of a function up to its result, with one parameter per line."""
    lines = "".join(f"{indent}{parameter},\n" for parameter in parameters(table, name))
    return f"def {name}(\n{lines}) -> {FUNCTIONS[name].result}:"


def stub(table, name):
    """The declaration of a function in __init__.pyi."""
    return declared(table, name, "    ") + " ...\n"


def filled(text, indent, next_indent):
    return textwrap.fill(text, 100, initial_indent=indent, subsequent_indent=next_indent, break_long_words=False,
                         break_on_hyphens=False) + "\n"


def docstring(table, name):
    function, (positional, others) = FUNCTIONS[name], keywords(table, name)
    pairs = [(option.python.name, option.python.doc) for option in positional + others]
    named = [[(text.split(":")[0].lstrip("*"), doc) for text, doc in part] for part in (function.first, function.last)]
    lines = "".join(filled(f"{key}: {doc}", " " * 4, " " * 8) for key, doc in named[0] + pairs + named[1])
    return f'    """{function.summary}\n\n{lines}\n{function.returns}    """\n'


def conversion(option):
    """The Python expression that checks a value and converts it for the extension module."""
    name, kind = option.python.name, option.kind
    if option.python.convert:
        return option.python.convert
    if kind.python == "bool":
        return f"bool({name})"
    arguments = [json.dumps(name), name]
    if kind.python == "integer":
        arguments += [str(kind.least), str(kind.most)]
    elif kind.python == "choice":
        words = [value.word for value in kind.enum.values]
        # The extension module gets the index of the word as the value of the enum.
        assert all(words[:len(list(filter(None, words)))]), f"{kind.enum.id}: a value without a word is before a word"
        arguments.append("(" + ", ".join(json.dumps(word) for word in words if word) + ")")
    return f"_{kind.python}({', '.join(arguments)})"


def values(options, indent):
    """The entries of a dictionary with the converted values."""
    return "".join(f"{indent}{json.dumps(option.python.name)}: {conversion(option)},\n" for option in options)


def make_request(table):
    """The function that checks the keywords of compile. A data keyword is an argument of request_of."""
    options = table.keywords("compile")
    plain = [option for option in options if option.python.convert != option.python.name]
    defaults = ["model", "*", *(f"{option.python.name}={option.python.initial}" for option in options), "allow_open_dims=False"]
    return (f"def make_request(\n{filled(', '.join(defaults), ' ' * 8, ' ' * 8).rstrip()}):\n"
            '    """Checks the arguments and returns a request; `convoy.compile` documents the arguments."""\n'
            f"    return request_of(model, name, calibrate, constants, lambda: {{\n{values(plain, ' ' * 8)}"
            '        "allow_open_dims": bool(allow_open_dims),\n    })\n')


def function(table, name):
    options = table.keywords(name)
    passed = ", ".join(["model", *(f"{option.python.name}={option.python.name}" for option in options)])
    body = FUNCTIONS[name].body.format(arguments=filled(passed, " " * 8, " " * 8).rstrip(), values=values(options, " " * 12))
    return f"{declared(table, name, ' ' * 8)}\n{docstring(table, name)}{body}"


def module(table):
    """The module _options.py."""
    parts = [make_request(table)] + [function(table, name) for name in FUNCTIONS]
    return ("# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
            '"""The keywords of the functions that compile or tune. Generated from options/."""\n\n'
            "import os\nfrom typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union\n\n"
            "from ._compile import CompiledModel, _loaded\n"
            "from ._request import _choice, _integer, _number, _paths, _shapes, _sizes, _text, request_of\n"
            "from ._tune import Tuning, start_tuning\n\n\n" + "\n\n".join(parts))

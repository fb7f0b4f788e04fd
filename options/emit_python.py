# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python that the table of options generates: convoy.compile and convoy.tune with their docstrings and
stubs, and the function that checks the keywords of everything that compiles."""

import json
import textwrap
from collections import namedtuple

import option_table

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
    "quantize": Function(
        "Quantizes a float model to 8 or 4 bits, and proves an upper bound of the accuracy that this costs.",
        [MODEL, ("data: Union[str, os.PathLike[str], Any]", "the samples: a path as `convoy quantize --data` reads it, an array whose first "
                 "dimension counts the samples, or a list of {name: array}.")],
        [("labels: Optional[Any] = None", "the class of each sample: a file, or a sequence of integers (default: measure the agreement with the "
          "float model)."),
         ("samples: int = 0", "use at most this many samples of a path, spread evenly by the hash of their content; 0: all."),
         ("calibration_data: Optional[Any] = None", "samples for ranges and weights, in a form of `data` (default: a tenth of `data`)."),
         ("plan: Optional[Any] = None", "a plan to apply, as Quantization.plan has it, or its file (default: search)."),
         ("allow_unproven: bool = False", "return the model even if the data does not prove max_drop."),
         ("progress: Optional[Callable[[str, int, int], None]] = None", "called as progress(step, done, total); total is 0 when a step begins."),
         ("**build: Any", "target, cpu, input_shape, dim, const, custom_ops and the settings of images of `compile`.")],
        "Quantization", "    return quantize_model(\n        model, data, labels, samples, calibration_data, plan, allow_unproven, progress, build, {{\n{values}        }})\n",
        """\
    Returns a Quantization. Raises Error if the data does not prove max_drop, unless `allow_unproven` is set. Ctrl-C
    raises KeyboardInterrupt at once; the step in progress then ends in the background.
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


def duration_limits(option):
    """The last arguments of _duration: the units, and whether 0 is a duration."""
    stored, plain = option_table.units({"arguments": option.kind.arguments})
    return [repr(stored), repr(plain), str(option.python.initial == "0" or "true" in option.kind.arguments[0])]


def optional_check(option):
    """The arguments of _optional: the function that checks a value, and its arguments."""
    name, kind = option.python.name, option.kind
    head = [json.dumps(name), name]
    if kind.method == "count":
        return ["_integer", *head, str(kind.least), str(kind.most)]
    if kind.method == "choice" and not option_table.is_on_off({"words": kind.words}):
        return ["_word", *head, "(" + ", ".join(map(json.dumps, kind.words)) + ")"]
    if kind.method == "duration":
        return ["_duration", *head, *duration_limits(option)]
    return [{"choice": "_on_off"}.get(kind.method, f"_{kind.method}"), *head]


def conversion(option):
    """The Python expression that checks a value and converts it for the extension module."""
    name, kind = option.python.name, option.kind
    if option.python.convert:
        return option.python.convert
    if option.python.initial == "None" and option.owner.id in option_table.DERIVED:
        return f"_optional({', '.join(optional_check(option))})"
    if kind.python == "bool":
        return f"bool({name})"
    arguments = [json.dumps(name), name]
    if kind.method == "duration":
        return f"_duration({', '.join(arguments + duration_limits(option))})"
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


def accepts(name):
    """The decorator of a function that accepts the old names of its keywords."""
    return f"@accepts_old_keywords({json.dumps(name)})\n"


def make_request(table):
    """The function that checks the keywords of compile. A data keyword is an argument of request_of."""
    options = table.keywords("compile")
    plain = [option for option in options if option.python.convert != option.python.name]
    defaults = ["model", "*", *(f"{option.python.name}={option.python.initial}" for option in options), "allow_open_dims=False"]
    return (f"{accepts('compile')}def make_request(\n{filled(', '.join(defaults), ' ' * 8, ' ' * 8).rstrip()}):\n"
            '    """Checks the arguments and returns a request; `convoy.compile` documents the arguments."""\n'
            f"    return request_of(model, name, calibrate, const, lambda: {{\n{values(plain, ' ' * 8)}"
            '        "allow_open_dims": bool(allow_open_dims),\n    })\n')


def function(table, name):
    options = table.keywords(name)
    passed = ", ".join(["model", *(f"{option.python.name}={option.python.name}" for option in options)])
    body = FUNCTIONS[name].body.format(arguments=filled(passed, " " * 8, " " * 8).rstrip(), values=values(options, " " * 12))
    return f"{accepts(name)}{declared(table, name, ' ' * 8)}\n{docstring(table, name)}{body}"


def flags_module(table):
    """The module _flags.py: each flag with its kinds, and the old names of keywords."""
    kinds = {}
    for verb in table.verbs:
        for entry in table.entries(verb):
            for flag in entry.flags:
                if flag.startswith("--") and (entry.kind.method, entry.kind.words) not in kinds.setdefault(flag, []):
                    kinds[flag].append((entry.kind.method, entry.kind.words))
    rows = "".join(f"    {json.dumps(flag)}: {kinds[flag]!r},\n" for flag in sorted(kinds))
    old = "".join(f"    {json.dumps(name)}: {table.old_keywords(name)!r},\n" for name in FUNCTIONS)
    return ("# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
            '"""The flags of the command line and the old names of keywords. Generated from options/."""\n\n'
            "# By flag: the kind of its value for each verb, and the words of a choice.\n"
            f"FLAGS = {{\n{rows}}}\n\n# By function: {{old name: name}}.\nOLD_KEYWORDS = {{\n{old}}}\n")


def module(table):
    """The module _options.py."""
    parts = [make_request(table)] + [function(table, name) for name in FUNCTIONS]
    return ("# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
            '"""The keywords of the functions that compile or tune. Generated from options/."""\n\n'
            "import os\nfrom typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union\n\n"
            "from ._compile import CompiledModel, _loaded\n"
            "from ._keywords import accepts_old_keywords\n"
            "from ._quantize import Quantization, quantize_model\n"
            "from ._request import (_choice, _duration, _integer, _numbers, _on_off, _optional, _paths, _percent, _resize, _shapes, _size, _sizes,\n"
            "                       _text, _word, request_of)\n"
            "from ._tune import Tuning, start_tuning\n\n\n" + "\n\n".join(parts))

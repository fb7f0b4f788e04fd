# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The keywords of the package's functions: their old names, and how messages of the compiler name them.

The table of options (options/) generates _flags.py. A keyword has the name of its flag: `input_shape` is
--input-shape. The compiler's messages name flags; `in_python` rewrites them as keywords.
"""

import functools
import inspect
import re
import sys
import warnings

from convoy_runtime import ArgumentTypeError, _errors

from ._flags import FLAGS, OLD_KEYWORDS

# Old names of keywords that the table does not generate.
_OLD_HERE = {"check": {"targets": "target", "goldens": "golden", "inputs": "input", "layers": "layer_errors"},
             "bench": {"samples": "repetitions"}, "save": {"ram": "max_ram", "flash": "max_flash"}}
# Old words for the value of a keyword that the table does not generate.
_OLD_WORDS = {("save", "io"): {"arena": "workspace"}}
_PUBLIC = ("compile", "tune", "quantize", "check", "explain", "bench", "run", "inspect", "sweep")


def renamed(function, arguments, stacklevel=2):
    """Returns keyword arguments with the present names. Warns of old names, which version 0.4 refuses."""
    old = {**OLD_KEYWORDS["compile"], **OLD_KEYWORDS.get(function, {}), **_OLD_HERE.get(function, {})}
    for name, value in arguments.items():
        word = _OLD_WORDS.get((function, name), {}).get(value) if isinstance(value, str) else None
        if word:
            arguments = {**arguments, name: word}
            warnings.warn(f"{name}={value!r} is now {name}={word!r}; convoy 0.4 removes the old value", DeprecationWarning,
                          stacklevel=stacklevel + 1)
    if old.keys().isdisjoint(arguments):
        return arguments
    result = {}
    for name, value in arguments.items():
        present = old.get(name, name)
        if present in result or present != name and present in arguments:
            raise ArgumentTypeError(f"{present}: given twice, also by its old name '{name}'; use '{present}'")
        if present != name:
            warnings.warn(f"the argument '{name}' is now '{present}'; convoy 0.4 removes the old name", DeprecationWarning,
                          stacklevel=stacklevel + 1)
        result[present] = value
    return result


def accepts_old_keywords(function):
    """Decorates a function that accepts the old names of its keywords until version 0.4."""
    def decorate(body):
        @functools.wraps(body)
        def call(*args, **arguments):
            return body(*args, **renamed(function, arguments))
        return call
    return decorate


# -- messages ------------------------------------------------------------------

# A value after "=" ends before a blank or a bracket; a stop or a colon at its end belongs to the sentence.
_VALUE = r"'[^']*'|-?\d[\d.]*(?:,-?\d[\d.]*)+|[^\s,;()`']*[^\s,;()`'.:]"
_FLAG = re.compile(rf"(?<![\w'-])(--[a-z0-9][a-z0-9-]*)(?:=({_VALUE})| ({_VALUE}))?")
_COMMAND = re.compile(r"`convoy ([a-z]+)((?: [^`]*)?)`")
_PLACEHOLDER = re.compile(r"[A-Z]+(\.[a-z]+)?")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")
# Flags that become a dictionary: what separates a name from its value, and the value in Python.
_MAPPINGS = {"--input-shape": ":", "--dim": "=", "--const": "=", "--input": "="}


@functools.lru_cache(maxsize=None)
def _functions():
    """Returns {function: its keywords} of the public functions, of CompiledModel.save and of convoy.records."""
    package = sys.modules[__package__]
    bodies = {name: getattr(package, name) for name in _PUBLIC if hasattr(package, name)}
    keywords = {name: set(inspect.signature(body).parameters) for name, body in bodies.items()}
    build = keywords["compile"] - {"model", "progress"}
    keywords = {name: names | build if "build" in names else names for name, names in keywords.items()}
    keywords["save"] = set(inspect.signature(package.CompiledModel.save).parameters)
    keywords["records"] = {name for verb in package.records.__all__
                           for name in inspect.signature(getattr(package.records, verb)).parameters}
    return keywords


def _known(flag):
    """Returns the keyword of a flag, or None if no function has it."""
    keyword = flag.lstrip("-").replace("-", "_")
    return keyword if flag in FLAGS and any(keyword in names for names in _functions().values()) else None


def _shape(text):
    sizes = [{"?": "None"}.get(size, size) for size in text.split("x")]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def _entry(flag, value):
    """Returns (name, value in Python) of NAME:1x3 or NAME=FILE; None if the value has another form."""
    name, separator, content = value.strip("'").rpartition(_MAPPINGS[flag]) if flag == "--input-shape" else \
        value.strip("'").partition(_MAPPINGS[flag])
    if not separator or not name or not content:
        return None
    return name, _shape(content) if flag == "--input-shape" else content if flag == "--dim" else "array"


def _is_value(flag, text):
    """Returns whether a word after a flag and a blank is its value; other words continue the sentence."""
    if flag in _MAPPINGS:
        return _entry(flag, text) is not None
    words = [word for _, choice in FLAGS[flag] for word in choice]
    return text in words or text.startswith("'") or bool(_PLACEHOLDER.fullmatch(text)) or bool(re.match(r"\d", text))


def _written(flag, value):
    """Returns a value as Python writes it."""
    value = value.strip("'")
    if ("choice", ["on", "off"]) in FLAGS[flag]:
        return str(value == "on")
    parts = value.split(",")
    if all(map(_NUMBER.fullmatch, parts)):
        return value if len(parts) == 1 else f"[{', '.join(parts)}]"
    return value if _PLACEHOLDER.fullmatch(value) and value != "FILE.json" else f'"{value}"'


def _argument(match):
    """Returns (keyword, its argument, the words after it) of a flag in a text; None for a flag that Python lacks."""
    flag, joined, after = match.groups()
    keyword = _known(flag)
    if keyword is None:
        return None
    kinds = FLAGS[flag]
    is_toggle = any(method == "flag" for method, _ in kinds)
    if joined is None and (is_toggle or after is None or not _is_value(flag, after)):
        rest = match.string[match.end():] if after is None else f" {after}"
        is_prefix = rest.startswith(":") or not is_toggle
        return keyword, keyword if is_prefix else f"{keyword}=True", "" if after is None else f" {after}"
    value = joined if joined is not None else after
    entry = _entry(flag, value) if flag in _MAPPINGS else None
    if entry:
        return keyword, f'{keyword}={{"{entry[0]}": {entry[1]}}}', ""
    return keyword, f"{keyword}={_written(flag, value)}", ""


def _with_keywords(text):
    """Returns a text with its flags as keywords. Entries of one dictionary become one argument."""
    parts, last, end = [], None, 0
    for match in _FLAG.finditer(text):
        argument = _argument(match)
        between = text[end:match.start()]
        if argument is None:
            parts.append(between + match.group())
        elif last == argument[0] and not between.strip() and argument[1].endswith("}"):
            parts[-1] = f"{parts[-1][:-1]}, {argument[1][len(last) + 2:]}"
        else:
            parts.append(between + argument[1] + _with_keywords(argument[2]))
        last = argument[0] if argument and argument[1].endswith("}") else None
        end = match.end()
    return "".join(parts) + text[end:]


def _call(match):
    """Returns a command in a text as a call, if Python has its verb and its flags."""
    verb, rest = match.groups()
    if verb not in _functions() or verb in ("save", "records"):
        return match.group()
    arguments = ["model"]
    for word in re.findall(rf"--[a-z0-9-]+(?:[= ](?!--)(?:{_VALUE}))?|\S+", rest):
        flag, _, value = word.partition(" ")
        found = _FLAG.fullmatch(f"{flag}={value}" if value else flag)
        argument = _argument(found) if found else None
        if argument and argument[0] in _functions()[verb] and not argument[2]:
            arguments.append(argument[1])
        elif word not in ("MODEL", "model.onnx"):
            return match.group()
    return f"`convoy.{verb}({', '.join(arguments)})`"


def in_python(text):
    """Returns a message of the compiler with keywords for flags, and with calls for commands."""
    parts = re.split(r"(`[^`-][^`]*`)", text)  # commands
    return "".join(_COMMAND.sub(_call, part) if part.startswith("`") and part.endswith("`") else _with_keywords(part) for part in parts)


def problem(kind, text, node, op, notes, nodes=()):
    """Returns a Problem of the compiler, in Python's terms."""
    return _errors.problem(kind, in_python(text), node, op, [in_python(note) for note in notes], nodes)


def compile_error(problems):
    """Returns the exception for problems of the compiler, in Python's terms."""
    return _errors.compile_error([(kind, in_python(text), node, op, [in_python(note) for note in notes], nodes)
                                  for kind, text, node, op, notes, nodes in problems])

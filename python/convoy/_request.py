# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the arguments that all compiling functions share, by the kinds of the table of options. The build
generates _options.py from the table: `make_request`, which calls these functions, and `compile`."""

import operator
import os
import re

from convoy_runtime import ArgumentTypeError, ArgumentValueError

from ._compiler import Request
from ._values import to_values


def _text(name, value, optional=True):
    if value is None and optional:
        return ""
    if not isinstance(value, (str, os.PathLike)):
        raise ArgumentTypeError(f"{name}: expected a text or a path, got {type(value).__name__}")
    return os.fspath(value)


def _paths(name, value):
    """Returns the paths of a path or of a sequence of paths."""
    if isinstance(value, (str, os.PathLike)):
        return [os.fspath(value)]
    if isinstance(value, bytes) or not hasattr(value, "__iter__"):
        raise ArgumentTypeError(f"{name}: expected a path or a list of paths, got {type(value).__name__}")
    return [_text(name, path, optional=False) for path in value]


def _integer(name, value, low, high=2 ** 63 - 1):
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentTypeError(f"{name}: expected an integer, got {type(value).__name__}") from None
    if number < low or number > high:
        limits = f"at least {low}" if number < low else f"at most {high}"
        raise ArgumentValueError(f"{name}: expected {limits}, got {number}")
    return number


def _mapping(name, value):
    if value is None:
        return {}
    if not hasattr(value, "items"):
        raise ArgumentTypeError(f"{name}: expected a dictionary, got {type(value).__name__}")
    for key in value:
        if not isinstance(key, str):
            raise ArgumentTypeError(f"{name}: expected names of inputs as keys, got {type(key).__name__}")
    return dict(value.items())


# Seconds of each unit of a duration, and bytes of each unit of a size.
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86400}
_BYTES = {"": 1, "K": 2 ** 10, "M": 2 ** 20, "G": 2 ** 30}


def _number(name, value, is_zero_allowed=False):
    """Returns a number that is more than 0, or at least 0."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{name}: expected a number, got {type(value).__name__}") from None
    if not 0 <= number < float("inf") or number == 0 and not is_zero_allowed:
        limits = "of at least 0" if is_zero_allowed else "of more than 0"
        raise ArgumentValueError(f"{name}: expected a number {limits}, got {value!r}")
    return number


def _duration(name, value, stored, plain, is_zero_allowed):
    """Returns a duration in the unit `stored`. A number is in the unit `plain`, a text such as "25ms" has its own unit.
    The units are in seconds."""
    if not isinstance(value, str):
        return _number(name, value, is_zero_allowed) * (plain / stored)
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ns|us|ms|s|m|h|d)", value)
    if not found:
        raise ArgumentValueError(f"{name}: expected a number or a duration such as '25ms', '10s' or '10m', got {value!r}")
    return _number(name, float(found[1]) * _SECONDS[found[2]] / stored, is_zero_allowed)


def _size(name, value):
    """Returns the bytes of a number or of a text such as "512K"."""
    found = re.fullmatch(r"(\d+)([KMG]?)(?:i?B)?", value) if isinstance(value, str) else None
    if isinstance(value, str) and not found:
        raise ArgumentValueError(f"{name}: expected bytes or a size such as '512K' or '1M', got {value!r}")
    return _integer(name, int(found[1]) * _BYTES[found[2]] if found else value, 1)


def _percent(name, value):
    """Returns the share of a text such as "0.5%". A number is refused, because 0.5 could also mean a half."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)%", value) if isinstance(value, str) else None
    if not found or float(found[1]) > 100:
        raise ArgumentValueError(f"{name}: expected a percentage such as '0.5%', got {value!r}")
    return float(found[1]) / 100


def _numbers(name, value):
    """Returns the list of a number or of a sequence of numbers."""
    try:
        return [float(entry) for entry in (value if hasattr(value, "__iter__") and not isinstance(value, str) else [value])]
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{name}: expected a number or a list of numbers, got {value!r}") from None


def _resize(name, value):
    text = str(value)
    if not re.fullmatch(r"auto|none|[1-9]\d{0,5}(x[1-9]\d{0,5})?", text):
        raise ArgumentValueError(f"{name}: expected a short side such as 256, a size such as '320x240', 'none' or 'auto', got {value!r}")
    return text


def _on_off(name, value):
    if not isinstance(value, bool):
        raise ArgumentTypeError(f"{name}: expected True or False, got {value!r}")
    return value


def _optional(check, name, value, *limits):
    """Returns None, or a checked value."""
    return None if value is None else check(name, value, *limits)


def _word(name, value, words):
    """Returns one of some words. A number stands for its text."""
    text = str(value) if isinstance(value, int) else value
    if text not in words:
        raise ArgumentValueError(f"{name}: expected {' or '.join(map(repr, words))}, got {value!r}")
    return text


def _choice(name, value, words):
    """Returns the index of a word."""
    if value not in words:
        raise ArgumentValueError(f"{name}: expected {' or '.join(map(repr, words))}, got {value!r}")
    return words.index(value)


def _shape(name, shape):
    if isinstance(shape, (str, bytes)) or not hasattr(shape, "__iter__"):
        raise ArgumentTypeError(f"input_shape: '{name}': expected a sequence of integers, got {type(shape).__name__}")
    return [-1 if size is None else _integer(f"input_shape: '{name}'", size, -1) for size in shape]


def _shapes(shapes):
    return {key: _shape(key, shape) for key, shape in _mapping("input_shape", shapes).items()}


def _sizes(dims):
    return {key: _integer(f"dim: '{key}'", size, 0) for key, size in _mapping("dim", dims).items()}


def _samples(calibrate):
    """Returns a folder, or a list of dictionaries of arrays."""
    if calibrate is None or isinstance(calibrate, (str, os.PathLike)):
        return _text("calibrate", calibrate)
    if hasattr(calibrate, "items") or not hasattr(calibrate, "__iter__"):
        raise ArgumentTypeError("calibrate: expected a folder or a list of dictionaries {name: array}, got "
                                f"{type(calibrate).__name__}")
    samples = [_mapping("calibrate", sample) for sample in calibrate]
    if not samples:
        raise ArgumentValueError("calibrate: expected at least one sample, got an empty list")
    return samples


def model_source(model):
    """Returns (path, None) or ("", bytes) for a path, bytes or an onnx.ModelProto."""
    if isinstance(model, (str, os.PathLike)):
        return os.fsencode(model), None
    if isinstance(model, (bytes, bytearray, memoryview)):
        return "", bytes(model)
    if hasattr(model, "SerializeToString"):
        return "", model.SerializeToString()
    raise ArgumentTypeError("model: expected a path, bytes or an onnx.ModelProto, got " + type(model).__name__)


def request_of(model, name, calibrate, const, other_values):
    """Returns a request with the data of a model; `other_values` returns the other arguments as a dictionary."""
    path, data = model_source(model)
    request = Request(path, data, _text("name", name))
    samples = _samples(calibrate)
    kinds = request.kinds
    if kinds is None:  # the model cannot be read; the function that uses the request raises its problems
        samples, const = "", {}
    elif not isinstance(samples, str):
        samples = [to_values(kinds, sample) for sample in samples]
    request.set(other_values(), samples, to_values(kinds or {}, _mapping("const", const)))
    return request

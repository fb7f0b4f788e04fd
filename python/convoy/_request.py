# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the arguments that all compiling functions share, by the kinds of the table of options. The build
generates _options.py from the table: `make_request`, which calls these functions, and `compile`."""

import operator
import os

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


def _number(name, value):
    """Returns a number that is more than 0."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{name}: expected a number, got {type(value).__name__}") from None
    if not 0 < number < float("inf"):
        raise ArgumentValueError(f"{name}: expected a number of more than 0, got {value!r}")
    return number


def _choice(name, value, words):
    """Returns the index of a word."""
    if value not in words:
        raise ArgumentValueError(f"{name}: expected {' or '.join(map(repr, words))}, got {value!r}")
    return words.index(value)


def _shape(name, shape):
    if isinstance(shape, (str, bytes)) or not hasattr(shape, "__iter__"):
        raise ArgumentTypeError(f"input_shapes: '{name}': expected a sequence of integers, got {type(shape).__name__}")
    return [-1 if size is None else _integer(f"input_shapes: '{name}'", size, -1) for size in shape]


def _shapes(shapes):
    return {key: _shape(key, shape) for key, shape in _mapping("input_shapes", shapes).items()}


def _sizes(dims):
    return {key: _integer(f"dims: '{key}'", size, 0) for key, size in _mapping("dims", dims).items()}


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


def request_of(model, name, calibrate, constants, other_values):
    """Returns a request with the data of a model; `other_values` returns the other arguments as a dictionary."""
    path, data = model_source(model)
    request = Request(path, data, _text("name", name))
    samples = _samples(calibrate)
    kinds = request.kinds
    if kinds is None:  # the model cannot be read; the function that uses the request raises its problems
        samples, constants = "", {}
    elif not isinstance(samples, str):
        samples = [to_values(kinds, sample) for sample in samples]
    request.set(other_values(), samples, to_values(kinds or {}, _mapping("constants", constants)))
    return request

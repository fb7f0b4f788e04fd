# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts the arguments that all compiling functions share to a request of the extension module."""

import operator
import os

from convoy_runtime import ArgumentTypeError, ArgumentValueError

from ._compiler import Request
from ._values import to_values

_CHOICES = {"math": ("fast", "strict"), "place": ("all", "fastest"), "localise": ("default", "on", "off", "always")}


def _text(name, value, optional=True):
    if value is None and optional:
        return ""
    if not isinstance(value, (str, os.PathLike)):
        raise ArgumentTypeError(f"{name}: expected a text or a path, got {type(value).__name__}")
    return os.fspath(value)


# As the command line: more threads have no use, and a schedule for them takes much memory.
_MOST_THREADS = 1024


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


def _choice(name, value):
    if value not in _CHOICES[name]:
        raise ArgumentValueError(f"{name}: expected {' or '.join(map(repr, _CHOICES[name]))}, got {value!r}")
    return value


def _shape(name, shape):
    if isinstance(shape, (str, bytes)) or not hasattr(shape, "__iter__"):
        raise ArgumentTypeError(f"input_shapes: '{name}': expected a sequence of integers, got {type(shape).__name__}")
    return [-1 if size is None else _integer(f"input_shapes: '{name}'", size, -1) for size in shape]


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


def make_request(model, *, target="host", threads=1, records=None, calibrate=None, input_shapes=None, dims=None,
                 constants=None, cpu=None, math="fast", integer=True, place="all", require_device=False,
                 localise="default", name=None, allow_open_dims=False):
    """Checks the arguments and returns a request; `convoy.compile` documents the arguments."""
    path, data = model_source(model)
    request = Request(path, data, _text("name", name))
    samples = _samples(calibrate)
    kinds = request.kinds
    if kinds is None:  # the model cannot be read; the function that uses the request raises its problems
        samples, constants = "", {}
    elif not isinstance(samples, str):
        samples = [to_values(kinds, sample) for sample in samples]
    request.set(
        target=_text("target", target, optional=False), threads=_integer("threads", threads, 0, _MOST_THREADS),
        records=_text("records", records), samples=samples,
        shapes={key: _shape(key, shape) for key, shape in _mapping("input_shapes", input_shapes).items()},
        dims={key: _integer(f"dims: '{key}'", size, 0) for key, size in _mapping("dims", dims).items()},
        constants=to_values(kinds or {}, _mapping("constants", constants)), cpu=_text("cpu", cpu),
        is_strict=_choice("math", math) == "strict", is_integer=bool(integer),
        is_fastest=_choice("place", place) == "fastest", requires_device=bool(require_device),
        localise=_CHOICES["localise"].index(_choice("localise", localise)), has_open_dims=bool(allow_open_dims))
    return request

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data sets as arguments: a path as the command line reads it, an array, or a list of {name: array}."""

import contextlib
import os
import tempfile

import numpy
from convoy_runtime import ArgumentTypeError, ArgumentValueError

from ._request import _integer, _mapping, _text
from ._values import to_values


def _is_path(value):
    return isinstance(value, (str, os.PathLike))


def _saved(folder, name, values):
    """Writes an array to a folder and returns its path."""
    path = os.path.join(folder, f"{name}.npy")
    numpy.save(path, numpy.ascontiguousarray(values))
    return path


def _classes(labels, count):
    """Returns the labels of samples in memory as a list."""
    if labels is None:
        return []
    if _is_path(labels):
        raise ArgumentTypeError("labels: expected a sequence of integers for samples in a list, got a path")
    classes = [_integer("labels", label, 0) for label in labels]
    if len(classes) != count:
        raise ArgumentValueError(f"labels: expected {count} integers, one per sample, got {len(classes)}")
    return classes


def _in_memory(name, request, samples, labels, most):
    """Returns the data set of a list of {name: array}."""
    if hasattr(samples, "items") or not hasattr(samples, "__iter__"):
        raise ArgumentTypeError(f"{name}: expected a path, an array, or a list of dictionaries {{name: array}}, got "
                                f"{type(samples).__name__}")
    if most:
        raise ArgumentValueError(f"samples: expected a path or an array as {name}; pass fewer dictionaries instead")
    listed = [_mapping(name, sample) for sample in samples]
    if not listed:
        raise ArgumentValueError(f"{name}: expected at least one sample, got an empty list")
    return {"arrays": [to_values(request.kinds or {}, sample) for sample in listed], "classes": _classes(labels, len(listed))}


@contextlib.contextmanager
def data_sets(request, samples=0, **sets):
    """Yields {name: data set for the extension module, or None}. `sets` has (data, labels) by name. Arrays are files in a
    temporary folder, which exists until the end of the block."""
    with contextlib.ExitStack() as stack:
        result = {}
        for name, (data, labels) in sets.items():
            most = _integer("samples", samples, 0)
            if data is None:
                if labels is not None or most:
                    raise ArgumentValueError(f"{'samples' if labels is None else 'labels'}: expected also {name}, got none")
                result[name] = None
            elif _is_path(data) or isinstance(data, numpy.ndarray):
                folder = None
                if not _is_path(data) or labels is not None and not _is_path(labels):
                    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="convoy-"))
                path = _text(name, data) if _is_path(data) else _saved(folder, "samples", data)
                if labels is not None and not _is_path(labels):
                    labels = _saved(folder, "labels", numpy.asarray(_classes(labels, len(labels)), numpy.int64))
                result[name] = {"data": path, "labels": _text("labels", labels), "samples": most}
            else:
                result[name] = _in_memory(name, request, data, labels, most)
        yield result

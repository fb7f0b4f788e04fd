# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts values between Python and the extension module, for models without buffers and for constants.

A type is ("tensor", ONNX type), ("sequence", type) or ("optional", type). A value for the extension
module is (ONNX type, array), a list of values, or an optional: a tuple of at most one value.
"""

import numpy
from convoy_runtime import ArgumentTypeError, Tensor
from convoy_runtime._errors import argument_error

_STRING = 8


def _tensor(name, onnx_type, value, reasons):
    wanted = Tensor(name, onnx_type, None)
    try:
        array = value if isinstance(value, numpy.ndarray) or not hasattr(value, "__dlpack__") else numpy.from_dlpack(value)
        is_loose = isinstance(array, (list, tuple, int, float, complex, str))
        if isinstance(array, (bytes, bytearray, memoryview)):
            array = memoryview(array)
        array = numpy.asarray(array)
    except Exception as error:  # of a foreign object
        reasons.append(("type", f"input '{name}': cannot be converted to an array: {error}"))
        return None
    if onnx_type == _STRING:
        if array.dtype.kind not in "OUS":
            reasons.append(("type", f"input '{name}': expected texts, got {array.dtype}"))
            return None
        texts = [text.decode() if isinstance(text, bytes) else str(text) for text in array.ravel()]
        return onnx_type, (list(array.shape), texts)
    if array.dtype.name == wanted.element_type and array.dtype.itemsize == wanted.dtype.itemsize:
        array = array.view(wanted.dtype)
    same = array.dtype.newbyteorder("=") == wanted.dtype
    if not same and not (is_loose and numpy.can_cast(array.dtype, wanted.dtype, "same_kind")):
        bits = "" if str(wanted.dtype) == wanted.element_type else f" (the bits of {wanted.element_type})"
        got = type(value).__name__ if array.dtype == object else array.dtype
        reasons.append(("type", f"input '{name}': expected {wanted.dtype}{bits}, got {got}; convert it with "
                                f"array.astype(numpy.{wanted.dtype})"))
        return None
    return onnx_type, numpy.require(array, wanted.dtype, ["C", "A"]).reshape(array.shape)


def to_value(name, kind, value, reasons):
    """Returns the value for the extension module, or None after a reason."""
    if kind[0] == "tensor":
        if value is None:
            reasons.append(("type", f"input '{name}': expected an array, got NoneType"))
            return None
        return _tensor(name, kind[1], value, reasons)
    if kind[0] == "sequence":
        if not isinstance(value, (list, tuple)):
            reasons.append(("type", f"input '{name}': expected a list, got {type(value).__name__}"))
            return None
        return [to_value(name, kind[1], entry, reasons) for entry in value]
    if value is None:
        return ()
    return (to_value(name, kind[1], value, reasons),)


def to_values(kinds, values, reasons=None):
    """Returns the values by name. Raises an exception with every reason, unless it gets a list for them."""
    found = [] if reasons is None else reasons
    result = {}
    for name, value in values.items():
        if name not in kinds:
            found.append(("name", f"the model has no input '{name}'; its inputs are " +
                          (", ".join(f"'{known}'" for known in kinds) or "none")))
        else:
            result[name] = to_value(name, kinds[name], value, found)
    if found and reasons is None:
        raise argument_error(found)
    return result


def feed_values(kinds, needed, feed):
    """Returns the values of a run; `needed` are the inputs that must be there."""
    if not hasattr(feed, "items"):
        raise ArgumentTypeError(f"feed: expected a dictionary {{name: array}}, got {type(feed).__name__}")
    reasons = []
    values = to_values(kinds, dict(feed.items()), reasons)
    reasons += [("name", f"input '{name}' is missing") for name in needed if name not in values]
    if reasons:
        raise argument_error(reasons)
    return values


def from_value(value):
    """Returns the Python value of a result: an array, a list, or None for an empty optional."""
    if isinstance(value, list):
        return [from_value(entry) for entry in value]
    if len(value) == 2:
        onnx_type, content = value
        if onnx_type != _STRING:
            return content
        shape, texts = content
        array = numpy.empty(len(texts), dtype=object)
        array[:] = texts
        return array.reshape(shape)
    return from_value(value[0]) if value else None

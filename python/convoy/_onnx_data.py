# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the data files of ONNX's backend tests and compares values. scoreboard.py uses it.

The functions decode types that the installed package onnx may not know. An array of a type that NumPy
lacks holds the bits of its elements, as convoy_runtime.Tensor.dtype describes.
"""

import numpy
import onnx
from convoy_runtime import Tensor

_STRING = 8
# Bits of the types that are narrower than a byte.
_NARROW = {21: 4, 22: 4, 23: 4, 25: 2, 26: 2}
_SIGNED_NARROW = frozenset({22, 26})
# Types whose elements are numbers of TensorProto.int32_data; the numbers of 16 bits and less are bits.
_BITS_IN_INT32 = {10: numpy.uint16, 16: numpy.uint16, 17: numpy.uint8, 18: numpy.uint8, 19: numpy.uint8,
                  20: numpy.uint8, 24: numpy.uint8}
# Float types without a NumPy type: bits of exponent and of mantissa, bias, whether the type has infinities.
_FLOAT_BITS = {16: (8, 7, 127, True), 17: (4, 3, 7, False), 18: (4, 3, 8, False), 19: (5, 2, 15, True),
               20: (5, 2, 16, False), 23: (2, 1, 1, False), 24: (8, 0, 127, False)}


def _unpacked(data, kind, count):
    """Returns one byte per element of 2 or 4 bits; the low bits of a byte are the first element."""
    bits = _NARROW[kind]
    shifts = numpy.arange(0, 8, bits, dtype=numpy.uint8)
    elements = ((data[:, None] >> shifts) & ((1 << bits) - 1)).reshape(-1)[:count]
    if kind in _SIGNED_NARROW:
        return ((elements ^ (1 << (bits - 1))).astype(numpy.int16) - (1 << (bits - 1))).astype(numpy.int8)
    return elements


def to_array(proto):
    """Returns the array of a TensorProto."""
    kind, shape = proto.data_type, tuple(proto.dims)
    if kind == _STRING:
        return numpy.array([text.decode() for text in proto.string_data], object).reshape(shape)
    dtype = Tensor("", kind, ()).dtype
    if dtype is None:
        raise ValueError(f"the data has the unknown type {kind}")
    if kind in _NARROW:
        data = numpy.frombuffer(proto.raw_data, numpy.uint8) if proto.raw_data else numpy.array(proto.int32_data, numpy.uint8)
        return _unpacked(data, kind, int(numpy.prod(shape, dtype=numpy.int64))).reshape(shape)
    if proto.HasField("raw_data"):
        return numpy.frombuffer(proto.raw_data, dtype).reshape(shape)
    if kind in _BITS_IN_INT32:
        return numpy.array(proto.int32_data, _BITS_IN_INT32[kind]).view(dtype).reshape(shape)
    for field in ("float_data", "int32_data", "int64_data", "double_data", "uint64_data"):
        numbers = getattr(proto, field)
        if len(numbers):
            break
    if dtype.kind == "c":
        numbers = numpy.array(numbers, numpy.float32 if dtype.itemsize == 8 else numpy.float64)
        return numbers.view(dtype).reshape(shape)
    return numpy.array(numbers).astype(dtype).reshape(shape)


def _sequence(proto):
    return ([to_array(tensor) for tensor in proto.tensor_values] + [_sequence(each) for each in proto.sequence_values]
            + [_optional(each) for each in proto.optional_values])


def _optional(proto):
    content = {onnx.OptionalProto.TENSOR: lambda: to_array(proto.tensor_value),
               onnx.OptionalProto.SEQUENCE: lambda: _sequence(proto.sequence_value),
               onnx.OptionalProto.OPTIONAL: lambda: _optional(proto.optional_value)}
    return content.get(proto.elem_type, lambda: None)()


def read_value(path, declared):
    """Returns the value in a file whose declared type is a TypeProto: an array, a list or None."""
    with open(path, "rb") as file:
        data = file.read()
    if declared.HasField("sequence_type"):
        return _sequence(onnx.SequenceProto.FromString(data))
    if declared.HasField("optional_type"):
        return _optional(onnx.OptionalProto.FromString(data))
    return to_array(onnx.TensorProto.FromString(data))


def decode_bits(bits, kind):
    """Returns the numbers of a float type that NumPy lacks, as float64. Every NaN gives NaN."""
    exponent_bits, mantissa_bits, bias, has_infinity = _FLOAT_BITS[kind]
    bits = bits.astype(numpy.int64)
    if kind == 24:  # E8M0 has only an exponent
        return numpy.where(bits == 255, numpy.nan, numpy.ldexp(1.0, bits - bias))
    sign = (bits >> (exponent_bits + mantissa_bits)) & 1
    exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1)
    mantissa = bits & ((1 << mantissa_bits) - 1)
    normal = numpy.ldexp(1 + mantissa / (1 << mantissa_bits), exponent - bias)
    tiny = numpy.ldexp(mantissa / (1 << mantissa_bits), numpy.full_like(exponent, 1 - bias))
    value = numpy.where(exponent == 0, tiny, normal)
    value = numpy.where(sign == 1, -value, value)
    top = (1 << exponent_bits) - 1
    if has_infinity:
        special = numpy.where(mantissa == 0, numpy.where(sign == 1, -numpy.inf, numpy.inf), numpy.nan)
        return numpy.where(exponent == top, special, value)
    if kind == 17:
        return numpy.where((exponent == top) & (mantissa == (1 << mantissa_bits) - 1), numpy.nan, value)
    # The FNUZ types have one NaN, the bits of negative zero. The type of 4 bits has none.
    return value if kind == 23 else numpy.where((sign == 1) & (exponent == 0) & (mantissa == 0), numpy.nan, value)


def _array_difference(actual, expected, kind, relative, absolute):
    if actual.dtype != expected.dtype:
        return f"has type {actual.dtype}, expected {expected.dtype}"
    if actual.shape != expected.shape:
        return f"has shape {list(actual.shape)}, expected {list(expected.shape)}"
    if kind in _FLOAT_BITS:
        actual, expected = decode_bits(actual, kind), decode_bits(expected, kind)
    if expected.dtype.kind in "fc":
        with numpy.errstate(invalid="ignore", over="ignore"):
            wide = numpy.complex128 if expected.dtype.kind == "c" else numpy.float64
            agrees = numpy.isclose(actual.astype(wide), expected.astype(wide), relative, absolute, equal_nan=True)
    else:
        agrees = numpy.asarray(actual == expected)
    if agrees.all():
        return ""
    index = tuple(int(i) for i in numpy.argwhere(~agrees)[0])
    return (f"is {actual[index]!r} at {list(index)}, expected {expected[index]!r} "
            f"({int((~agrees).sum())} of {agrees.size} elements differ)")


def difference(actual, expected, declared, relative, absolute):
    """Returns how a value differs from the expected one, or an empty text."""
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            size = f"{len(actual)} elements" if isinstance(actual, list) else "no list"
            return f"has {size}, expected {len(expected)}"
        texts = (difference(*pair, None, relative, absolute) for pair in zip(actual, expected))
        return next((f"element {i} {text}" for i, text in enumerate(texts) if text), "")
    if actual is None or expected is None:
        return "" if actual is expected else f"is {'absent' if actual is None else 'present'}, expected the opposite"
    kind = declared.tensor_type.elem_type if declared is not None else 0
    return _array_difference(numpy.asarray(actual), expected, kind, relative, absolute)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a model with any number of inputs and outputs in ONNX Runtime, with graph optimizations off."""

import ctypes
import os
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import onnx_runtime  # noqa: E402

# Positions of functions in the C interface; a position never changes its meaning.
SET_OPTIMIZED_PATH = 11
ALLOCATOR, CREATE_EMPTY_TENSOR, IS_TENSOR = 78, 48, 50
GET_DATA, FILL_STRINGS, STRING_BYTES, GET_STRINGS = 51, 52, 53, 54
ELEMENT_TYPE, RANK, DIMENSIONS, TYPE_AND_SHAPE = 60, 61, 62, 65
RELEASE_SESSION, RELEASE_VALUE, RELEASE_TYPE_AND_SHAPE = 95, 96, 99
NUMPY = {1: np.float32, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32, 7: np.int64, 9: np.bool_,
         10: np.float16, 11: np.float64, 12: np.uint32, 13: np.uint64}
ONNX = {np.dtype(dtype): number for number, dtype in NUMPY.items()}
STRING = 8
# NumPy has no such types: an array holds the bits of bfloat16 and of 8-bit floats.
BITS = {16: np.uint16, 17: np.uint8, 18: np.uint8, 19: np.uint8, 20: np.uint8}


def pointers(values):
    return ctypes.cast((ctypes.c_void_p * len(values))(*values), ctypes.c_void_p)


def names(texts):
    return ctypes.cast((ctypes.c_char_p * len(texts))(*[text.encode() for text in texts]), ctypes.c_void_p)


class Model(onnx_runtime.Session):
    """`model` is a path or the bytes of a file. `types` has the ONNX types of inputs that NumPy lacks, by name."""

    def __init__(self, model, inputs, outputs, types=None):
        super().__init__(library(), model if isinstance(model, bytes) else str(model), "", "")
        self.inputs, self.outputs, self.types = inputs, outputs, types or {}
        self.output_types = []

    def release(self, position, handle):
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.table[position])(handle)

    def strings_of(self, array):
        value, allocator = ctypes.c_void_p(), ctypes.c_void_p()
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.call(ALLOCATOR, ctypes.byref(allocator))
        self.call(CREATE_EMPTY_TENSOR, allocator, ctypes.cast(shape, ctypes.c_void_p), ctypes.c_size_t(array.ndim),
                  ctypes.c_int(STRING), ctypes.byref(value))
        texts = [text if isinstance(text, bytes) else str(text).encode() for text in array.ravel()]
        texts = ctypes.cast((ctypes.c_char_p * len(texts))(*texts), ctypes.c_void_p)
        self.call(FILL_STRINGS, value, texts, ctypes.c_size_t(array.size))
        return value.value

    def value_of(self, array, onnx_type=None):
        if array.dtype.kind in "OUS":
            return self.strings_of(array)
        value = ctypes.c_void_p()
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.call(onnx_runtime.CREATE_TENSOR, self.memory, ctypes.c_void_p(array.ctypes.data),
                  ctypes.c_size_t(array.nbytes), ctypes.cast(shape, ctypes.c_void_p), ctypes.c_size_t(array.ndim),
                  ctypes.c_int(onnx_type or ONNX[array.dtype]), ctypes.byref(value))
        return value.value

    def texts_of(self, handle, shape):
        total, count = ctypes.c_size_t(), int(np.prod(shape))
        self.call(STRING_BYTES, handle, ctypes.byref(total))
        data, starts = ctypes.create_string_buffer(total.value + 1), (ctypes.c_size_t * (count + 1))()
        self.call(GET_STRINGS, handle, ctypes.cast(data, ctypes.c_void_p), total, ctypes.cast(starts, ctypes.c_void_p),
                  ctypes.c_size_t(count))
        starts[count] = total.value
        texts = [data.raw[starts[k]:starts[k + 1]].decode() for k in range(count)]
        return np.array(texts, object).reshape(tuple(shape))

    def array_of(self, value):
        if not value:
            raise RuntimeError("an output is missing")
        is_tensor = ctypes.c_int()
        self.call(IS_TENSOR, ctypes.c_void_p(value), ctypes.byref(is_tensor))
        if not is_tensor.value:
            raise RuntimeError("an output is no tensor")
        info, data = ctypes.c_void_p(), ctypes.c_void_p()
        element, rank = ctypes.c_int(), ctypes.c_size_t()
        handle = ctypes.c_void_p(value)
        self.call(TYPE_AND_SHAPE, handle, ctypes.byref(info))
        self.call(ELEMENT_TYPE, info, ctypes.byref(element))
        self.call(RANK, info, ctypes.byref(rank))
        shape = (ctypes.c_int64 * rank.value)()
        self.call(DIMENSIONS, info, ctypes.cast(shape, ctypes.c_void_p), rank)
        self.release(RELEASE_TYPE_AND_SHAPE, info)
        self.output_types.append(element.value)
        if element.value == STRING:
            return self.texts_of(handle, shape)
        self.call(GET_DATA, handle, ctypes.byref(data))
        result = np.empty(tuple(shape), {**NUMPY, **BITS}[element.value])
        if result.nbytes:
            ctypes.memmove(result.ctypes.data, data.value, result.nbytes)
        return result

    def __call__(self, arrays):
        arrays = [np.ascontiguousarray(array).reshape(array.shape) for array in arrays]  # keeps rank 0
        given = [self.value_of(array, self.types.get(name)) for name, array in zip(self.inputs, arrays)]
        results = (ctypes.c_void_p * len(self.outputs))()
        self.call(onnx_runtime.RUN, self.session, ctypes.c_void_p(), names(self.inputs), pointers(given),
                  ctypes.c_size_t(len(given)), names(self.outputs), ctypes.c_size_t(len(self.outputs)),
                  ctypes.cast(results, ctypes.c_void_p))
        self.output_types = []
        outputs = [self.array_of(value) for value in results]
        for value in [*given, *results]:
            self.release(RELEASE_VALUE, ctypes.c_void_p(value))
        self.release(RELEASE_SESSION, self.session)
        return outputs


class Optimizer(onnx_runtime.Session):
    """Writes the model that the optimizer of the peer makes of `source` at a level."""

    def __init__(self, source, target, level):
        self.target = target
        super().__init__(library(), str(source), "", "", level)

    def configure(self, options, optimization):
        super().configure(options, optimization)
        self.call(SET_OPTIMIZED_PATH, options, os.fsencode(self.target))


def library():
    """Returns the path of the library. Exits if the peer is not installed."""
    return onnx_runtime.find_library(str(ROOT))

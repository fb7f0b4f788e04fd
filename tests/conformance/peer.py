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
GET_DATA, ELEMENT_TYPE, RANK, DIMENSIONS, TYPE_AND_SHAPE = 51, 60, 61, 62, 65
RELEASE_SESSION, RELEASE_VALUE = 95, 96
NUMPY = {1: np.float32, 2: np.uint8, 3: np.int8, 5: np.int16, 6: np.int32, 7: np.int64, 9: np.bool_, 10: np.float16, 11: np.float64}
ONNX = {np.dtype(dtype): number for number, dtype in NUMPY.items()}


def pointers(values):
    return ctypes.cast((ctypes.c_void_p * len(values))(*values), ctypes.c_void_p)


def names(texts):
    return ctypes.cast((ctypes.c_char_p * len(texts))(*[text.encode() for text in texts]), ctypes.c_void_p)


class Model(onnx_runtime.Session):
    def __init__(self, path, inputs, outputs):
        super().__init__(library(), str(path), "", "")
        self.inputs, self.outputs = inputs, outputs

    def release(self, position, handle):
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.table[position])(handle)

    def value_of(self, array):
        value = ctypes.c_void_p()
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.call(onnx_runtime.CREATE_TENSOR, self.memory, ctypes.c_void_p(array.ctypes.data),
                  ctypes.c_size_t(array.nbytes), ctypes.cast(shape, ctypes.c_void_p), ctypes.c_size_t(array.ndim),
                  ctypes.c_int(ONNX[array.dtype]), ctypes.byref(value))
        return value.value

    def array_of(self, value):
        info, data = ctypes.c_void_p(), ctypes.c_void_p()
        element, rank = ctypes.c_int(), ctypes.c_size_t()
        handle = ctypes.c_void_p(value)
        self.call(TYPE_AND_SHAPE, handle, ctypes.byref(info))
        self.call(ELEMENT_TYPE, info, ctypes.byref(element))
        self.call(RANK, info, ctypes.byref(rank))
        shape = (ctypes.c_int64 * rank.value)()
        self.call(DIMENSIONS, info, ctypes.cast(shape, ctypes.c_void_p), rank)
        self.call(GET_DATA, handle, ctypes.byref(data))
        result = np.empty(tuple(shape), NUMPY[element.value])
        if result.nbytes:
            ctypes.memmove(result.ctypes.data, data.value, result.nbytes)
        return result

    def __call__(self, arrays):
        arrays = [np.ascontiguousarray(array).reshape(array.shape) for array in arrays]  # keeps rank 0
        given = [self.value_of(array) for array in arrays]
        results = (ctypes.c_void_p * len(self.outputs))()
        self.call(onnx_runtime.RUN, self.session, ctypes.c_void_p(), names(self.inputs), pointers(given),
                  ctypes.c_size_t(len(given)), names(self.outputs), ctypes.c_size_t(len(self.outputs)),
                  ctypes.cast(results, ctypes.c_void_p))
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

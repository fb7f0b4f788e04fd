# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls ONNX Runtime through its C interface. The npm package contains the library but no Python
module. The positions of functions are those of tools/convoy-measure/OnnxRuntime.cpp."""

import ctypes
import glob
import os

API_VERSION = 23
GET_ERROR_MESSAGE, CREATE_ENV, CREATE_SESSION, CREATE_SESSION_FROM_ARRAY, RUN, CREATE_SESSION_OPTIONS = 2, 3, 7, 8, 9, 10
SET_OPTIMIZATION, SET_INTRA_THREADS, SET_INTER_THREADS = 23, 24, 25
CREATE_TENSOR, CREATE_CPU_MEMORY = 49, 69
FLOAT = 1  # element type


def find_library(root):
    pattern = os.path.join(root, "build/peers/node_modules/onnxruntime-node/bin/*/linux/x64/libonnxruntime.so.1")
    found = sorted(glob.glob(pattern))
    if not found:
        raise SystemExit("ONNX Runtime is missing; run scripts/install-deps.sh --bench")
    return found[-1]


class Session:
    """A model with one float input and one float output. `model` is a path or the bytes of the file."""

    def __init__(self, library, model, input_name, output_name, optimization=0):
        base = ctypes.CDLL(library).OrtGetApiBase
        base.restype = ctypes.POINTER(ctypes.c_void_p)
        get_api = ctypes.CFUNCTYPE(ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint32)(base()[0])
        self.table = get_api(API_VERSION)
        environment, options = ctypes.c_void_p(), ctypes.c_void_p()
        self.session, self.memory = ctypes.c_void_p(), ctypes.c_void_p()
        self.call(CREATE_ENV, ctypes.c_int(3), b"bench", ctypes.byref(environment))
        self.call(CREATE_SESSION_OPTIONS, ctypes.byref(options))
        self.configure(options, optimization)
        if isinstance(model, bytes):
            self.call(CREATE_SESSION_FROM_ARRAY, environment, model, ctypes.c_size_t(len(model)), options,
                      ctypes.byref(self.session))
        else:
            self.call(CREATE_SESSION, environment, os.fsencode(model), options, ctypes.byref(self.session))
        self.call(CREATE_CPU_MEMORY, ctypes.c_int(0), ctypes.c_int(0), ctypes.byref(self.memory))
        self.names = [(ctypes.c_char_p * 1)(name.encode()) for name in (input_name, output_name)]

    def configure(self, options, optimization):
        self.call(SET_OPTIMIZATION, options, ctypes.c_int(optimization))
        self.call(SET_INTRA_THREADS, options, ctypes.c_int(1))
        self.call(SET_INTER_THREADS, options, ctypes.c_int(1))

    def call(self, position, *arguments):
        function = ctypes.CFUNCTYPE(ctypes.c_void_p, *[type(argument) if not isinstance(argument, bytes) else ctypes.c_char_p
                                                       for argument in map(as_pointer, arguments)])(self.table[position])
        status = function(*map(as_pointer, arguments))
        if status:
            message = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(self.table[GET_ERROR_MESSAGE])
            raise RuntimeError(message(status).decode())

    def bind(self, array):
        """Returns a value that refers to the memory of a float array."""
        value = ctypes.c_void_p()
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.call(CREATE_TENSOR, self.memory, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes),
                  ctypes.cast(shape, ctypes.c_void_p), ctypes.c_size_t(array.ndim), ctypes.c_int(FLOAT), ctypes.byref(value))
        return value

    def run(self, given, result):
        """Runs the model on values of bind; `result` receives the output."""
        inputs, outputs = (ctypes.c_void_p * 1)(given), (ctypes.c_void_p * 1)(result)
        self.call(RUN, self.session, ctypes.c_void_p(), ctypes.cast(self.names[0], ctypes.c_void_p),
                  ctypes.cast(inputs, ctypes.c_void_p), ctypes.c_size_t(1), ctypes.cast(self.names[1], ctypes.c_void_p),
                  ctypes.c_size_t(1), ctypes.cast(outputs, ctypes.c_void_p))


def as_pointer(argument):
    """Returns references as plain pointers, because a reference has no type of its own."""
    return ctypes.cast(argument, ctypes.c_void_p) if type(argument).__name__ == "CArgObject" else argument

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of ONNX Runtime's Python package that examples/python/onnxruntime_session.py uses, over ONNX Runtime's
C interface. There is no Python package of ONNX Runtime here; the library is the one of the npm package.

The environment variable ONNXRUNTIME_LIBRARY names libonnxruntime.so.1. The functions are a table to which new
versions only append, as tools/convoy-measure/OnnxRuntime.cpp says. Sessions take tensors of floats only.
"""

import ctypes
import enum
import os
from collections import namedtuple

import numpy

API_VERSION = 23
FLOAT = 1
POSITIONS = {
    "GetErrorMessage": 2, "CreateEnv": 3, "CreateSession": 7, "Run": 9, "CreateSessionOptions": 10, "SetSessionExecutionMode": 13,
    "EnableProfiling": 14, "SetSessionGraphOptimizationLevel": 23, "SetIntraOpNumThreads": 24, "SessionGetInputCount": 30,
    "SessionGetOutputCount": 31, "SessionGetInputTypeInfo": 33, "SessionGetOutputTypeInfo": 34, "SessionGetInputName": 36,
    "SessionGetOutputName": 37, "CreateTensorWithDataAsOrtValue": 49, "GetTensorMutableData": 51, "CastTypeInfoToTensorInfo": 55,
    "GetTensorElementType": 60, "GetDimensionsCount": 61, "GetDimensions": 62, "GetSymbolicDimensions": 63, "GetTensorTypeAndShape": 65,
    "CreateCpuMemoryInfo": 69, "GetAllocatorWithDefaultOptions": 78, "SessionEndProfiling": 110, "SessionGetModelMetadata": 111,
    "ModelMetadataGetProducerName": 112, "ModelMetadataGetGraphName": 113, "ModelMetadataGetDomain": 114,
    "ModelMetadataGetDescription": 115, "ModelMetadataLookupCustomMetadataMap": 116, "ModelMetadataGetVersion": 117,
    "ModelMetadataGetCustomMetadataMapKeys": 123, "RunWithBinding": 133, "CreateIoBinding": 134, "BindInput": 136, "BindOutput": 137,
    "BindOutputToDevice": 138, "GetBoundOutputValues": 140, "ModelMetadataGetGraphDescription": 158,
}


class GraphOptimizationLevel(enum.IntEnum):
    ORT_DISABLE_ALL = 0
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    ORT_SEQUENTIAL = 0


def load_api():
    base = ctypes.CDLL(os.environ["ONNXRUNTIME_LIBRARY"]).OrtGetApiBase
    base.restype = ctypes.POINTER(ctypes.c_void_p)
    return ctypes.CFUNCTYPE(ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint32)(base()[0])(API_VERSION)


API = load_api()


def call(name, *arguments):
    """Calls a function that can fail. Integers are pointers or sizes; `ctypes` objects go by reference."""
    values = [ctypes.c_void_p(value) if value is None else ctypes.c_size_t(value) if isinstance(value, int) else
              ctypes.c_char_p(value) if isinstance(value, bytes) else ctypes.cast(ctypes.pointer(value), ctypes.c_void_p)
              for value in arguments]
    function = ctypes.CFUNCTYPE(ctypes.c_void_p, *map(type, values))(API[POSITIONS[name]])
    status = function(*values)
    if status:
        message = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(API[POSITIONS["GetErrorMessage"]])(status)
        raise RuntimeError(f"{name}: {message.decode()}")


def pointer(name, *arguments):
    """Returns the pointer or the number that a function writes to its last argument."""
    result = ctypes.c_size_t()
    call(name, *arguments, result)
    return result.value


def text(name, *arguments):
    return ctypes.cast(pointer(name, *arguments), ctypes.c_char_p).value.decode()


ENVIRONMENT = pointer("CreateEnv", 3, b"twin")
MEMORY = pointer("CreateCpuMemoryInfo", 0, 0)
ALLOCATOR = pointer("GetAllocatorWithDefaultOptions")
NodeArg = namedtuple("NodeArg", "name shape type")
ModelMetadata = namedtuple("ModelMetadata", "producer_name graph_name domain description graph_description version custom_metadata_map")


class SessionOptions:
    intra_op_num_threads = 0
    execution_mode = ExecutionMode.ORT_SEQUENTIAL
    graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
    enable_profiling = False
    profile_file_prefix = "onnxruntime_profile_"


def get_device():
    return "CPU"


def shape_of(info):
    """Returns the sizes of a tensor's type, with names of open dimensions."""
    rank = pointer("GetDimensionsCount", info)
    sizes, names = (ctypes.c_int64 * rank)(), (ctypes.c_char_p * rank)()
    call("GetDimensions", info, sizes, rank)
    call("GetSymbolicDimensions", info, names, rank)
    return [size if size >= 0 else name.decode() or None for size, name in zip(sizes, names)]


class OrtValue:
    def __init__(self, array=None, handle=None):
        self.array = array
        self.handle = handle
        if handle is None:
            shape = (ctypes.c_int64 * array.ndim)(*array.shape)
            self.handle = pointer("CreateTensorWithDataAsOrtValue", MEMORY, array.ctypes.data, array.nbytes, shape, array.ndim, FLOAT)

    @staticmethod
    def ortvalue_from_numpy(array):
        return OrtValue(array)

    @staticmethod
    def ortvalue_from_shape_and_type(shape, element_type):
        return OrtValue(numpy.zeros(shape, element_type))

    def shape(self):
        return shape_of(pointer("GetTensorTypeAndShape", self.handle))

    def numpy(self):
        data = ctypes.cast(pointer("GetTensorMutableData", self.handle), ctypes.POINTER(ctypes.c_float))
        return numpy.ctypeslib.as_array(data, self.shape()).copy()

    def data_type(self):
        return {FLOAT: "tensor(float)"}[pointer("GetTensorElementType", pointer("GetTensorTypeAndShape", self.handle))]

    def data_ptr(self):
        return pointer("GetTensorMutableData", self.handle)

    def device_name(self):
        return "cpu"


class IOBinding:
    def __init__(self, session):
        self.handle = pointer("CreateIoBinding", session)
        self.kept = {}

    def bind_ortvalue_input(self, name, value):
        self.kept[name] = value
        call("BindInput", self.handle, name.encode(), value.handle)

    def bind_cpu_input(self, name, array):
        self.bind_ortvalue_input(name, OrtValue(array))

    def bind_input(self, name, device, index, element_type, shape, address):
        count = int(numpy.prod(shape))
        self.bind_cpu_input(name, numpy.frombuffer((ctypes.c_float * count).from_address(address), element_type).reshape(shape))

    def bind_output(self, name):
        call("BindOutputToDevice", self.handle, name.encode(), MEMORY)

    def bind_ortvalue_output(self, name, value):
        self.kept[name] = value
        call("BindOutput", self.handle, name.encode(), value.handle)

    def copy_outputs_to_cpu(self):
        values, count = ctypes.c_size_t(), ctypes.c_size_t()
        call("GetBoundOutputValues", self.handle, ALLOCATOR, values, count)
        handles = ctypes.cast(values.value, ctypes.POINTER(ctypes.c_size_t))
        return [OrtValue(handle=handles[i]).numpy() for i in range(count.value)]


class InferenceSession:
    def __init__(self, model, options, providers):
        made = pointer("CreateSessionOptions")
        call("SetIntraOpNumThreads", made, int(options.intra_op_num_threads))
        call("SetSessionExecutionMode", made, int(options.execution_mode))
        call("SetSessionGraphOptimizationLevel", made, int(options.graph_optimization_level))
        if options.enable_profiling:
            call("EnableProfiling", made, os.fsencode(options.profile_file_prefix))
        self.providers = providers
        self.handle = pointer("CreateSession", ENVIRONMENT, os.fsencode(model), made)

    def _values(self, kind):
        values = []
        for index in range(pointer(f"SessionGet{kind}Count", self.handle)):
            info = pointer("CastTypeInfoToTensorInfo", pointer(f"SessionGet{kind}TypeInfo", self.handle, index))
            element = {FLOAT: "tensor(float)"}[pointer("GetTensorElementType", info)]
            values.append(NodeArg(text(f"SessionGet{kind}Name", self.handle, index, ALLOCATOR), shape_of(info), element))
        return values

    def get_inputs(self):
        return self._values("Input")

    def get_outputs(self):
        return self._values("Output")

    def get_providers(self):
        return self.providers

    def get_modelmeta(self):
        meta = pointer("SessionGetModelMetadata", self.handle)
        keys, count = ctypes.c_size_t(), ctypes.c_size_t()
        call("ModelMetadataGetCustomMetadataMapKeys", meta, ALLOCATOR, keys, count)
        names = ctypes.cast(keys.value, ctypes.POINTER(ctypes.c_char_p)) if count.value else []
        custom = {names[i].decode(): text("ModelMetadataLookupCustomMetadataMap", meta, ALLOCATOR, names[i]) for i in range(count.value)}
        fields = [text(f"ModelMetadataGet{field}", meta, ALLOCATOR)
                  for field in ("ProducerName", "GraphName", "Domain", "Description", "GraphDescription")]
        return ModelMetadata(*fields, pointer("ModelMetadataGetVersion", meta), custom)

    def io_binding(self):
        return IOBinding(self.handle)

    def run_with_iobinding(self, binding):
        call("RunWithBinding", self.handle, None, binding.handle)

    def run(self, names, feed):
        names = names or [value.name for value in self.get_outputs()]
        given = {name: OrtValue(array) for name, array in feed.items()}
        inputs = (ctypes.c_char_p * len(given))(*[name.encode() for name in given])
        values = (ctypes.c_size_t * len(given))(*[value.handle for value in given.values()])
        outputs = (ctypes.c_char_p * len(names))(*[name.encode() for name in names])
        results = (ctypes.c_size_t * len(names))()
        call("Run", self.handle, None, inputs, values, len(given), outputs, len(names), results)
        return [OrtValue(handle=handle).numpy() for handle in results]

    def end_profiling(self):
        return text("SessionEndProfiling", self.handle, ALLOCATOR)

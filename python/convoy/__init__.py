# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles ONNX models and runs them.

    import convoy

    model = convoy.compile("mnist.onnx")
    outputs = model.run({"Input3": image})

`InferenceSession` has the interface of ONNX Runtime. `check`, `explain`, `bench`, `tune`, `quantize`, `run`, `sweep` and
`inspect` are the verbs of the command line; their results have the keys of `convoy VERB --json`, and their keywords
the names of its flags. `convoy.records` works on files of tuning records.
Every exception of Convoy is an `Error`, whose `problems` lists every reason.
"""

from convoy_runtime import (ArgumentNameError, ArgumentTypeError, ArgumentValueError, Error, InternalError, Model,
                            OutOfMemoryError, Problem, Tensor, UnsupportedError, load)

try:
    from ._compiler import __version__
except ModuleNotFoundError as error:
    import os
    from convoy_runtime._interpreter import missing_extension
    raise ImportError(missing_extension(os.path.dirname(__file__), "_compiler"), name=error.name) from None
except ImportError as error:
    from ._system import missing_library
    raise ImportError(missing_library(error), name=error.name, path=error.path) from None

from . import records
from ._compile import CompiledModel
from ._options import compile, quantize, tune
from ._ort_value import IOBinding, OrtValue
from ._quantize import Quantization
from ._session import InferenceSession, ModelMetadata, NodeArg
from ._session_options import (ExecutionMode, ExecutionOrder, GraphOptimizationLevel, RunOptions, SessionOptions, get_all_providers,
                               get_available_providers, get_device, set_default_logger_severity)
from ._tune import TuneProgress, Tuning
from ._sweep import sweep
from ._verbs import bench, check, explain, inspect, run

__all__ = ["ArgumentNameError", "ArgumentTypeError", "ArgumentValueError", "CompiledModel", "Error", "ExecutionMode", "ExecutionOrder",
           "GraphOptimizationLevel", "IOBinding", "InferenceSession", "InternalError", "Model", "ModelMetadata", "NodeArg", "OrtValue",
           "OutOfMemoryError", "Problem", "Quantization", "RunOptions", "SessionOptions", "Tensor", "TuneProgress", "Tuning",
           "UnsupportedError", "__version__", "bench", "check", "compile", "explain", "get_all_providers", "get_available_providers",
           "get_device", "inspect", "load", "quantize", "records", "run", "set_default_logger_severity", "sweep", "tune"]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles ONNX models and runs them.

    import convoy

    model = convoy.compile("mnist.onnx")
    outputs = model.run({"Input3": image})

`InferenceSession` has the call signature of ONNX Runtime. `check`, `explain`, `bench`, `tune` and
`inspect` are the verbs of the command line; their results have the keys of `convoy VERB --json`.
Every exception of Convoy is an `Error`, whose `problems` lists every reason.
"""

from convoy_runtime import (ArgumentNameError, ArgumentTypeError, ArgumentValueError, Error, InternalError, Model,
                            OutOfMemoryError, Problem, Tensor, UnsupportedError, load)

try:
    from . import _compiler as _compiler
except ImportError as error:
    from ._system import missing_library
    raise ImportError(missing_library(error), name=error.name, path=error.path) from None

from ._compile import CompiledModel
from ._compiler import __version__
from ._options import compile, tune
from ._session import (GraphOptimizationLevel, InferenceSession, NodeArg, RunOptions, SessionOptions,
                       get_available_providers, get_device)
from ._tune import TuneProgress, Tuning
from ._verbs import bench, check, explain, inspect

__all__ = ["ArgumentNameError", "ArgumentTypeError", "ArgumentValueError", "CompiledModel", "Error",
           "GraphOptimizationLevel", "InferenceSession", "InternalError", "Model", "NodeArg", "OutOfMemoryError",
           "Problem", "RunOptions", "SessionOptions", "Tensor", "TuneProgress", "Tuning", "UnsupportedError", "__version__", "bench", "check", "compile", "explain",
           "get_available_providers", "get_device", "inspect", "load", "tune"]

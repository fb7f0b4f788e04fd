# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs compiled models. This package contains no compiler and needs only NumPy.

    import convoy_runtime

    model = convoy_runtime.load("out/mnist.so")
    outputs = model.run({"Input3": image})
"""

import os as _os

from . import _interpreter

try:
    import numpy as _numpy  # noqa: F401
except ImportError as error:
    raise ImportError(_interpreter.missing_module("numpy"), name="numpy") from error
try:
    from ._runtime import __version__
except ModuleNotFoundError as error:
    raise ImportError(_interpreter.missing_extension(_os.path.dirname(__file__), "_runtime"), name=error.name) from None

from ._errors import (ArgumentNameError, ArgumentTypeError, ArgumentValueError, Error, InternalError,
                      OutOfMemoryError, Problem, UnsupportedError)
from ._model import Model, load
from ._tensor import Tensor

__all__ = ["ArgumentNameError", "ArgumentTypeError", "ArgumentValueError", "Error", "InternalError", "Model",
           "OutOfMemoryError", "Problem", "Tensor", "UnsupportedError", "__version__", "load"]

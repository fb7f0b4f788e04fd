# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs compiled models. This package contains no compiler and needs only NumPy.

    import convoy_runtime

    model = convoy_runtime.load("out/mnist.so")
    outputs = model.run({"Input3": image})
"""

from ._errors import (ArgumentNameError, ArgumentTypeError, ArgumentValueError, Error, InternalError,
                      OutOfMemoryError, Problem, UnsupportedError)
from ._model import Model, load
from ._runtime import __version__
from ._tensor import Tensor

__all__ = ["ArgumentNameError", "ArgumentTypeError", "ArgumentValueError", "Error", "InternalError", "Model",
           "OutOfMemoryError", "Problem", "Tensor", "UnsupportedError", "__version__", "load"]

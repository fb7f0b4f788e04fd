# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""InferenceSession with the call signature of ONNX Runtime, so that a program changes one import:

    import convoy as onnxruntime

Options of ONNX Runtime that have no meaning here are accepted and have no effect.
"""

import enum
import os
import threading
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy
from convoy_runtime import ArgumentNameError, ArgumentTypeError, Tensor, load

from . import _compiler
from ._compile import _loaded
from ._options import make_request

# Models with open dimensions are compiled once per combination of shapes.
_KEPT_SHAPES = 16


class GraphOptimizationLevel(enum.IntEnum):
    """Levels of ONNX Runtime; Convoy always optimises."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_ALL = 99


class SessionOptions:
    """Options of a session. `intra_op_num_threads` sets the threads of an inference (0: one per core);
    the other options have no effect."""

    def __init__(self) -> None:
        self.intra_op_num_threads = 0
        self.inter_op_num_threads = 0
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.enable_profiling = False
        self.log_severity_level = 2

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Accepts an entry and ignores it."""


class RunOptions:
    """Options of a run, without effect."""


class NodeArg(NamedTuple):
    """An input or output: `shape` has None for an open dimension, `type` is a text such as "tensor(float)"."""

    name: str
    shape: List[Optional[int]]
    type: str


def get_available_providers() -> List[str]:
    """Returns the providers that a session accepts by name; any other name is accepted and ignored."""
    return ["ConvoyExecutionProvider", "CPUExecutionProvider"]


def get_device() -> str:
    """Returns "CPU"."""
    return "CPU"


def _node_arg(tensor: Tensor) -> NodeArg:
    shape = None if tensor.shape is None else [None if size < 0 else size for size in tensor.shape]
    return NodeArg(tensor.name, shape, tensor.type)


def _is_library(model: object) -> bool:
    if not isinstance(model, (str, os.PathLike)):
        return False
    try:
        with open(model, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


class InferenceSession:
    """Runs a model by ONNX Runtime's calls.

    path_or_bytes: an ONNX file, its bytes, or a library that `Model.save` or `convoy compile` wrote.
    sess_options: `intra_op_num_threads` sets the threads. providers, provider_options: accepted, no
    effect. build: arguments of `convoy.compile`, such as target or input_shapes.

    A model with open dimensions is compiled at the first run with each combination of input shapes.
    """

    def __init__(self, path_or_bytes: Union[str, "os.PathLike[str]", bytes], sess_options: Optional[Any] = None,
                 providers: Optional[Sequence[Any]] = None, provider_options: Optional[Sequence[Any]] = None,
                 **build: Any):
        self._providers = [entry if isinstance(entry, str) else entry[0] for entry in providers or get_available_providers()]
        self._lock = threading.Lock()
        self._by_shapes: Dict[Any, Any] = {}
        if _is_library(path_or_bytes):
            self._model = load(path_or_bytes)
        else:
            self._source = path_or_bytes
            # ONNX Runtime has options without a meaning here, such as disabled_optimizers.
            self._build = {key: value for key, value in build.items() if key != "disabled_optimizers"}
            self._build.setdefault("threads", getattr(sess_options, "intra_op_num_threads", 0) or 0)
            request = make_request(path_or_bytes, **self._build)
            inputs, outputs = _compiler.signature(request)
            is_open = any(tensor.onnx_type and (tensor.shape is None or min(tensor.shape, default=0) < 0) for tensor in inputs)
            self._model = None if is_open else _loaded(request)
        described = self._model or None
        self._inputs = described.inputs if described else inputs
        self._outputs = described.outputs if described else outputs

    def get_inputs(self) -> List[NodeArg]:
        """Returns name, shape and type of each input."""
        return [_node_arg(tensor) for tensor in self._inputs]

    def get_outputs(self) -> List[NodeArg]:
        """Returns name, shape and type of each output."""
        return [_node_arg(tensor) for tensor in self._outputs]

    def get_providers(self) -> List[str]:
        """Returns the names of the providers given to the session."""
        return list(self._providers)

    def run(self, output_names: Optional[Sequence[str]], input_feed: Mapping[str, Any], run_options: Any = None) -> List[Any]:
        """Runs the model and returns the named outputs, or all outputs for None or an empty list."""
        model = self._model or self._model_for(input_feed)
        results = model.run(input_feed)
        if not output_names:
            return list(results.values())
        try:
            return [results[name] for name in output_names]
        except KeyError as error:
            known = ", ".join(f"'{tensor.name}'" for tensor in self._outputs)
            raise ArgumentNameError(f"the model has no output {error}; its outputs are {known}") from None

    def _model_for(self, feed):
        """Returns the model for the shapes of a feed; compiles it at the first use."""
        if not hasattr(feed, "items"):
            raise ArgumentTypeError(f"input_feed: expected a dictionary, got {type(feed).__name__}")
        wanted = {tensor.name for tensor in self._inputs if tensor.onnx_type}
        shapes = {name: list(numpy.shape(value)) for name, value in feed.items() if name in wanted}
        key = tuple(sorted((name, tuple(shape)) for name, shape in shapes.items()))
        with self._lock:
            model = self._by_shapes.get(key)
            if model is None:
                build = dict(self._build, input_shapes={**self._build.get("input_shapes", {}), **shapes})
                model = _loaded(make_request(self._source, **build))
                if len(self._by_shapes) >= _KEPT_SHAPES:
                    self._by_shapes.pop(next(iter(self._by_shapes)))
                self._by_shapes[key] = model
            return model

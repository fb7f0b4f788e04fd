# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""InferenceSession with the interface of ONNX Runtime, so that a program changes one import:

    import convoy as onnxruntime

_session_options.py has the options and _ort_value.py the values.
"""

import os
import threading
import time
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy
from convoy_runtime import ArgumentNameError, ArgumentTypeError, Error, Tensor, load

from . import _compiler
from ._compile import InterpretedModel, _loaded
from ._keywords import accepts_old_keywords
from ._options import make_request
from ._ort_value import IOBinding, OrtValue, array_of
from ._profile import Profile
from ._session_options import RunOptions, SessionOptions, build_arguments, check_run_options, chosen_providers

# Models with open dimensions are compiled once per combination of shapes.
_KEPT_SHAPES = 16


class NodeArg(NamedTuple):
    """An input or output. `shape` has the name of an open dimension, or None if the dimension has no name;
    `type` is a text such as "tensor(float)"."""

    name: str
    shape: Optional[List[Union[int, str, None]]]
    type: str


class ModelMetadata(NamedTuple):
    """What an ONNX file says about itself. `version` is 2**63 - 1 if the file has no version."""

    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: Dict[str, str]


def _node_arg(tensor: Tensor, names: Sequence[str]) -> NodeArg:
    """Describes a tensor; `names` are the names of its dimensions in the file."""
    if tensor.shape is None:
        return NodeArg(tensor.name, None, tensor.type)
    names = list(names) + [""] * (len(tensor.shape) - len(names))
    return NodeArg(tensor.name, [size if size >= 0 else name or None for size, name in zip(tensor.shape, names)], tensor.type)


def _is_library(model: object) -> bool:
    if not isinstance(model, (str, os.PathLike)):
        return False
    try:
        with open(model, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def _is_open(tensor: Tensor) -> bool:
    return bool(tensor.onnx_type) and (tensor.shape is None or min(tensor.shape, default=0) < 0)


class InferenceSession:
    """Runs a model by ONNX Runtime's calls.

    path_or_bytes: an ONNX file, its bytes, or a library that `Model.save` or `convoy compile` wrote.
    sess_options: a SessionOptions. providers: names, or (name, options); a name that is not available
    gives a warning. provider_options: no effect. build: arguments of `convoy.compile`, such as target or
    input_shape; `disabled_optimizers` has no effect.

    A model with open dimensions is compiled at the first run with each combination of input shapes.
    """

    @accepts_old_keywords("compile")
    def __init__(self, path_or_bytes: Union[str, "os.PathLike[str]", bytes], sess_options: Optional[Any] = None,
                 providers: Optional[Sequence[Any]] = None, provider_options: Optional[Sequence[Any]] = None,
                 **build: Any):
        self._options = sess_options
        self._providers = chosen_providers(providers)
        self._lock = threading.Lock()
        self._by_shapes: Dict[Any, Any] = {}
        self._dims: Dict[str, List[str]] = {}
        is_profiled = bool(getattr(sess_options, "enable_profiling", False))
        self._profile = Profile(getattr(sess_options, "profile_file_prefix", "onnxruntime_profile_")) if is_profiled else None
        begin = time.perf_counter_ns()
        build.pop("disabled_optimizers", None)
        self._build = {**build_arguments(sess_options), **build}
        self._open(path_or_bytes)
        if self._profile:
            self._profile.add("session_initialization", begin)

    def _open(self, source):
        """Loads a library, or compiles a model whose shapes are fixed."""
        if _is_library(source):
            self._model = load(source)
            self._metadata = ModelMetadata("", self._model.name, "", "", "", 2 ** 63 - 1, {})
        else:
            self._source = source
            request = make_request(source, **self._build)
            self._inputs, self._outputs = _compiler.signature(request)
            facts, self._dims = _compiler.metadata(request)
            self._metadata = ModelMetadata(**facts)
            self._model = None if any(map(_is_open, self._inputs)) else _loaded(request)
        if self._model:
            self._inputs, self._outputs = self._model.inputs, self._model.outputs

    def get_inputs(self) -> List[NodeArg]:
        """Returns name, shape and type of each input."""
        return [_node_arg(tensor, self._dims.get(tensor.name, ())) for tensor in self._inputs]

    def get_outputs(self) -> List[NodeArg]:
        """Returns name, shape and type of each output."""
        return [_node_arg(tensor, self._dims.get(tensor.name, ())) for tensor in self._outputs]

    def get_overridable_initializers(self) -> List[NodeArg]:
        """Returns an empty list: initializers are constants of the compiled code."""
        return []

    def get_modelmeta(self) -> ModelMetadata:
        """Returns what the ONNX file says about itself. A library has only the name of its model."""
        return self._metadata

    def get_session_options(self) -> Any:
        """Returns the options of the session."""
        return SessionOptions() if self._options is None else self._options

    def get_providers(self) -> List[str]:
        """Returns the names of the session's providers that are available."""
        return list(self._providers)

    def get_provider_options(self) -> Dict[str, Dict[str, str]]:
        """Returns an empty dictionary for each provider: providers have no options."""
        return {name: {} for name in self._providers}

    def set_providers(self, providers: Optional[Sequence[Any]] = None, provider_options: Optional[Sequence[Any]] = None) -> None:
        """Sets the names that `get_providers` returns. Providers do not change how a model runs."""
        self._providers = chosen_providers(providers)

    def disable_fallback(self) -> None:
        """Returns at once: Convoy compiles a model, or raises an error; it does not change the provider."""

    def enable_fallback(self) -> None:
        """Returns at once, as `disable_fallback` does."""

    def io_binding(self) -> IOBinding:
        """Returns a binding for `run_with_iobinding`."""
        return IOBinding(self)

    def run(self, output_names: Optional[Sequence[str]], input_feed: Mapping[str, Any],
            run_options: Optional[RunOptions] = None) -> List[Any]:
        """Runs the model and returns the named outputs, or all outputs for None or an empty list."""
        results = self._execute(input_feed, {}, run_options)
        return self._selected(output_names, results)

    def run_with_ort_values(self, output_names: Optional[Sequence[str]], input_dict_ort_values: Mapping[str, OrtValue],
                            run_options: Optional[RunOptions] = None) -> List[OrtValue]:
        """Runs the model on OrtValues and returns the named outputs as OrtValues."""
        return [OrtValue(value) for value in self.run(output_names, input_dict_ort_values, run_options)]

    def run_with_iobinding(self, iobinding: IOBinding, run_options: Optional[RunOptions] = None) -> None:
        """Runs the model on the inputs and outputs of a binding."""
        iobinding._finish(self._execute(iobinding._inputs, iobinding._memory(), run_options))

    def end_profiling(self) -> str:
        """Writes the profile and returns the path of the file. Needs sess_options.enable_profiling.

        The file has the Trace Event format, which ui.perfetto.dev shows: the creation of the session, each
        run, and the kernels of one inference. For the times of the kernels, the model of the last run runs
        again in another process, with probes and with the last data.
        """
        if self._profile is None:
            raise Error("the session has no profile; set sess_options.enable_profiling = True before the session is created")
        return self._profile.write()

    def get_profiling_start_time_ns(self) -> int:
        """Returns the time at which the profile begins, by time.perf_counter_ns(); 0 without a profile."""
        return self._profile.start_ns if self._profile else 0

    def _selected(self, names, results):
        if not names:
            return list(results.values())
        try:
            return [results[name] for name in names]
        except KeyError as error:
            known = ", ".join(f"'{tensor.name}'" for tensor in self._outputs)
            raise ArgumentNameError(f"the model has no output {error}; its outputs are {known}") from None

    def _execute(self, feed, memory, run_options):
        """Runs the model. `memory` has arrays for some outputs. Returns all outputs by name."""
        check_run_options(run_options)
        if not hasattr(feed, "items"):
            raise ArgumentTypeError(f"input_feed: expected a dictionary, got {type(feed).__name__}")
        feed = {name: array_of(value) for name, value in feed.items()}
        model = self._model or self._model_for(feed)
        begin = time.perf_counter_ns()
        if memory and isinstance(model, InterpretedModel):
            results = model.run(feed)
            for name, array in memory.items():
                numpy.copyto(array, results[name], casting="no")
        else:
            results = model.run(feed, out=memory or None)
        if self._profile:
            self._profile.add("model_run", begin, model, feed)
        return results

    def _model_for(self, feed):
        """Returns the model for the shapes of a feed; compiles it at the first use."""
        wanted = {tensor.name for tensor in self._inputs if tensor.onnx_type}
        shapes = {name: list(numpy.shape(value)) for name, value in feed.items() if name in wanted}
        key = tuple(sorted((name, tuple(shape)) for name, shape in shapes.items()))
        with self._lock:
            model = self._by_shapes.get(key)
            if model is None:
                build = dict(self._build, input_shape={**self._build.get("input_shape", {}), **shapes})
                model = _loaded(make_request(self._source, **build))
                if len(self._by_shapes) >= _KEPT_SHAPES:
                    self._by_shapes.pop(next(iter(self._by_shapes)))
                self._by_shapes[key] = model
            return model

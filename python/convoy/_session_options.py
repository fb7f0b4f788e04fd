# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of ONNX Runtime that InferenceSession accepts. A value that Convoy cannot honor raises a sentence;
an option without a meaning in Convoy is stored and has no effect."""

import enum
import warnings
from typing import Dict, List, Optional

from convoy_runtime import ArgumentTypeError, Error, UnsupportedError

from ._request import _integer

_PROVIDERS = ["ConvoyExecutionProvider", "CPUExecutionProvider"]


class GraphOptimizationLevel(enum.IntEnum):
    """Levels of ONNX Runtime. They have no effect: Convoy always optimizes."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    """Modes of ONNX Runtime. They have no effect: the compiler schedules the kernels on the threads."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(enum.IntEnum):
    """Orders of ONNX Runtime. They have no effect: the compiler fixes the order of the kernels."""

    DEFAULT = 0
    PRIORITY_BASED = 1


class SessionOptions:
    """Options of a session.

    intra_op_num_threads: threads of an inference; 0: one per core.
    enable_profiling, profile_file_prefix: `InferenceSession.end_profiling` writes a trace to
        <prefix>_<date and time>.json.
    optimized_model_filepath: must be empty; Convoy writes no optimized ONNX file.

    The other options have no effect: execution_mode, execution_order, graph_optimization_level,
    inter_op_num_threads, enable_cpu_mem_arena, enable_mem_pattern, enable_mem_reuse (the memory of an
    inference is planned at compile time), use_deterministic_compute (a compiled model is
    deterministic), log_severity_level, log_verbosity_level and logid.
    """

    def __init__(self) -> None:
        self.intra_op_num_threads = 0
        self.inter_op_num_threads = 0
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.execution_order = ExecutionOrder.DEFAULT
        self.enable_profiling = False
        self.profile_file_prefix = "onnxruntime_profile_"
        self.optimized_model_filepath = ""
        self.enable_cpu_mem_arena = True
        self.enable_mem_pattern = True
        self.enable_mem_reuse = True
        self.use_deterministic_compute = False
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self._entries: Dict[str, str] = {}
        self._dims: Dict[str, int] = {}

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Stores an entry. Entries have no effect."""
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        """Returns a stored entry."""
        if key not in self._entries:
            raise Error(f"the session options have no entry '{key}'")
        return self._entries[key]

    def add_free_dimension_override_by_name(self, dim_name: str, dim_value: int) -> None:
        """Sets the size of a named dimension, as `convoy.compile(dim={name: size})` does."""
        self._dims[dim_name] = _integer("dim_value", dim_value, 1)

    def add_free_dimension_override_by_denotation(self, dim_denotation: str, dim_value: int) -> None:
        """Raises UnsupportedError: Convoy reads no denotations of dimensions."""
        raise UnsupportedError(f"not supported: the denotation '{dim_denotation}' of a dimension; give the name of the "
                               "dimension to add_free_dimension_override_by_name")

    def add_initializer(self, name: str, ort_value: object) -> None:
        """Raises UnsupportedError: weights belong to the compiled code."""
        raise UnsupportedError(f"not supported: a value for initializer '{name}' from outside of the model; store the "
                               "value in the ONNX file, or make it an input and pass const={name: array}")

    def register_custom_ops_library(self, path: str) -> None:
        """Raises UnsupportedError: Convoy takes custom ops as C functions."""
        raise UnsupportedError(f"not supported: the library of custom ops '{path}', which uses ONNX Runtime's interface; "
                               "declare the ops with their C functions in a JSON file and pass custom_ops=\"ops.json\"")


class RunOptions:
    """Options of a run.

    terminate: if it is set when the run starts, the run raises Error. A run that has started ends.
    training_mode: must be False.

    log_severity_level, log_verbosity_level, logid and only_execute_path_to_fetches have no effect.
    """

    def __init__(self) -> None:
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self.only_execute_path_to_fetches = False
        self.terminate = False
        self.training_mode = False
        self._entries: Dict[str, str] = {}

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Stores an entry. Entries have no effect."""
        self._entries[key] = value

    def get_run_config_entry(self, key: str) -> str:
        """Returns a stored entry."""
        if key not in self._entries:
            raise Error(f"the run options have no entry '{key}'")
        return self._entries[key]


def get_available_providers() -> List[str]:
    """Returns the names of the execution providers. Both names mean Convoy."""
    return list(_PROVIDERS)


def get_all_providers() -> List[str]:
    """Returns the names of the execution providers, as `get_available_providers` does."""
    return list(_PROVIDERS)


def get_device() -> str:
    """Returns "CPU"."""
    return "CPU"


def set_default_logger_severity(severity: int) -> None:
    """Accepts a severity from 0 to 4. It has no effect: Convoy writes no log."""
    _integer("severity", severity, 0, 4)


def chosen_providers(providers) -> List[str]:
    """Returns the available providers of a list, whose entries are names or (name, options). Warns of the others."""
    if not providers:
        return list(_PROVIDERS)
    names = [entry if isinstance(entry, str) else entry[0] for entry in providers]
    missing = [name for name in names if name not in _PROVIDERS]
    if missing:
        warnings.warn(f"providers: {', '.join(map(repr, missing))} not available; available are "
                      f"{', '.join(map(repr, _PROVIDERS))}", UserWarning, stacklevel=4)
    return [name for name in names if name in _PROVIDERS] or ["CPUExecutionProvider"]


def build_arguments(options: Optional[object]) -> dict:
    """Returns the arguments of `convoy.compile` that session options mean. Accepts any object with these attributes."""
    if getattr(options, "optimized_model_filepath", ""):
        raise UnsupportedError("not supported: optimized_model_filepath: Convoy writes no optimized ONNX file; write a library "
                               "with convoy.compile(model).save(folder), and give its path to InferenceSession")
    threads = _integer("intra_op_num_threads", getattr(options, "intra_op_num_threads", 0) or 0, 0, 1024)
    dims = dict(getattr(options, "_dims", {}))
    return dict({"threads": threads}, **({"dim": dims} if dims else {}))


def check_run_options(options: Optional[object]) -> None:
    """Raises an error for options of a run that Convoy cannot honor."""
    if options is None:
        return
    if not hasattr(options, "terminate"):
        raise ArgumentTypeError(f"run_options: expected RunOptions, got {type(options).__name__}")
    if options.terminate:
        raise Error("the run did not start: run_options.terminate is set")
    if getattr(options, "training_mode", False):
        raise UnsupportedError("not supported: run_options.training_mode; Convoy runs inference, set it to False")

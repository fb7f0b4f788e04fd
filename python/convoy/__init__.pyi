import enum
import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Union

from convoy_runtime import ArgumentNameError as ArgumentNameError
from convoy_runtime import ArgumentTypeError as ArgumentTypeError
from convoy_runtime import ArgumentValueError as ArgumentValueError
from convoy_runtime import Error as Error
from convoy_runtime import InternalError as InternalError
from convoy_runtime import Model as Model
from convoy_runtime import OutOfMemoryError as OutOfMemoryError
from convoy_runtime import Problem as Problem
from convoy_runtime import Tensor as Tensor
from convoy_runtime import UnsupportedError as UnsupportedError
from convoy_runtime import load as load
from numpy import ndarray

from . import records as records

__version__: str

class CompiledModel(Model):
    warnings: List[Problem]
    @property
    def summary(self) -> Dict[str, Any]: ...
    def save(
        self,
        folder: Union[str, os.PathLike[str]],
        *,
        name: Optional[str] = None,
        weights: str = "linked",
        emit: str = "library",
        loops: str = "auto",
        io: str = "caller",
        max_ram: Optional[Union[int, str]] = None,
        max_flash: Optional[Union[int, str]] = None,
        with_test: bool = False,
        input: Optional[Mapping[str, Any]] = None,
    ) -> str: ...
    def report(self) -> str: ...

# From the table of options: compile. scripts/generate-docs.sh updates it.
def compile(
    model: Union[str, os.PathLike[str], bytes, Any],
    target: str = "host",
    threads: int = 1,
    records: Optional[Union[str, os.PathLike[str]]] = None,
    calibrate: Optional[Union[str, os.PathLike[str], Iterable[Mapping[str, Any]]]] = None,
    input_shape: Optional[Mapping[str, Sequence[int]]] = None,
    *,
    allow_toolchain: bool = False,
    optimize: Optional[str] = None,
    preprocess: Optional[str] = None,
    resize: Optional[Union[int, str]] = None,
    color: Optional[str] = None,
    mean: Optional[Union[float, Sequence[float]]] = None,
    std: Optional[Union[float, Sequence[float]]] = None,
    scale: Optional[Union[float, Sequence[float]]] = None,
    crop: Optional[str] = None,
    image_layout: Optional[str] = None,
    dim: Optional[Mapping[str, int]] = None,
    const: Optional[Mapping[str, Any]] = None,
    custom_ops: Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]]] = (),
    cpu: Optional[str] = None,
    place: str = "all",
    require_device: bool = False,
    name: Optional[str] = None,
    math: str = "fast",
    weight_limit: int = 0,
    integer: bool = True,
    bands: str = "default",
    grain: Union[float, str] = 2000,
    progress: Optional[Callable[[str, int, int], None]] = None,
) -> CompiledModel: ...
# End of the table of options.
# From the table of options: quantize. scripts/generate-docs.sh updates it.
def quantize(
    model: Union[str, os.PathLike[str], bytes, Any],
    data: Union[str, os.PathLike[str], Any],
    *,
    calibration_samples: Optional[int] = None,
    check_data: Optional[bool] = None,
    calibrate_share: Optional[str] = None,
    select_share: Optional[str] = None,
    max_drop: Optional[str] = None,
    attempts: Optional[int] = None,
    proof: Optional[bool] = None,
    ledger: Optional[Union[str, os.PathLike[str]]] = None,
    weight_bits: Optional[str] = None,
    ends: Optional[str] = None,
    max_wide: Optional[int] = None,
    wide: Optional[str] = None,
    min_4bit_share: Optional[str] = None,
    clipping: Optional[str] = None,
    rounding: Optional[str] = None,
    bias_correction: Optional[bool] = None,
    max_ram: Optional[Union[int, str]] = None,
    max_latency: Optional[Union[float, str]] = None,
    sensitivity_samples: Optional[int] = None,
    top: Optional[int] = None,
    jobs: Optional[int] = None,
    labels: Optional[Any] = None,
    samples: int = 0,
    calibration_data: Optional[Any] = None,
    plan: Optional[Any] = None,
    allow_unproven: bool = False,
    progress: Optional[Callable[[str, int, int], None]] = None,
    **build: Any,
) -> Quantization: ...
# End of the table of options.

class Quantization:
    warnings: List[Problem]
    @property
    def model(self) -> bytes: ...
    @property
    def plan(self) -> Dict[str, Any]: ...
    @property
    def result(self) -> Dict[str, Any]: ...
    def report(self) -> str: ...
    def save(self, path: Union[str, os.PathLike[str]]) -> str: ...

def check(
    model: Union[str, os.PathLike[str], bytes, Any],
    target: Union[str, Sequence[str]] = ("host",),
    *,
    input: Optional[Mapping[str, Any]] = None,
    golden: Union[str, Sequence[str]] = (),
    data: Optional[Any] = None,
    samples: int = 0,
    exact: bool = False,
    layer_errors: bool = False,
    **build: Any,
) -> Dict[str, Any]: ...
def explain(model: Union[str, os.PathLike[str], bytes, Any], target: str = "host", **build: Any) -> Dict[str, Any]: ...
def bench(
    model: Union[str, os.PathLike[str], bytes, Any],
    threads: Union[int, Sequence[int]] = 1,
    *,
    repetitions: int = 30,
    layers: bool = False,
    hot: bool = False,
    input: Optional[Mapping[str, Any]] = None,
    data: Optional[Any] = None,
    streams: int = 0,
    baseline: Optional[str] = None,
    baseline_library: Optional[Union[str, os.PathLike[str]]] = None,
    trace: Optional[Union[str, os.PathLike[str]]] = None,
    report: Optional[Union[str, os.PathLike[str]]] = None,
    output: Optional[Union[str, os.PathLike[str]]] = None,
    **build: Any,
) -> List[Dict[str, Any]]: ...
def run(
    model: Union[str, os.PathLike[str], bytes, Any],
    data: Union[str, os.PathLike[str], Any],
    *,
    labels: Optional[Any] = None,
    samples: int = 0,
    top: int = 5,
    metric: Optional[str] = None,
    jobs: int = 0,
    progress: Optional[Callable[[str, int, int], None]] = None,
    **build: Any,
) -> Dict[str, Any]: ...
def sweep(
    model: Union[str, os.PathLike[str], bytes, Any],
    target: str,
    *,
    pes: Union[int, Sequence[int]] = (),
    memory: Union[int, str, Sequence[Union[int, str]]] = (),
    parallel: Union[str, Sequence[str]] = (),
    tiling: Union[str, Sequence[str]] = (),
    depthwise: Union[str, Sequence[str]] = (),
    devices: Union[str, Sequence[str]] = (),
    report: Optional[Union[str, os.PathLike[str]]] = None,
    **build: Any,
) -> Dict[str, Any]: ...
def inspect(
    model: Union[str, os.PathLike[str], bytes, Any],
    *,
    input_shape: Optional[Mapping[str, Sequence[int]]] = None,
    dim: Optional[Mapping[str, int]] = None,
    const: Optional[Mapping[str, Any]] = None,
    custom_ops: Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]]] = (),
) -> Dict[str, Any]: ...

class TuneProgress:
    trials: int
    failed: int
    seconds: float
    seconds_left: Optional[float]
    tasks: int
    tasks_tried: int
    default_ms: float
    best_ms: float
    task: str

class Tuning:
    @property
    def result(self) -> Optional[Dict[str, Any]]: ...
    def __iter__(self) -> Iterator[TuneProgress]: ...
    def __next__(self) -> TuneProgress: ...
    def run(self) -> Dict[str, Any]: ...
    def cancel(self) -> None: ...

# From the table of options: tune. scripts/generate-docs.sh updates it.
def tune(
    model: Union[str, os.PathLike[str], bytes, Any],
    records: Union[str, os.PathLike[str]],
    *,
    trials: int = 0,
    time: Union[float, str] = 0,
    target_latency: Union[float, str] = 0,
    batch: int = 8,
    timeout: Union[float, str] = 10000,
    wait: Union[float, str] = 60,
    searcher: str = "mixed",
    seed: int = 0,
    threads: int = 1,
    **build: Any,
) -> Tuning: ...
# End of the table of options.

class GraphOptimizationLevel(enum.IntEnum):
    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99

class ExecutionMode(enum.IntEnum):
    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1

class ExecutionOrder(enum.IntEnum):
    DEFAULT = 0
    PRIORITY_BASED = 1

class SessionOptions:
    intra_op_num_threads: int
    inter_op_num_threads: int
    graph_optimization_level: GraphOptimizationLevel
    execution_mode: ExecutionMode
    execution_order: ExecutionOrder
    enable_profiling: bool
    profile_file_prefix: str
    optimized_model_filepath: str
    enable_cpu_mem_arena: bool
    enable_mem_pattern: bool
    enable_mem_reuse: bool
    use_deterministic_compute: bool
    log_severity_level: int
    log_verbosity_level: int
    logid: str
    def add_session_config_entry(self, key: str, value: str) -> None: ...
    def get_session_config_entry(self, key: str) -> str: ...
    def add_free_dimension_override_by_name(self, dim_name: str, dim_value: int) -> None: ...
    def add_free_dimension_override_by_denotation(self, dim_denotation: str, dim_value: int) -> None: ...
    def add_initializer(self, name: str, ort_value: object) -> None: ...
    def register_custom_ops_library(self, path: str) -> None: ...

class RunOptions:
    log_severity_level: int
    log_verbosity_level: int
    logid: str
    only_execute_path_to_fetches: bool
    terminate: bool
    training_mode: bool
    def add_run_config_entry(self, key: str, value: str) -> None: ...
    def get_run_config_entry(self, key: str) -> str: ...

class NodeArg(NamedTuple):
    name: str
    shape: Optional[List[Union[int, str, None]]]
    type: str

class ModelMetadata(NamedTuple):
    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: Dict[str, str]

class OrtValue:
    def __init__(self, value: Any, onnx_type: Optional[int] = None) -> None: ...
    @staticmethod
    def ortvalue_from_numpy(numpy_obj: ndarray, device_type: str = "cpu", device_id: int = 0) -> OrtValue: ...
    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data: ndarray, onnx_element_type: int) -> OrtValue: ...
    @staticmethod
    def ortvalue_from_shape_and_type(shape: Sequence[int], element_type: Any, device_type: str = "cpu", device_id: int = 0) -> OrtValue: ...
    def numpy(self) -> ndarray: ...
    def update_inplace(self, np_arr: ndarray) -> None: ...
    def shape(self) -> List[int]: ...
    def element_type(self) -> int: ...
    def data_type(self) -> str: ...
    def data_ptr(self) -> int: ...
    def device_name(self) -> str: ...
    def has_value(self) -> bool: ...
    def is_tensor(self) -> bool: ...
    def is_tensor_sequence(self) -> bool: ...
    def is_sparse_tensor(self) -> bool: ...

class IOBinding:
    def __init__(self, session: Any) -> None: ...
    def bind_cpu_input(self, name: str, arr_on_cpu: ndarray) -> None: ...
    def bind_input(self, name: str, device_type: str, device_id: int, element_type: Any, shape: Sequence[int], buffer_ptr: int) -> None: ...
    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None: ...
    def bind_output(
        self,
        name: str,
        device_type: str = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Optional[Sequence[int]] = None,
        buffer_ptr: Optional[int] = None,
    ) -> None: ...
    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None: ...
    def clear_binding_inputs(self) -> None: ...
    def clear_binding_outputs(self) -> None: ...
    def synchronize_inputs(self) -> None: ...
    def synchronize_outputs(self) -> None: ...
    def get_outputs(self) -> List[OrtValue]: ...
    def copy_outputs_to_cpu(self) -> List[Any]: ...

class InferenceSession:
    def __init__(
        self,
        path_or_bytes: Union[str, os.PathLike[str], bytes],
        sess_options: Optional[Any] = None,
        providers: Optional[Sequence[Any]] = None,
        provider_options: Optional[Sequence[Any]] = None,
        **build: Any,
    ) -> None: ...
    def get_inputs(self) -> List[NodeArg]: ...
    def get_outputs(self) -> List[NodeArg]: ...
    def get_overridable_initializers(self) -> List[NodeArg]: ...
    def get_modelmeta(self) -> ModelMetadata: ...
    def get_session_options(self) -> Any: ...
    def get_providers(self) -> List[str]: ...
    def get_provider_options(self) -> Dict[str, Dict[str, str]]: ...
    def set_providers(self, providers: Optional[Sequence[Any]] = None, provider_options: Optional[Sequence[Any]] = None) -> None: ...
    def disable_fallback(self) -> None: ...
    def enable_fallback(self) -> None: ...
    def io_binding(self) -> IOBinding: ...
    def run(self, output_names: Optional[Sequence[str]], input_feed: Mapping[str, Any], run_options: Optional[RunOptions] = None) -> List[Any]: ...
    def run_with_ort_values(
        self, output_names: Optional[Sequence[str]], input_dict_ort_values: Mapping[str, OrtValue], run_options: Optional[RunOptions] = None
    ) -> List[OrtValue]: ...
    def run_with_iobinding(self, iobinding: IOBinding, run_options: Optional[RunOptions] = None) -> None: ...
    def end_profiling(self) -> str: ...
    def get_profiling_start_time_ns(self) -> int: ...

def get_available_providers() -> List[str]: ...
def get_all_providers() -> List[str]: ...
def get_device() -> str: ...
def set_default_logger_severity(severity: int) -> None: ...

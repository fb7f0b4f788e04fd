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

__version__: str

class CompiledModel(Model):
    warnings: List[Problem]
    @property
    def summary(self) -> Dict[str, Any]: ...
    def save(self, folder: Union[str, os.PathLike[str]], *, name: Optional[str] = None, weights: str = "linked", emit: str = "library") -> str: ...

# From the table of options: compile. scripts/generate-docs.sh updates it.
def compile(
    model: Union[str, os.PathLike[str], bytes, Any],
    target: str = "host",
    threads: int = 0,
    records: Optional[Union[str, os.PathLike[str]]] = None,
    calibrate: Optional[Union[str, os.PathLike[str], Iterable[Mapping[str, Any]]]] = None,
    input_shapes: Optional[Mapping[str, Sequence[int]]] = None,
    *,
    dims: Optional[Mapping[str, int]] = None,
    constants: Optional[Mapping[str, Any]] = None,
    custom_ops: Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]]] = (),
    cpu: Optional[str] = None,
    place: str = "all",
    require_device: bool = False,
    name: Optional[str] = None,
    math: str = "fast",
    weight_limit: int = 0,
    integer: bool = True,
    localise: str = "default",
    grain_ns: float = 2000,
    progress: Optional[Callable[[str, int, int], None]] = None,
) -> CompiledModel: ...
# End of the table of options.
def check(
    model: Union[str, os.PathLike[str], bytes, Any],
    targets: Union[str, Sequence[str]] = ("host",),
    *,
    inputs: Optional[Mapping[str, Any]] = None,
    goldens: Union[str, Sequence[str]] = (),
    exact: bool = False,
    layers: bool = False,
    **build: Any,
) -> Dict[str, Any]: ...
def explain(model: Union[str, os.PathLike[str], bytes, Any], target: str = "host", **build: Any) -> Dict[str, Any]: ...
def bench(
    model: Union[str, os.PathLike[str], bytes, Any],
    threads: Union[int, Sequence[int]] = 1,
    *,
    samples: int = 30,
    layers: bool = False,
    hot: bool = False,
    **build: Any,
) -> List[Dict[str, Any]]: ...
def inspect(
    model: Union[str, os.PathLike[str], bytes, Any],
    *,
    input_shapes: Optional[Mapping[str, Sequence[int]]] = None,
    dims: Optional[Mapping[str, int]] = None,
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
    seconds: float = 0,
    target_ms: float = 0,
    batch: int = 8,
    timeout_ms: float = 10000,
    wait_seconds: float = 60,
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
    ORT_ENABLE_ALL = 99

class SessionOptions:
    intra_op_num_threads: int
    inter_op_num_threads: int
    graph_optimization_level: GraphOptimizationLevel
    enable_profiling: bool
    log_severity_level: int
    def add_session_config_entry(self, key: str, value: str) -> None: ...

class RunOptions: ...

class NodeArg(NamedTuple):
    name: str
    shape: List[Optional[int]]
    type: str

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
    def get_providers(self) -> List[str]: ...
    def run(self, output_names: Optional[Sequence[str]], input_feed: Mapping[str, Any], run_options: Any = None) -> List[Any]: ...

def get_available_providers() -> List[str]: ...
def get_device() -> str: ...

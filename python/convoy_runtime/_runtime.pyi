from typing import Any, Dict, Mapping, Optional, Tuple

import numpy

from ._tensor import Tensor

__version__: str

class Runner:
    name: str
    target: str
    features: str
    hash: str
    weights_hash: str
    records: str
    compiler: str
    threads: int
    workspace_bytes: int
    weights_bytes: int
    inputs: Tuple[Tensor, ...]
    outputs: Tuple[Tensor, ...]
    def __init__(self, source: object, hash: Optional[str] = ..., verify: bool = ...) -> None: ...
    def run(self, feed: Mapping[str, Any], out: Optional[Mapping[str, numpy.ndarray]] = None) -> Dict[str, numpy.ndarray]: ...

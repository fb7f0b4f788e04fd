import os
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

import numpy
from onnx import ModelProto, NodeProto
from onnx.backend.base import Backend, BackendRep

class ConvoyRep(BackendRep):
    def run(self, inputs: Union[Sequence[Any], Mapping[str, Any], numpy.ndarray], **kwargs: Any) -> Tuple[Any, ...]: ...

class ConvoyBackend(Backend):
    @classmethod
    def supports_device(cls, device: str) -> bool: ...
    @classmethod
    def is_compatible(cls, model: Union[ModelProto, bytes, str, os.PathLike[str]], device: str = "CPU", **kwargs: Any) -> bool: ...
    @classmethod
    def prepare(cls, model: Union[ModelProto, bytes, str, os.PathLike[str]], device: str = "CPU", **kwargs: Any) -> ConvoyRep: ...
    @classmethod
    def run_model(
        cls, model: Union[ModelProto, bytes, str, os.PathLike[str]], inputs: Any, device: str = "CPU", **kwargs: Any
    ) -> Tuple[Any, ...]: ...
    @classmethod
    def run_node(
        cls,
        node: NodeProto,
        inputs: Sequence[Any],
        device: str = "CPU",
        outputs_info: Optional[Sequence[Tuple[numpy.dtype, Tuple[int, ...]]]] = None,
        opset_version: Optional[int] = None,
        **kwargs: Any,
    ) -> Tuple[Any, ...]: ...

supports_device = ConvoyBackend.supports_device
is_compatible = ConvoyBackend.is_compatible
prepare = ConvoyBackend.prepare
run_model = ConvoyBackend.run_model
run_node = ConvoyBackend.run_node

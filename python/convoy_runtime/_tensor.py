# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The description of an input or an output, and the NumPy type of each element type."""

from dataclasses import dataclass
from typing import Optional, Tuple

import numpy

# By ONNX TensorProto.DataType: the name of the type, its name in ONNX Runtime, and the NumPy type.
# NumPy has no type for the last rows: the array holds the bits, one byte per narrow element.
_TYPES = {
    1: ("float32", "float", "float32"),
    2: ("uint8", "uint8", "uint8"),
    3: ("int8", "int8", "int8"),
    4: ("uint16", "uint16", "uint16"),
    5: ("int16", "int16", "int16"),
    6: ("int32", "int32", "int32"),
    7: ("int64", "int64", "int64"),
    8: ("string", "string", "object"),
    9: ("bool", "bool", "bool"),
    10: ("float16", "float16", "float16"),
    11: ("float64", "double", "float64"),
    12: ("uint32", "uint32", "uint32"),
    13: ("uint64", "uint64", "uint64"),
    14: ("complex64", "complex64", "complex64"),
    15: ("complex128", "complex128", "complex128"),
    16: ("bfloat16", "bfloat16", "uint16"),
    17: ("float8_e4m3fn", "float8e4m3fn", "uint8"),
    18: ("float8_e4m3fnuz", "float8e4m3fnuz", "uint8"),
    19: ("float8_e5m2", "float8e5m2", "uint8"),
    20: ("float8_e5m2fnuz", "float8e5m2fnuz", "uint8"),
    21: ("uint4", "uint4", "uint8"),
    22: ("int4", "int4", "int8"),
    23: ("float4_e2m1fn", "float4e2m1", "uint8"),
    24: ("float8_e8m0fnu", "float8e8m0", "uint8"),
    25: ("uint2", "uint2", "uint8"),
    26: ("int2", "int2", "int8"),
}


@dataclass(frozen=True)
class Tensor:
    """An input or an output of a model.

    shape: -1 for an open dimension; None if the rank is unknown. The maximum for a size of an output
        that depends on data; the array of a run has the actual size.
    onnx_type: the number of the element type, ONNX TensorProto.DataType; 0 for a value that is no
        tensor (a sequence or an optional).
    bytes: size of the buffer in a compiled model; 0 if the model has no buffer.
    scales, zero_points: of a quantized tensor, one entry or one entry per index of `scale_axis`; None
        if the tensor is not quantized.
    alias: the output (of an input) or the input (of an output) that may use the same buffer, or None.
    """

    name: str
    onnx_type: int
    shape: Optional[Tuple[int, ...]]
    bytes: int = 0
    scales: Optional[Tuple[float, ...]] = None
    zero_points: Optional[Tuple[int, ...]] = None
    scale_axis: Optional[int] = None
    alias: Optional[str] = None

    @property
    def element_type(self) -> str:
        """The name of the element type: "float32", "bfloat16", "int4"; "" if this is no tensor."""
        return _TYPES[self.onnx_type][0] if self.onnx_type in _TYPES else ""

    @property
    def type(self) -> str:
        """The type as ONNX Runtime writes it: "tensor(float)"."""
        return f"tensor({_TYPES[self.onnx_type][1]})" if self.onnx_type in _TYPES else ""

    @property
    def dtype(self) -> Optional[numpy.dtype]:
        """The NumPy type of an array for this tensor; None if this is no tensor.

        NumPy has no bfloat16, no 8-bit floats and no 4-bit types. Such an array holds the bits of
        the elements: uint16 for bfloat16, uint8 for 8-bit floats, one byte per element (uint8 or
        int8) for narrower types. Convoy also accepts arrays of the package ml_dtypes.
        """
        return numpy.dtype(_TYPES[self.onnx_type][2]) if self.onnx_type in _TYPES else None

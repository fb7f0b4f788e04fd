# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values and bindings of ONNX Runtime's interface, for InferenceSession."""

import ctypes
from typing import Any, Dict, List, Optional, Sequence

import numpy
from convoy_runtime import ArgumentNameError, ArgumentTypeError, ArgumentValueError, Error, Tensor
from convoy_runtime._tensor import _TYPES
from numpy import ndarray

_STRING = 8


def _check_device(device_type: str, device_id: int) -> None:
    if device_type != "cpu" or device_id != 0:
        raise ArgumentValueError(f"device_type: expected 'cpu' with device_id 0, got '{device_type}' with {device_id}; arrays are in the "
                                 "memory of the CPU, also for a device that target= names")


def _onnx_type_of(dtype: numpy.dtype) -> int:
    """Returns ONNX's number of a NumPy type. Types of the package ml_dtypes have the names of ONNX."""
    name = "string" if dtype.kind in "OUS" else dtype.name
    for number, (text, _, _) in _TYPES.items():
        if text == name:
            return number
    raise ArgumentTypeError(f"ONNX has no element type for arrays of {dtype}; convert the array with array.astype(numpy.float32)")


def _dtype_of(element_type: Any) -> numpy.dtype:
    """Returns the NumPy type of a NumPy type or of ONNX's number of a type."""
    dtype = Tensor("", element_type, None).dtype if isinstance(element_type, int) else numpy.dtype(element_type)
    if dtype is None:
        raise ArgumentValueError(f"element_type: expected a NumPy type or ONNX's number of a type, got {element_type!r}")
    return dtype


def _array_at(address: int, dtype: numpy.dtype, shape: Sequence[int]) -> ndarray:
    """Returns an array at an address, which the caller keeps alive."""
    count = int(numpy.prod(shape, dtype=numpy.int64))
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    return numpy.frombuffer(memory, dtype).reshape(shape) if count else numpy.empty(shape, dtype)


class OrtValue:
    """A value on the CPU: a tensor, a list of tensors, or None for an absent optional.

    `ortvalue_from_numpy` uses the memory of the array. `numpy` returns a copy.
    """

    def __init__(self, value: Any, onnx_type: Optional[int] = None):
        self._value = value
        is_tensor = isinstance(value, ndarray)
        self._onnx_type = onnx_type or (_onnx_type_of(value.dtype) if is_tensor else 0)

    @staticmethod
    def ortvalue_from_numpy(numpy_obj: ndarray, device_type: str = "cpu", device_id: int = 0) -> "OrtValue":
        """Returns a value that uses the memory of an array."""
        _check_device(device_type, device_id)
        return OrtValue(numpy.asarray(numpy_obj))

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data: ndarray, onnx_element_type: int) -> "OrtValue":
        """Returns a value of an ONNX type that NumPy lacks; the array holds the bits of the elements."""
        dtype = _dtype_of(onnx_element_type)
        data = numpy.asarray(data)
        if data.dtype.itemsize != dtype.itemsize:
            raise ArgumentTypeError(f"data: expected elements of {dtype.itemsize} bytes for ONNX type {onnx_element_type}, got {data.dtype}")
        return OrtValue(data.view(dtype), onnx_element_type)

    @staticmethod
    def ortvalue_from_shape_and_type(shape: Sequence[int], element_type: Any, device_type: str = "cpu",
                                     device_id: int = 0) -> "OrtValue":
        """Returns a value with memory of its own, filled with zeros."""
        _check_device(device_type, device_id)
        return OrtValue(numpy.zeros(tuple(shape), _dtype_of(element_type)), element_type if isinstance(element_type, int) else None)

    def _tensor(self) -> ndarray:
        if not isinstance(self._value, ndarray):
            raise Error(f"the value is no tensor: it is {'absent' if self._value is None else 'a sequence'}")
        return self._value

    def numpy(self) -> ndarray:
        """Returns a copy of the tensor."""
        return self._tensor().copy()

    def update_inplace(self, np_arr: ndarray) -> None:
        """Copies an array of the same shape and type into the tensor."""
        tensor, array = self._tensor(), numpy.asarray(np_arr)
        if (array.shape, array.dtype) != (tensor.shape, tensor.dtype):
            raise ArgumentValueError(f"np_arr: expected {tensor.dtype} {list(tensor.shape)}, got {array.dtype} {list(array.shape)}")
        tensor[...] = array

    def shape(self) -> List[int]:
        """Returns the shape of the tensor."""
        return list(self._tensor().shape)

    def element_type(self) -> int:
        """Returns ONNX's number of the element type."""
        self._tensor()
        return self._onnx_type

    def data_type(self) -> str:
        """Returns the type as ONNX Runtime writes it: "tensor(float)"."""
        self._tensor()
        return Tensor("", self._onnx_type, None).type

    def data_ptr(self) -> int:
        """Returns the address of the first element."""
        return self._tensor().ctypes.data

    def device_name(self) -> str:
        """Returns "cpu"."""
        return "cpu"

    def has_value(self) -> bool:
        """Returns whether the value is present; an absent optional is not."""
        return self._value is not None

    def is_tensor(self) -> bool:
        """Returns whether the value is a tensor."""
        return isinstance(self._value, ndarray)

    def is_tensor_sequence(self) -> bool:
        """Returns whether the value is a list of tensors."""
        return isinstance(self._value, list)

    def is_sparse_tensor(self) -> bool:
        """Returns False: Convoy has no sparse tensors."""
        return False


def array_of(value: Any) -> Any:
    """Returns the content of an OrtValue, and every other value as it is."""
    return value._value if isinstance(value, OrtValue) else value


class IOBinding:
    """Inputs and outputs of a session by name, for `InferenceSession.run_with_iobinding`.

    A run reads bound inputs and writes bound outputs without a copy. An output without memory gets a new
    array at each run.
    """

    def __init__(self, session: Any):
        self._known = {"input": [value.name for value in session.get_inputs()],
                       "output": [value.name for value in session.get_outputs()]}
        self._inputs: Dict[str, Any] = {}
        self._outputs: Dict[str, Optional[OrtValue]] = {}  # None: the run allocates the output
        self._results: Dict[str, OrtValue] = {}

    def _check_name(self, kind: str, name: str) -> None:
        if name not in self._known[kind]:
            known = ", ".join(f"'{other}'" for other in self._known[kind])
            raise ArgumentNameError(f"the model has no {kind} '{name}'; its {kind}s are {known}")

    def bind_cpu_input(self, name: str, arr_on_cpu: ndarray) -> None:
        """Binds an input to an array."""
        self._check_name("input", name)
        self._inputs[name] = arr_on_cpu

    def bind_input(self, name: str, device_type: str, device_id: int, element_type: Any, shape: Sequence[int],
                   buffer_ptr: int) -> None:
        """Binds an input to memory at an address, which must stay valid until the run ends."""
        _check_device(device_type, device_id)
        self.bind_cpu_input(name, _array_at(buffer_ptr, _dtype_of(element_type), shape))

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """Binds an input to an OrtValue."""
        self.bind_cpu_input(name, array_of(ortvalue))

    def bind_output(self, name: str, device_type: str = "cpu", device_id: int = 0, element_type: Any = None,
                    shape: Optional[Sequence[int]] = None, buffer_ptr: Optional[int] = None) -> None:
        """Binds an output to memory at an address; without an address, to a new array at each run."""
        self._check_name("output", name)
        _check_device(device_type, device_id)
        if buffer_ptr is None:
            self._outputs[name] = None
            return
        if element_type is None or shape is None:
            raise ArgumentValueError("buffer_ptr: expected also element_type and shape of the memory")
        self._outputs[name] = OrtValue(_array_at(buffer_ptr, _dtype_of(element_type), shape),
                                       element_type if isinstance(element_type, int) else None)

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """Binds an output to an OrtValue; the run writes its memory."""
        self._check_name("output", name)
        ortvalue._tensor()
        self._outputs[name] = ortvalue

    def clear_binding_inputs(self) -> None:
        """Removes all bound inputs."""
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Removes all bound outputs and the results of the last run."""
        self._outputs.clear()
        self._results.clear()

    def synchronize_inputs(self) -> None:
        """Returns at once: the memory of the CPU needs no synchronization."""

    def synchronize_outputs(self) -> None:
        """Returns at once: a run has ended when it returns."""

    def get_outputs(self) -> List[OrtValue]:
        """Returns the bound outputs of the last run, in the order of their binding."""
        return [self._results[name] for name in self._outputs if name in self._results]

    def copy_outputs_to_cpu(self) -> List[Any]:
        """Returns copies of the bound outputs of the last run, in the order of their binding."""
        return [value.numpy() if value.is_tensor() else value._value for value in self.get_outputs()]

    def _memory(self) -> Dict[str, ndarray]:
        """Returns the arrays of outputs with memory."""
        return {name: value._tensor() for name, value in self._outputs.items() if value is not None}

    def _finish(self, results: Dict[str, Any]) -> None:
        self._results = {name: OrtValue(results[name]) if value is None else value for name, value in self._outputs.items()}

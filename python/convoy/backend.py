# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convoy as a backend of ONNX's `onnx.backend` interface. Needs the package onnx, any version.

    import convoy.backend

    outputs = convoy.backend.run_model(model, [image])

A backend learns the shapes of its inputs when it runs. `prepare` therefore compiles nothing; the first
run with each combination of shapes compiles the model. A model whose shapes depend on the value of an
input, such as the `shape` of Reshape, is compiled for that value. The backend does not call ONNX's
checker, which refuses operators that are newer than the installed package; the compiler has its own.
"""

import threading

import numpy
import onnx
from convoy_runtime import ArgumentNameError, ArgumentTypeError, UnsupportedError
from onnx.backend.base import Backend, BackendRep, namedtupledict

from . import _compiler
from ._compile import _loaded
from ._keywords import renamed
from ._options import make_request
from ._verbs import inspect

# An input with more elements or a higher rank is data and stays an input.
_MAX_BOUND_ELEMENTS = 64
_MAX_BOUND_RANK = 1
# ONNX's TensorProto.DataType: signed and unsigned integers, without bool.
_INTEGERS = frozenset({2, 3, 4, 5, 6, 7, 12, 13, 21, 22, 25, 26})
_STRING = 8
# Models that one representation keeps, by shapes and bound values.
_KEPT_MODELS = 16


def _inner_shapes(name, value):
    """Returns the shapes of the tensors in a list of arrays or an optional value. [] is {"x[]": [0]}, None is {}."""
    if value is None:
        return {}
    if not isinstance(value, (list, tuple)):
        return {name: list(numpy.shape(value))}
    shapes = {} if value else {f"{name}[]": [0]}
    for i, entry in enumerate(value):
        shapes.update(_inner_shapes(f"{name}[{i}]", entry))
    return shapes


def _value_key(value):
    array = numpy.asarray(value)
    return array.dtype.str, array.shape, array.tobytes()


class ConvoyRep(BackendRep):
    """A prepared model. `run` takes the inputs in order, or by name, and returns the outputs in order.

    A sequence is a list of arrays, an absent optional is None, strings are arrays of objects.
    """

    def __init__(self, source, graph, build):
        initialized = {tensor.name for tensor in graph.initializer}
        self._declared = [value.name for value in graph.input]
        self._free = [name for name in self._declared if name not in initialized]
        self._outputs = [value.name for value in graph.output]
        self._source = source
        self._build = dict({"threads": 0, "integer": False}, **build)
        inputs, _ = _compiler.signature(make_request(self._source, **self._build))
        self._types = {tensor.name: tensor.onnx_type for tensor in inputs}
        self._lock = threading.Lock()
        self._bound = {}   # names of the inputs to bind, by shapes
        self._models = {}  # by shapes and bound values

    def run(self, inputs, **kwargs):
        """Runs the model; compiles it first if these shapes are new."""
        feed = self._feed(inputs)
        model = self._model_for(feed)
        wanted = {tensor.name for tensor in model.inputs}
        results = model.run({name: value for name, value in feed.items() if name in wanted})
        return namedtupledict("Outputs", self._outputs)(*(results[name] for name in self._outputs))

    def _feed(self, inputs):
        """Returns the inputs by name. A list holds the inputs without an initializer, or all inputs."""
        if hasattr(inputs, "items"):
            return dict(inputs.items())
        if isinstance(inputs, numpy.ndarray):
            inputs = [inputs]
        if not isinstance(inputs, (list, tuple)):
            raise ArgumentTypeError(f"inputs: expected a list or a dictionary, got {type(inputs).__name__}")
        names = self._free if len(inputs) <= len(self._free) else self._declared
        if len(inputs) > len(names):
            raise ArgumentNameError(f"inputs: the model has {len(names)} inputs, got {len(inputs)}")
        return dict(zip(names, inputs))

    def _shapes(self, feed):
        """Returns the shapes of the tensors, also of those in sequences and optionals: {"x[1]": shape}."""
        shapes = {}
        for name, value in feed.items():
            if self._types.get(name):
                shapes[name] = list(numpy.shape(value))
            elif name in self._types:
                shapes.update(_inner_shapes(name, value))
        return shapes

    def _request(self, feed, bound):
        shapes = {**self._build.get("input_shape", {}), **self._shapes(feed)}
        constants = {**self._build.get("const", {}), **{name: feed[name] for name in bound}}
        return make_request(self._source, **dict(self._build, input_shape=shapes, const=constants))

    def _model_for(self, feed):
        shapes = tuple(sorted((name, tuple(shape)) for name, shape in self._shapes(feed).items()))
        with self._lock:
            if shapes not in self._bound:
                self._bound[shapes] = self._names_to_bind(feed)
            bound = self._bound[shapes]
            key = shapes, tuple(_value_key(feed[name]) for name in bound)
            if key not in self._models:
                model = _loaded(self._request(feed, bound))
                if len(self._models) >= _KEPT_MODELS:
                    self._models.pop(next(iter(self._models)))
                self._models[key] = model
            return self._models[key]

    def _names_to_bind(self, feed):
        """Returns the smallest set of small inputs whose values make every shape static, integers before
        other types; no input if no set does. The reference runs open shapes and needs no binding."""
        def is_static(names):
            return _compiler.is_static(self._request(feed, names))

        if self._build.get("target") == "reference" or is_static([]):
            return []
        for only_integers in (True, False):
            names = [name for name in sorted(feed) if self._is_bindable(name, feed[name], only_integers)]
            if names and is_static(names):
                return self._smallest(names, is_static)
        return []

    def _is_bindable(self, name, value, only_integers):
        kind = self._types.get(name, 0)
        if kind in (0, _STRING):
            return False
        is_small = numpy.ndim(value) <= _MAX_BOUND_RANK and numpy.size(value) <= _MAX_BOUND_ELEMENTS
        return is_small and (not only_integers or kind in _INTEGERS)

    @staticmethod
    def _smallest(names, is_static):
        """Removes each input whose value is not needed."""
        for name in list(names):
            fewer = [other for other in names if other != name]
            if is_static(fewer):
                names = fewer
        return names


def _types_of(arrays):
    """Returns ONNX's type of each array of a node test."""
    from onnx import mapping
    return [mapping.NP_TYPE_TO_TENSOR_TYPE[numpy.asarray(array).dtype] for array in arrays]


class ConvoyBackend(Backend):
    """The class that ONNX's test runner takes: onnx.backend.test.BackendTest(convoy.backend)."""

    @classmethod
    def supports_device(cls, device):
        """Returns whether `device` is the CPU. A device of Convoy is an argument: prepare(model, target="nvdla-small")."""
        return device.split(":")[0] == "CPU"

    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        """Returns False if Convoy does not support an operator of the model."""
        if not cls.supports_device(device):
            return False
        try:
            inspect(model)
        except UnsupportedError:
            return False
        return True

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        """Returns a model whose `run` compiles it for the shapes of its inputs.

        model: an onnx.ModelProto, its bytes, or the path of a file. kwargs: arguments of `convoy.compile`.
        """
        kwargs = renamed("compile", kwargs)
        if not cls.supports_device(device):
            raise UnsupportedError(f"not supported: device '{device}'; use 'CPU', and target= for a device of Convoy")
        if isinstance(model, (bytes, bytearray)):
            return ConvoyRep(model, onnx.ModelProto.FromString(bytes(model)).graph, kwargs)
        if isinstance(model, onnx.ModelProto):
            return ConvoyRep(model.SerializeToString(), model.graph, kwargs)
        return ConvoyRep(model, onnx.load(model, load_external_data=False).graph, kwargs)

    @classmethod
    def run_model(cls, model, inputs, device="CPU", **kwargs):
        """Prepares a model and runs it once."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, opset_version=None, **kwargs):
        """Runs one node.

        outputs_info: type and shape of each output, which the compiler infers without it.
        opset_version: of ONNX's own operators (default: the newest that the installed onnx knows).
        """
        names = [name for name in node.input if name]
        values = [onnx.helper.make_tensor_value_info(name, kind, numpy.shape(array))
                  for name, kind, array in zip(names, _types_of(inputs), inputs)]
        outputs = []
        for i, name in enumerate(node.output):
            info = onnx.ValueInfoProto(name=name)
            if outputs_info is not None:
                dtype, shape = outputs_info[i]
                info = onnx.helper.make_tensor_value_info(name, _types_of([numpy.empty(0, dtype)])[0], shape)
            if name:
                outputs.append(info)
        graph = onnx.helper.make_graph([node], "node", values, outputs)
        version = opset_version or onnx.defs.onnx_opset_version()
        opsets = [onnx.helper.make_opsetid("", version)]
        if node.domain not in ("", "ai.onnx"):
            opsets.append(onnx.helper.make_opsetid(node.domain, 1))
        return cls.run_model(onnx.helper.make_model(graph, opset_imports=opsets), dict(zip(names, inputs)), device, **kwargs)


supports_device = ConvoyBackend.supports_device
is_compatible = ConvoyBackend.is_compatible
prepare = ConvoyBackend.prepare
run_model = ConvoyBackend.run_model
run_node = ConvoyBackend.run_node

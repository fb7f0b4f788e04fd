# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes cases of the test data of ONNX, of the suites of tests/conformance and of whole models."""

import importlib
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from oracle_case import Case, LazyCase

# ONNX does not define the numbers that these ops draw.
RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
TESTS = pathlib.Path(__file__).resolve().parents[1]
BITS = {16: np.uint16, 17: np.uint8, 18: np.uint8, 19: np.uint8, 20: np.uint8}


def array_of(tensor):
    """Returns the array of a TensorProto. NumPy lacks some types: their arrays hold bits."""
    if tensor.data_type not in BITS:
        return numpy_helper.to_array(tensor)
    dtype = BITS[tensor.data_type]
    data = np.frombuffer(tensor.raw_data, dtype) if tensor.raw_data else np.array(tensor.int32_data, dtype)
    return data.reshape(tuple(tensor.dims))


def op_of(model):
    """Returns the row of the table of tolerances of a model."""
    nodes = model.graph.node
    if len(nodes) != 1 or any(a.type in (5, 10) for a in nodes[0].attribute):
        return "graph"
    return f"{nodes[0].domain}::{nodes[0].op_type}" if nodes[0].domain not in ("", "ai.onnx") else nodes[0].op_type


def clear_types(model):
    """Removes the declared types of the outputs, so that each program infers them."""
    for value in model.graph.output:
        value.ClearField("type")
    return model


def read_tensors(model, folder):
    """Returns the inputs of a test of ONNX by name, or None if an input is no tensor or has a type that the test
    does not read."""
    initialized = {tensor.name for tensor in model.graph.initializer}
    inputs = {}
    names = [value for value in model.graph.input if value.name not in initialized]
    for k, value in enumerate(names):
        path = folder / f"input_{k}.pb"
        if not value.type.HasField("tensor_type") or not path.exists():
            return None
        tensor = TensorProto()
        tensor.ParseFromString(path.read_bytes())
        if tensor.data_type not in (*range(1, 14), *BITS):
            return None
        inputs[value.name] = array_of(tensor)
    return inputs


def has_odd(inputs):
    """Returns whether an input has a NaN, an infinity or a huge number."""
    floats = [array for array in inputs.values() if array.dtype.kind == "f" and array.size]
    with np.errstate(invalid="ignore"):
        return any(not (np.abs(array.astype(np.float64)) < 1e30).all() for array in floats)


def onnx_cases(folder, text):
    """Returns the cases of a folder of ONNX's node tests, and how many tests draw random numbers or have other inputs
    than tensors."""
    cases, others = [], 0
    for path in sorted(pathlib.Path(folder).glob("*/model.onnx")):
        model = onnx.load(str(path))
        inputs = read_tensors(model, path.parent / "test_data_set_0")
        is_random = any(node.op_type in RANDOM for node in model.graph.node)
        if is_random or inputs is None or any(not value.type.HasField("tensor_type") for value in model.graph.output):
            others += 1
            continue
        cases.append(Case(f"data/{text}/{path.parent.name}", op_of(model), model, inputs, has_odd(inputs)))
    return cases, others


def modules_of(folder):
    """Returns the module `suite` of a folder of tests/conformance. The folders have modules of the same names."""
    path = TESTS / "conformance" / folder
    own = {file.stem for file in path.glob("*.py")}
    for name in own:
        sys.modules.pop(name, None)
    sys.path.insert(0, str(path))
    suite = importlib.import_module("suite")
    found = {name: importlib.import_module(name) for name in sorted(own - {"optimized", "templates"})}
    sys.path.pop(0)
    for name in own:
        sys.modules.pop(name, None)
    return suite, found


def opset_cases():
    suite, modules = modules_of("opsets")
    for name, module in modules.items():
        for case in module.cases() if hasattr(module, "cases") else ():
            model, arrays = suite.model_of(case)
            yield case.name, clear_types(model), arrays


def contrib_cases():
    suite, modules = modules_of("contrib")
    for name, module in modules.items():
        for case in module.cases() if hasattr(module, "cases") and name != "suite" else ():
            if case.peer is None:
                model, arrays, _ = suite.build(case, None)
                yield case.name, model, arrays


def learning_cases():
    suite, modules = modules_of("learning")
    for name, module in modules.items():
        for case in module.cases() if hasattr(module, "cases") and name != "suite" else ():
            model, _ = suite.build(case, None)
            yield case.name, model, case.inputs


def conformance_cases():
    """Returns the cases of the suites of tests/conformance. The oracle does not use their expected outputs."""
    cases = []
    for text, found in (("opsets", opset_cases()), ("contrib", contrib_cases()), ("learning", learning_cases())):
        for name, model, arrays in found:
            inputs = dict(zip([value.name for value in model.graph.input], arrays))
            cases.append(Case(f"suite/{text}/{name}", op_of(model), model, inputs, has_odd(inputs)))
    return cases


def model_case(path, folder):
    model = onnx.load(str(path))
    inputs = read_tensors(model, folder)
    if inputs is None:
        raise ValueError(f"{folder} does not have the inputs of the model")
    return Case(f"model/{path.stem}", "model", clear_types(model), inputs)


def model_cases(shared):
    """Returns the cases of the models in ../shared/models, with the first inputs of each."""
    cases = []
    for path in sorted((shared / "models/onnx").glob("*.onnx")):
        folders = sorted((shared / "models/testdata" / path.stem).glob("*"))
        if folders:
            cases.append(LazyCase(f"model/{path.stem}", "model", lambda path=path, folder=folders[0]: model_case(path, folder)))
    return cases

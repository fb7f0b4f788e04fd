# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the cases of the benchmark networks (bench/make_models.py) and of the zoo (bench/zoo/make_kinds.py), with random
weights and inputs. A case builds its network when it runs, because all networks together exceed the memory."""

import pathlib
import sys

import numpy as np
from oracle_case import Case, LazyCase, random

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
# The reference computes a network of this size in about a minute on a busy machine. Larger networks run on the host only.
REFERENCE_GFLOP = 2.0
# Larger networks repeat the layers of smaller ones.
MOST_GFLOP = 12.0
# make_kinds.py: integer inputs may be any number from 0 to 9.
INTEGERS = 10


def inputs_of(model):
    """Returns random inputs of a model by name."""
    rng = random("network", model.graph.name)
    initialized = {tensor.name for tensor in model.graph.initializer}
    inputs = {}
    for value in model.graph.input:
        if value.name in initialized:
            continue
        kind = value.type.tensor_type
        shape = [dim.dim_value for dim in kind.shape.dim]
        dtype = {1: np.float32, 2: np.uint8, 6: np.int32, 7: np.int64, 9: np.bool_, 10: np.float16}[kind.elem_type]
        is_float = np.dtype(dtype).kind == "f"
        inputs[value.name] = (rng.uniform(-1, 1, shape) if is_float else rng.integers(0, INTEGERS, shape)).astype(dtype)
    return inputs


def case_of(name, make):
    model = make()
    return Case(name, "model", model, inputs_of(model))


def lazy(name, gflop, make):
    targets = ("reference", "host") if gflop <= REFERENCE_GFLOP else ("host",)
    return LazyCase(f"network/{name}", "model", lambda: case_of(f"network/{name}", make), targets)


def benchmark_cases():
    import make_models

    changes = {"": lambda model: model, make_models.DYNAMIC: make_models.quantize_dynamic, make_models.INT8: make_models.quantize}
    builders = {builder.__name__: builder for builder in make_models.NETWORKS}
    for name in [*builders, *make_models.QUANTIZED]:
        suffix = next(suffix for suffix in (make_models.DYNAMIC, make_models.INT8, "") if name.endswith(suffix))
        builder = builders[name.removesuffix(suffix)]
        net, _ = builder()
        if 2e-9 * net.macs <= MOST_GFLOP:
            yield lazy(name, 2e-9 * net.macs, lambda builder=builder, change=changes[suffix]: change(model_of(*builder())))


def zoo_cases():
    from zoo import make_kinds

    for name in make_kinds.KINDS:
        net, _ = make_kinds.build(name)
        if 2e-9 * net.macs <= MOST_GFLOP:
            yield lazy(name, 2e-9 * net.macs, lambda name=name: model_of(*make_kinds.build(name)))


def model_of(net, outputs):
    return net.model(outputs)


def network_cases():
    """Returns the cases of all networks up to MOST_GFLOP."""
    sys.path.insert(0, str(BENCH))
    return [*benchmark_cases(), *zoo_cases()]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Defines Case: one node, its inputs and its expected outputs."""

import dataclasses

import numpy as np


@dataclasses.dataclass
class Case:
    name: str
    op: str
    opset: int
    inputs: list  # None for an optional input that the node omits
    outputs: list
    attributes: dict = dataclasses.field(default_factory=dict)
    is_open: bool = False  # whether all dimensions but the last depend on data
    hides_rank: bool = False  # whether the model does not declare the ranks of inputs
    constants: tuple = ()  # indices of inputs that are initializers


def random(*shape, seed=0, dtype=np.float32):
    """Returns random numbers in [-1, 1)."""
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)

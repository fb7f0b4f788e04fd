# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One node, its inputs and what it must give."""

import dataclasses

import numpy as np


@dataclasses.dataclass
class Case:
    name: str
    op: str
    opset: int
    inputs: list  # None where the node leaves one out
    outputs: list
    attributes: dict = dataclasses.field(default_factory=dict)
    is_open: bool = False  # whether dimensions, but for the last, depend on data
    hides_rank: bool = False  # whether the model does not even tell the ranks of inputs
    constants: tuple = ()  # which inputs are initializers instead


def random(*shape, seed=0, dtype=np.float32):
    """Numbers in [-1, 1)."""
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)

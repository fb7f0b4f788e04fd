# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of functions that make the cases of each op, and the collector that they fill.

A function of a row gets a Maker of one op at one opset. It calls the maker once per case."""

import numpy as np

from odd_values import mixed, normal
from oracle_case import one_node, random

ROWS = {}


def row(*ops, domain=""):
    """Adds a function to the rows of ops."""

    def add(function):
        for op in ops:
            ROWS.setdefault((domain, op), []).append(function)
        return function

    return add


class Maker:
    """Makes the cases of an op at an opset. `is_newest`: no later opset of the op is tested."""

    def __init__(self, op, opset, is_newest, domain=""):
        self.op, self.opset, self.is_newest, self.domain = op, opset, is_newest, domain
        self.rng = random(domain, op, opset)
        self.cases, self.names = [], {}

    def __call__(self, values, attributes=None, text="", **options):
        key = f"{self.op}_{self.opset}" + (f"_{text}" if text else "")
        self.names[key] = self.names.get(key, 0) + 1
        key += f"_{self.names[key]}" if self.names[key] > 1 else ""
        opset = 21 if self.domain else self.opset
        name = f"op/{self.domain + '.' if self.domain else ''}{key}"
        self.cases.append(one_node(name, self.op, opset, values, attributes, domain=self.domain,
                                   version=self.opset if self.domain else 1, **options))

    def odd(self, values, attributes=None, text="odd", **options):
        self(values, attributes, text, is_odd=True, **options)

    # Random arrays.

    def x(self, *shape, dtype=np.float32, scale=2.0):
        return normal(self.rng, shape, dtype, scale)

    def strange(self, *shape, dtype=np.float32, share=0.2, values=None):
        return mixed(self.rng, shape, dtype, share, values)

    def ints(self, low, high, *shape, dtype=np.int64):
        return self.rng.integers(low, high, shape).astype(dtype)


def i64(*values):
    return np.array(values, np.int64)


def f32(*values):
    return np.array(values, np.float32)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for tree ensembles: modes, depths, missing values, aggregates, and the corner cases of
classifiers of two classes."""

import itertools

import numpy as np
from case import Case, Random
from onnx import numpy_helper

TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")


class Forest:
    """Grows random trees in the form of version 1."""

    def __init__(self, r, features, modes=MODES[:1], chance=1.0, is_grid=False, missing=False):
        self.r, self.features, self.modes, self.chance = r, features, modes, chance
        self.is_grid, self.missing = is_grid, missing
        self.nodes, self.leaves, self.trees = [], [], 0

    def grow(self, depth):
        self.count = 0
        self.branch(depth)
        self.trees += 1
        return self

    def branch(self, depth):
        """Adds a node and the nodes below it, and returns its number."""
        own, self.count = self.count, self.count + 1
        at = len(self.nodes)
        self.nodes.append(None)
        if depth == 0 or (own > 0 and self.r.rng.uniform() > self.chance):
            self.nodes[at] = (self.trees, own, 0, 0.0, "LEAF", 0, 0, 0)
            self.leaves.append((self.trees, own))
            return own
        value = float(self.r.integers(-2, 3)) if self.is_grid else self.r.list(1)[0]
        children = self.branch(depth - 1), self.branch(depth - 1)
        mode = self.modes[self.r.integers(0, len(self.modes))]
        self.nodes[at] = (self.trees, own, int(self.r.integers(0, self.features)), value, mode, *children,
                          int(self.missing and self.r.rng.uniform() < 0.5))
        return own

    def attributes(self):
        names = ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids",
                 "missing_value_tracks_true")  # fmt: skip
        lists = {"nodes_" + name: list(column) for name, column in zip(names, zip(*self.nodes))}
        if not self.missing:
            del lists["nodes_missing_value_tracks_true"]
        return lists

    def weights(self, prefix, targets_of, low=-1.0, high=1.0):
        """Gives each leaf a weight for each target that `targets_of` returns."""
        rows = [(tree, node, target) for k, (tree, node) in enumerate(self.leaves) for target in targets_of(k, tree)]
        trees, nodes, targets = (list(column) for column in zip(*rows))
        return {prefix + "_treeids": trees, prefix + "_nodeids": nodes, prefix + "_ids": targets,
                prefix + "_weights": self.r.list(len(rows), low, high)}  # fmt: skip


def forest(r, trees=5, depth=4, **options):
    grown = Forest(r, 6, **options)
    for _ in range(trees):
        grown.grow(depth)
    return grown


def grid(r, rows, missing=False):
    x = r.integers(-2, 3, rows, 6).astype(np.float32)
    if missing:
        x[r.floats(rows, 6) > 0.4] = np.nan
    return x


def mode_cases():
    sets = [(mode,) for mode in MODES] + [MODES[:2], MODES[:4], MODES]
    for k, (modes, missing) in enumerate(itertools.product(sets, (False, True))):
        r = Random(600 + k)
        grown = forest(r, modes=modes, is_grid=True, missing=missing, chance=0.9)
        x = grid(r, 40 if k % 2 else 3, missing)
        yield Case(f"tree_modes_{k}", "TreeEnsembleRegressor", [x],
                   {**grown.attributes(), **grown.weights("target", lambda k, t: [0]), "n_targets": 1},
                   is_quick=k in (0, 5, 15, 17))  # fmt: skip


def shape_cases():
    for k, (depth, chance, rows) in enumerate(itertools.product((1, 3, 5, 6, 8, 9, 16), (0.75, 1.0), (1, 7, 50))):
        if depth == 16 and chance == 1.0:
            continue
        r = Random(650 + k)
        grown = forest(r, trees=3 if depth > 9 else 12, depth=depth, chance=0.8 if depth == 16 else chance)
        yield Case(f"tree_shape_{k}", "TreeEnsembleRegressor", [r.floats(rows, 6)],
                   {**grown.attributes(), **grown.weights("target", lambda k, t: [0]), "n_targets": 1},
                   is_quick=k in (2, 9, 17, 33))  # fmt: skip
    r = Random(690)
    single = Forest(r, 6).grow(0).grow(2)
    yield Case("tree_of_one_leaf", "TreeEnsembleRegressor", [r.floats(4, 6)],
               {**single.attributes(), **single.weights("target", lambda k, t: [0]), "n_targets": 1}, is_quick=True)


def regressor_cases():
    for k, (aggregate, targets, has_base) in enumerate(itertools.product(("SUM", "AVERAGE", "MIN", "MAX"), (1, 3), (0, 1))):
        r = Random(700 + k)
        grown = forest(r)
        base = {"base_values": r.list(targets)} if has_base else {}
        # Each leaf has all targets, or one in turn.
        targets_of = (lambda i, t, n=targets: [i % n]) if k % 4 == 2 else (lambda i, t, n=targets: range(n))
        yield Case(f"tree_aggregate_{k}", "TreeEnsembleRegressor", [r.floats(20, 6)],
                   {**grown.attributes(), **grown.weights("target", targets_of), "n_targets": targets,
                    "aggregate_function": aggregate, **base}, is_quick=k in (3, 10))  # fmt: skip
    for k, (transform, targets) in enumerate(itertools.product(TRANSFORMS, (1, 3))):
        r = Random(730 + k)
        grown = forest(r)
        yield Case(f"tree_transform_{k}", "TreeEnsembleRegressor", [r.floats(20, 6)],
                   {**grown.attributes(), **grown.weights("target", lambda i, t, n=targets: range(n), 0.05, 0.15),
                    "n_targets": targets, "post_transform": transform}, kind="probit" if transform == "PROBIT" else "f32", is_quick=k == 7)  # fmt: skip
    for k, aggregate in enumerate(("SUM", "MAX")):
        r = Random(745 + k)
        grown = forest(r, trees=2, depth=2)
        yield Case(f"tree_sparse_targets_{k}", "TreeEnsembleRegressor", [r.floats(20, 6)],
                   {**grown.attributes(), **grown.weights("target", lambda i, t: [i % 3]), "n_targets": 3,
                    "aggregate_function": aggregate, "base_values": r.list(3)}, is_quick=k == 0)  # fmt: skip
    r = Random(750)
    grown = forest(r)
    attributes = grown.attributes() | grown.weights("target", lambda k, t: [0]) | {"n_targets": 1}
    wide = {name: attributes.pop(name) for name in ("nodes_values", "target_weights")}
    for name, values in wide.items():
        attributes[name + "_as_tensor"] = numpy_helper.from_array(np.array(values, np.float64))
    yield Case("tree_double", "TreeEnsembleRegressor", [r.floats(20, 6, dtype=np.float64)], attributes)


def classifier(name, r, grown, targets_of, labels, low=-1.0, base=(), transform="NONE", dtype=np.float32, is_quick=False):
    attributes = grown.attributes() | grown.weights("class", targets_of, low)
    attributes |= {"classlabels_int64s": labels, "post_transform": transform}
    if base:
        attributes["base_values"] = list(base)
    x = r.floats(25, 6, scale=3).astype(dtype)
    return Case(name, "TreeEnsembleClassifier", [x], attributes, outputs=2, is_quick=is_quick)


def binary_cases():
    """One score for two classes, all weights positive or not, with and without base values."""
    combinations = itertools.product((0, 1), (-1.0, 0.0), (0, 1, 2), ("NONE", "LOGISTIC", "SOFTMAX"))
    for k, (target, low, bases, transform) in enumerate(combinations):
        r = Random(800 + k)
        base = [0.125, 0.25][:bases]
        yield classifier(f"tree_binary_{k}", r, forest(r), lambda i, t, c=target: [c], [3, 8], low, base, transform,
                         is_quick=k in (0, 4, 13, 22))  # fmt: skip
    for k, (bases, transform) in enumerate(itertools.product((0, 1, 2), ("NONE", "SOFTMAX", "LOGISTIC"))):
        r = Random(850 + k)
        base = [0.125, 0.25][:bases]
        yield classifier(f"tree_pair_{k}", r, forest(r), lambda i, t: [0, 1], [0, 1], -1.0, base, transform,
                         is_quick=k in (0, 8))  # fmt: skip
    for k, transform in enumerate(("NONE", "LOGISTIC")):
        r = Random(870 + k)
        # A leaf has a score of one class only, so some rows have no score of a class.
        grown = forest(r, trees=2, depth=3)
        yield classifier(f"tree_sparse_pair_{k}", r, grown, lambda i, t: [i % 2], [0, 1], transform=transform, is_quick=k == 0)


def several_cases():
    for k, (classes, has_base, transform) in enumerate(itertools.product((3, 5), (0, 1), TRANSFORMS[:4])):
        r = Random(900 + k)
        base = r.list(classes) if has_base else ()
        # Each leaf scores all classes, or each tree scores one class.
        targets_of = (lambda i, t, n=classes: range(n)) if k % 2 else (lambda i, t, n=classes: [t % n])
        yield classifier(f"tree_classes_{k}", r, forest(r, trees=10), targets_of, list(range(10, 10 + classes)), -1.0, base,
                         transform, is_quick=k in (1, 6))  # fmt: skip
    for k in range(2):
        r = Random(930 + k)
        yield classifier(f"tree_sparse_classes_{k}", r, forest(r, trees=2, depth=3), lambda i, t: [i % 3], [0, 1, 2])
    for k, dtype in enumerate((np.float64, np.int32, np.int64)):
        r = Random(940 + k)
        yield classifier(f"tree_type_{k}", r, forest(r), lambda i, t: range(3), [0, 1, 2], dtype=dtype)


def cases():
    for family in (mode_cases, shape_cases, regressor_cases, binary_cases, several_cases):
        yield from family()

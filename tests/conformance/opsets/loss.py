# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for losses: reductions, weights, ignored targets and undeclared ranks."""

import itertools

import numpy as np
from case import Case, random
from tensor import everywhere


def negative_log_likelihood(scores, target, weight, ignored, reduction):
    """Computes the loss element by element, as the ONNX specification defines it."""
    losses = np.zeros(target.shape)
    weights = np.zeros(target.shape)
    for at in np.ndindex(*target.shape):
        label = target[at]
        weights[at] = 0 if label == ignored else 1 if weight is None else weight[label]
        if label != ignored:
            losses[at] = -scores[(at[0], label) + at[1:]] * weights[at]
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.sum() / weights.sum()


def cases():
    rng = np.random.default_rng(6)
    for rank in (2, 4):
        x = random(3, 5, *[4, 2][: rank - 2], seed=rank)
        wide = x.astype(np.float64)
        log = wide - np.log(np.exp(wide).sum(axis=1, keepdims=True))
        target = rng.integers(0, 5, (3,) + x.shape[2:])
        target.flat[1] = 2
        weight = np.abs(random(5, seed=1))
        for reduction, ignored, weights in itertools.product(
            ("none", "sum", "mean"), (None, 2, -1), (None, weight)
        ):
            labels = target.copy()
            if ignored == -1:
                labels.flat[0] = -1
            attributes = {"reduction": reduction}
            if ignored is not None:
                attributes["ignore_index"] = ignored
            tail = f"{rank}d_{reduction}_{ignored}_{weights is not None}"
            inputs = [x, labels] if weights is None else [x, labels, weights]
            y = np.float32(negative_log_likelihood(wide, labels, weights, ignored, reduction))
            yield from everywhere(Case(f"nll_{tail}", "NegativeLogLikelihoodLoss", 13, inputs, [y],
                                       attributes))  # fmt: skip
            y = np.float32(negative_log_likelihood(log, labels, weights, ignored, reduction))
            outputs = [y, log.astype(np.float32)]
            yield Case(f"sce_{tail}", "SoftmaxCrossEntropyLoss", 13, inputs, outputs, attributes)

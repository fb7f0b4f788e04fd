# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for linear models and support vector machines."""

import itertools

import numpy as np
from case import Case, Random

TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
KERNELS = ("LINEAR", "POLY", "RBF", "SIGMOID")



def linear_cases():
    for k, (transform, targets) in enumerate(itertools.product(TRANSFORMS, (1, 4))):
        r = Random(300 + k)
        weights, base = r.list(6 * targets, -0.05, 0.05), r.list(targets, 0.3, 0.7)
        yield Case(f"linear_regressor_{k}", "LinearRegressor", [r.floats(9, 6)],
                   {"coefficients": weights, "intercepts": base, "targets": targets, "post_transform": transform},
                   kind="probit" if transform == "PROBIT" else "f32", is_quick=k in (0, 9))
    for k, (transform, classes) in enumerate(itertools.product(TRANSFORMS, (1, 2, 3))):
        if classes == 1 and transform == "PROBIT":
            continue  # ONNX Runtime leaves the second column undefined
        r = Random(330 + k)
        labels = [7, 3, 5][:max(classes, 2)]
        weights, base = r.list(6 * classes, -0.05, 0.05), r.list(classes, 0.3, 0.7)
        yield Case(f"linear_classifier_{k}", "LinearClassifier", [r.floats(9, 6)],
                   {"coefficients": weights, "intercepts": base, "classlabels_ints": labels, "post_transform": transform},
                   outputs=2, kind="probit" if transform == "PROBIT" else "f32", is_quick=k in (0, 4, 8))
    for k, dtype in enumerate((np.float64, np.int32, np.int64)):
        r = Random(360 + k)
        x = r.floats(9, 6, scale=5).astype(dtype)
        yield Case(f"linear_classifier_type_{k}", "LinearClassifier", [x],
                   {"coefficients": r.list(18), "intercepts": r.list(3), "classlabels_ints": [0, 1, 2],
                    "post_transform": "SOFTMAX"}, outputs=2)  # fmt: skip


def kernel(r, name):
    return {"kernel_type": name, "kernel_params": [0.4, 0.3, 3.0 if name == "POLY" else 0.0]}


def regressor_cases():
    for k, (name, one_class) in enumerate(itertools.product(KERNELS, (0, 1))):
        r = Random(400 + k)
        yield Case(f"svm_regressor_{k}", "SVMRegressor", [r.floats(9, 5)],
                   {**kernel(r, name), "coefficients": r.list(8), "support_vectors": r.list(40), "rho": [0.1],
                    "n_supports": 8, "one_class": one_class}, is_quick=k in (2, 4))  # fmt: skip
    r = Random(420)
    yield Case("svm_regressor_linear", "SVMRegressor", [r.floats(9, 5)],
               {"coefficients": r.list(5), "rho": [0.1], "kernel_params": [0.0, 0.0, 0.0]})
    for k, degree in enumerate((1.0, 2.0, 4.0)):
        r = Random(430 + k)
        yield Case(f"svm_degree_{k}", "SVMRegressor", [r.floats(9, 5)],
                   {"kernel_type": "POLY", "kernel_params": [0.4, 0.3, degree], "coefficients": r.list(8),
                    "support_vectors": r.list(40), "rho": [0.1], "n_supports": 8})  # fmt: skip


def machine(r, name, classes, transform, with_probabilities):
    counts = [3, 4, 2, 3][:classes]
    vectors, pairs = sum(counts), classes * (classes - 1) // 2
    attributes = {**kernel(r, name), "coefficients": r.list((classes - 1) * vectors), "support_vectors": r.list(vectors * 5),
                  "rho": r.list(pairs), "vectors_per_class": counts, "classlabels_ints": [4, 2, 9, 1][:classes],
                  "post_transform": transform}  # fmt: skip
    if with_probabilities:
        attributes |= {"prob_a": r.list(pairs, -2, -1), "prob_b": r.list(pairs, -0.2, 0.2)}
    return attributes


def classifier_cases():
    for k, (name, classes, with_probabilities) in enumerate(itertools.product(KERNELS, (2, 3, 4), (0, 1))):
        r = Random(500 + k)
        yield Case(f"svm_classifier_{k}", "SVMClassifier", [r.floats(9, 5)],
                   machine(r, name, classes, "NONE", with_probabilities), outputs=2, kind="iterated" if with_probabilities else "f32",
                   is_quick=k in (2, 13, 17))  # fmt: skip
    for k, (transform, classes, with_probabilities) in enumerate(itertools.product(TRANSFORMS[1:], (2, 3), (0, 1))):
        if transform == "PROBIT" and not with_probabilities:
            continue  # decisions are outside of (0, 1), or the second column is undefined
        r = Random(550 + k)
        yield Case(f"svm_transform_{k}", "SVMClassifier", [r.floats(9, 5)],
                   machine(r, "RBF", classes, transform, with_probabilities), outputs=2,
                   kind="iterated" if with_probabilities else "f32", is_quick=k == 3)  # fmt: skip
    for k, (classes, low) in enumerate(itertools.product((2, 3), (-1.0, 0.0))):
        r = Random(580 + k)
        yield Case(f"svm_linear_{k}", "SVMClassifier", [r.floats(9, 5)],
                   {"coefficients": r.list(5 * classes, low), "rho": r.list(classes), "classlabels_ints": [6, 3, 5][:classes],
                    "kernel_params": [0.0, 0.0, 0.0], "post_transform": "SOFTMAX"}, outputs=2, is_quick=k == 0)  # fmt: skip


def cases():
    for family in (linear_cases, regressor_cases, classifier_cases):
        yield from family()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines in the form in which converters write the models of scikit-learn: imputer, scaler and a
model, with the labels and the probabilities as outputs."""

import numpy as np
from case import Case, Random
from machines import machine
from trees import forest

FEATURES = 6


def steps(r):
    scaler = {"offset": r.list(FEATURES), "scale": r.list(FEATURES, 0.5, 2.0)}
    imputer = {"imputed_value_floats": r.list(FEATURES), "replaced_value_float": float("nan")}
    return (("Imputer", imputer), ("Scaler", scaler))


def rows(r, count):
    x = r.floats(count, FEATURES, scale=3)
    x[r.floats(count, FEATURES) > 0.8] = np.nan
    return [x]


def pipeline(name, r, op, attributes, outputs, count=20, **options):
    return Case("pipeline_" + name, op, rows(r, count), attributes, outputs, steps=steps(r), **options)


def random_forest(r, classes):
    """The average of class probabilities, which each leaf has for all classes."""
    grown = forest(r, trees=20, depth=6, chance=0.9)
    weights = grown.weights("class", lambda i, t: range(classes), 0.0, 0.05)
    return grown.attributes() | weights | {"classlabels_int64s": list(range(classes)), "post_transform": "NONE"}


def boosting(r, classes):
    """One sum per class with one tree per class and round, or one sum for two classes."""
    grown = forest(r, trees=30, depth=3)
    weights = grown.weights("class", lambda i, t: [t % classes if classes > 2 else 0], -0.3, 0.3)
    base = r.list(classes if classes > 2 else 1, -0.1, 0.1)
    transform = "SOFTMAX" if classes > 2 else "LOGISTIC"
    labels = {"classlabels_int64s": list(range(classes)), "base_values": base, "post_transform": transform}
    return grown.attributes() | weights | labels


def cases():
    for classes in (2, 3):
        r = Random(1000 + classes)
        logistic = {"coefficients": r.list(classes * FEATURES), "intercepts": r.list(classes), "multi_class": 1,
                    "classlabels_ints": list(range(classes)), "post_transform": "SOFTMAX"}  # fmt: skip
        yield pipeline(f"logistic_regression_{classes}", r, "LinearClassifier", logistic, 2, is_quick=classes == 3)
        r = Random(1010 + classes)
        yield pipeline(f"random_forest_{classes}", r, "TreeEnsembleClassifier", random_forest(r, classes), 2, is_quick=classes == 3)
        r = Random(1020 + classes)
        yield pipeline(f"gradient_boosting_{classes}", r, "TreeEnsembleClassifier", boosting(r, classes), 2,
                       is_quick=classes == 2)  # fmt: skip
        r = Random(1030 + classes)
        machines = machine(r, "RBF", classes, "NONE", with_probabilities=1)
        machines["support_vectors"] = r.list(sum(machines["vectors_per_class"]) * FEATURES)
        yield pipeline(f"svm_{classes}", r, "SVMClassifier", machines, 2, kind="iterated", is_quick=classes == 2)
    words = ("setosa", 'versi"color', "virginica")
    r = Random(1060)
    yield pipeline("words_forest", r, "TreeEnsembleClassifier", random_forest(r, 3), 2, words=words, is_quick=True)
    linear = {"coefficients": r.list(3 * FEATURES), "intercepts": r.list(3), "multi_class": 1,
              "classlabels_ints": [0, 1, 2], "post_transform": "SOFTMAX"}  # fmt: skip
    yield pipeline("words_linear", r, "LinearClassifier", linear, 2, words=words)
    machines = machine(r, "RBF", 3, "NONE", with_probabilities=1)
    machines["support_vectors"] = r.list(sum(machines["vectors_per_class"]) * FEATURES)
    yield pipeline("words_svm", r, "SVMClassifier", machines, 2, kind="iterated", words=words)
    r = Random(1040)
    grown = forest(r, trees=30, depth=5)
    regressor = grown.attributes() | grown.weights("target", lambda i, t: [0]) | {"n_targets": 1, "aggregate_function": "AVERAGE"}
    yield pipeline("forest_regressor", r, "TreeEnsembleRegressor", regressor, 1)
    r = Random(1050)
    linear = {"coefficients": r.list(FEATURES), "intercepts": r.list(1)}
    yield pipeline("linear_regression", r, "LinearRegressor", linear, 1)

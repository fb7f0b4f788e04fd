# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for the ops that prepare features, and for LabelEncoder."""

import itertools

import numpy as np
from case import Case, Random
from onnx import numpy_helper

TYPES = (np.float32, np.float64, np.int32, np.int64)


def features(r, dtype, *shape):
    return r.floats(*shape, scale=9).astype(dtype)


def scaler_cases():
    for k, (dtype, count) in enumerate(itertools.product(TYPES, (1, 7))):
        r = Random(100 + k)
        yield Case(f"scaler_{k}", "Scaler", [features(r, dtype, 5, 7)], {"offset": r.list(count), "scale": r.list(count)},
                   is_quick=k in (1, 7))
    r = Random(120)
    yield Case("scaler_row", "Scaler", [features(r, np.float32, 7)], {"offset": r.list(7), "scale": r.list(7)})


def normalizer_cases():
    for k, (norm, dtype) in enumerate(itertools.product(("MAX", "L1", "L2"), TYPES)):
        x = features(Random(140 + k), dtype, 4, 6)
        x[2] = 0
        yield Case(f"normalizer_{k}", "Normalizer", [x], {"norm": norm}, is_quick=k in (0, 4, 8))
    yield Case("normalizer_row", "Normalizer", [features(Random(160), np.float32, 6)], {"norm": "L2"})


def imputer_cases():
    for k, (replaced, count) in enumerate(itertools.product((0.5, np.nan), (1, 5))):
        r = Random(180 + k)
        x = r.floats(4, 5)
        x[r.floats(4, 5) > 0] = replaced
        yield Case(f"imputer_{k}", "Imputer", [x], {"imputed_value_floats": r.list(count), "replaced_value_float": replaced},
                   is_quick=k == 3)
    for k, count in enumerate((1, 5)):
        r = Random(190 + k)
        values = r.integers(0, 9, count).tolist()
        yield Case(f"imputer_int_{k}", "Imputer", [r.integers(-2, 2, 4, 5)],
                   {"imputed_value_int64s": values, "replaced_value_int64": -1}, is_quick=k == 1)


def one_hot_cases():
    for k, (dtype, shape) in enumerate(itertools.product((np.float32, np.float64, np.int64), ([6], [3, 4]))):
        x = Random(200 + k).integers(-2, 9, *shape).astype(dtype)
        yield Case(f"one_hot_{k}", "OneHotEncoder", [x], {"cats_int64s": [5, 0, 3, -1, 8], "zeros": 1}, is_quick=k in (1, 4))


def vectorizer_cases():
    for k, (dtype, sizes) in enumerate(zip(TYPES, ([4, 2, 1, 4], [3, 2, 1, 2], [6, 2, 3, 4], [4, 1, 2, 5]))):
        r = Random(220 + k)
        parts = [features(r, dtype, *shape) for shape in ((3, 4), (3, 2), (3, 1), (3, 2, 2))]
        yield Case(f"vectorizer_{k}", "FeatureVectorizer", parts, {"inputdimensions": sizes}, is_quick=k == 2)
    yield Case("vectorizer_rows", "FeatureVectorizer", [r.floats(3), r.floats(2)], {"inputdimensions": [3, 2]})


def binarizer_cases():
    x = Random(240).floats(4, 6)
    yield Case("binarizer", "Binarizer", [x], {"threshold": 0.25}, is_quick=True)
    index = np.array([[2, 0, 5]], np.int64)
    yield Case("extractor", "ArrayFeatureExtractor", [x, index], is_quick=True)


def encoder(name, x, keys, values, default, is_quick=False, version=2):
    """A LabelEncoder of version 2, whose attributes have the suffixes of the types."""
    suffix = {"f": "floats", "i": "int64s"}
    kinds = ["f" if isinstance(column[0], float) else "i" for column in (keys, values)]
    attributes = {"keys_" + suffix[kinds[0]]: keys, "values_" + suffix[kinds[1]]: values,
                  "default_float" if kinds[1] == "f" else "default_int64": default}
    return Case(name, "LabelEncoder", [x], attributes, version=version, is_quick=is_quick)


def encoder_cases():
    for k, size in enumerate((1, 3, 8, 9, 100)):
        r = Random(260 + k)
        ints = r.rng.permutation(3 * size)[:size].tolist()
        floats = [float(value) for value in r.rng.permutation(3 * size)[:size] / 4]
        x = r.integers(-1, 3 * size + 1, 4, 11)
        y = (x / 4).astype(np.float32)
        yield encoder(f"encoder_ints_{k}", x, ints, r.integers(-9, 9, size).tolist(), -7, is_quick=k in (1, 4))
        yield encoder(f"encoder_to_floats_{k}", x, ints, r.list(size), 0.5)
        yield encoder(f"encoder_floats_{k}", y, floats, r.list(size), 0.5, is_quick=k == 3)
        yield encoder(f"encoder_from_floats_{k}", y, floats, r.integers(-9, 9, size).tolist(), -1)
    r = Random(280)
    keys = np.array([1.5, np.nan, -2.0] + list(range(10, 20)), np.float32)
    x = np.array([1.5, np.nan, 3.0, -2.0, 12.0, 19.0], np.float32)
    yield encoder("encoder_nan", x, [float(key) for key in keys], r.list(13), 0.25, is_quick=True, version=4)
    for k, (key, value) in enumerate(((np.float64, np.float64), (np.float32, np.int64))):
        keys, values = np.arange(12).astype(key), Random(290 + k).integers(-9, 9, 12).astype(value)
        attributes = {"keys_tensor": numpy_helper.from_array(keys), "values_tensor": numpy_helper.from_array(values),
                      "default_tensor": numpy_helper.from_array(np.array([42], value))}
        yield Case(f"encoder_tensor_{k}", "LabelEncoder", [np.arange(-2, 14).astype(key)], attributes, version=4)


def cases():
    for family in (scaler_cases, normalizer_cases, imputer_cases, one_hot_cases, vectorizer_cases, binarizer_cases,
                   encoder_cases):
        yield from family()

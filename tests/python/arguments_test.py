# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests valid and invalid arguments of Model.run: each case gives the correct result or an error, never a crash.

  arguments_test.py TABLE_MODEL.so     (tests/python/table_model.c)
"""

import array
import sys
import types
import unittest

import convoy_runtime
import numpy as np

LIBRARY = sys.argv.pop(1)


class Foreign:
    """An object with __array__ only."""

    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None):
        return self.value


class DLPackOnly:
    """An object with __dlpack__ only, such as a tensor of another framework."""

    def __init__(self, value):
        self.value = value

    def __dlpack__(self, stream=None):
        return self.value.__dlpack__()

    def __dlpack_device__(self):
        return self.value.__dlpack_device__()


class BadDLPack:
    def __dlpack__(self, stream=None):
        return "no capsule"


class FailingArray:
    def __array__(self, dtype=None):
        raise OSError("the disk is gone")


class Bfloat16(np.ndarray):
    """A subclass of ndarray."""


def plain():
    return {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "n": np.array(5), "bits": np.zeros(3, np.uint16),
            "half": np.zeros(3, np.float16), "flag": np.zeros(3, bool), "narrow": np.zeros(4, np.int8),
            "empty": np.zeros((0, 5), np.float32)}


X = plain()["x"]
WIDE = np.arange(24, dtype=np.float32).reshape(4, 6)
UNALIGNED = np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float32).reshape(2, 3)
READ_ONLY = X.copy()
READ_ONLY.flags.writeable = False
# Addresses 1 TB without using it.
HUGE = np.broadcast_to(np.float32(1), (2 ** 19, 2 ** 19))

# Cases with a right answer: name, the arguments that differ from plain(), the expected y.
RIGHT = [
    ("plain", {}, 2 * X),
    ("fortran order", {"x": np.asfortranarray(X)}, 2 * X),
    ("transposed", {"x": X.T.copy().T}, 2 * X),
    ("negative strides", {"x": X[::-1, ::-1]}, 2 * X[::-1, ::-1]),
    ("strided", {"x": WIDE[::2, ::2]}, 2 * WIDE[::2, ::2]),
    ("broadcast", {"x": np.broadcast_to(np.float32(3), (2, 3))}, np.full((2, 3), 6, np.float32)),
    ("big endian", {"x": X.astype(">f4")}, 2 * X),
    ("unaligned", {"x": UNALIGNED}, 2 * X),
    ("read-only", {"x": READ_ONLY}, 2 * X),
    ("subclass", {"x": X.view(Bfloat16)}, 2 * X),
    ("matrix", {"x": np.matrix(X)}, 2 * X),
    ("memmap view", {"x": np.ndarray((2, 3), np.float32, buffer=X.tobytes())}, 2 * X),
    ("list", {"x": [[0, 1, 2], [3, 4, 5]]}, 2 * X),
    ("tuple", {"x": ((0.0, 1.0, 2.0), (3.0, 4.0, 5.0))}, 2 * X),
    ("array interface", {"x": Foreign(X)}, 2 * X),
    ("memoryview", {"x": memoryview(X)}, 2 * X),
    ("dlpack", {"x": DLPackOnly(X)}, 2 * X),
    ("dlpack, strided", {"x": DLPackOnly(WIDE[::2, ::2])}, 2 * WIDE[::2, ::2]),
    ("number", {"n": 5}, 2 * X),
    ("numpy number", {"n": np.int64(5)}, 2 * X),
    ("long long", {"n": np.array(5, np.longlong)}, 2 * X),
    ("array module", {"bits": array.array("H", [0, 0, 0])}, 2 * X),
    ("bytearray of int8", {"narrow": np.frombuffer(bytearray(4), np.int8)}, 2 * X),
    ("bools as list", {"flag": [False, False, False]}, 2 * X),
    ("empty list", {"empty": np.empty((0, 5), np.float32)[:, ::-1]}, 2 * X),
    ("mapping", types.MappingProxyType(plain()), 2 * X),
]

# Cases with a sentence: name, arguments, class, part of the sentence.
WRONG = [
    ("no dictionary", 5, TypeError, "feed: expected a dictionary {name: array}, got int"),
    ("None", None, TypeError, "feed: expected a dictionary {name: array}, got NoneType"),
    ("a list of arrays", [X], TypeError, "feed: expected a dictionary {name: array}, got list"),
    ("empty dictionary", {}, KeyError, "input 'x' is missing"),
    ("rank too low", {"x": X[0]}, ValueError, "input 'x': expected shape [2, 3], got [3]"),
    ("rank too high", {"x": X[None]}, ValueError, "input 'x': expected shape [2, 3], got [1, 2, 3]"),
    ("transposed shape", {"x": X.T}, ValueError, "input 'x': expected shape [2, 3], got [3, 2]"),
    ("zero size", {"x": np.zeros((0, 3), np.float32)}, ValueError, "expected shape [2, 3], got [0, 3]"),
    ("0-d", {"x": np.float32(1)}, ValueError, "expected shape [2, 3], got []"),
    ("huge", {"x": HUGE}, ValueError, "expected shape [2, 3], got [524288, 524288]"),
    ("wanted zero size", {"empty": np.zeros((1, 5), np.float32)}, ValueError, "input 'empty': expected shape [0, 5], got [1, 5]"),
    ("scalar wanted", {"n": np.zeros(1, np.int64)}, ValueError, "input 'n': expected shape [], got [1]"),
    ("float64", {"x": X.astype(np.float64)}, TypeError, "input 'x': expected float32, got float64; convert it with array.astype(numpy.float32)"),
    ("int32", {"x": X.astype(np.int32)}, TypeError, "expected float32, got int32"),
    ("float16", {"x": X.astype(np.float16)}, TypeError, "expected float32, got float16"),
    ("big-endian double", {"x": X.astype(">f8")}, TypeError, "expected float32, got >f8"),
    ("complex", {"x": X.astype(complex)}, TypeError, "expected float32, got complex128"),
    ("objects", {"x": X.astype(object)}, TypeError, "expected float32, got object"),
    ("texts", {"x": X.astype(str)}, TypeError, "expected float32, got <U32"),
    ("records", {"x": np.zeros((2, 3), [("a", np.float32)])}, TypeError, "expected float32, got [('a', '<f4')]"),
    ("dates", {"n": np.datetime64("2026-01-01")}, TypeError, "input 'n': expected int64, got datetime64[D]"),
    ("int8 as bool", {"flag": np.zeros(3, np.int8)}, TypeError, "input 'flag': expected bool, got int8"),
    ("uint8 as int4", {"narrow": np.zeros(4, np.uint8)}, TypeError, "input 'narrow': expected int8 (the bits of int4), got uint8"),
    ("floats as bits", {"bits": np.zeros(3, np.float32)}, TypeError, "input 'bits': expected uint16 (the bits of bfloat16), got float32"),
    ("masked", {"x": np.ma.masked_array(X, X > 2)}, TypeError, "input 'x': expected an array without a mask"),
    ("None as array", {"x": None}, TypeError, "input 'x': expected an array of float32 [2, 3], got NoneType"),
    ("text", {"x": "abc"}, TypeError, "input 'x': expected an array of float32 [2, 3], got str"),
    ("bytes", {"x": b"abc"}, ValueError, "input 'x': expected shape [2, 3], got [3]"),
    ("set", {"x": {1.0}}, TypeError, "input 'x': expected an array of float32 [2, 3], got set"),
    ("function", {"x": len}, TypeError, "input 'x': expected an array of float32 [2, 3], got builtin_function_or_method"),
    ("list of texts", {"x": [["a", "b", "c"]] * 2}, TypeError, "input 'x': expected float32, got <U1"),
    ("floats for integers", {"n": 1.5}, TypeError, "input 'n': expected int64, got float64"),
    ("integer too large", {"narrow": [1, 2, 3, 300]}, ValueError, "input 'narrow': a value is outside the range of int4"),
    ("huge integer", {"n": 2 ** 80}, TypeError, "input 'n': expected int64, got object"),
    ("bad dlpack", {"x": BadDLPack()}, ValueError, "input 'x': its __dlpack__ returned no capsule 'dltensor'"),
    ("dlpack of another type", {"x": DLPackOnly(X.astype(np.float64))}, TypeError, "input 'x': expected float32, got float64"),
    ("dlpack of another shape", {"x": DLPackOnly(WIDE)}, ValueError, "input 'x': expected shape [2, 3], got [4, 6]"),
    ("failing object", {"x": FailingArray()}, TypeError, "input 'x': cannot be converted to an array: the disk is gone"),
    ("unknown name", {"y": X}, KeyError, "the model has no input 'y'; its inputs are 'x', 'n'"),
    ("name in upper case", {"X": X}, KeyError, "the model has no input 'X'"),
    ("number as name", {7: X}, KeyError, "the model has no input 7"),
    ("bytes as name", {b"x": X}, KeyError, "the model has no input b'x'"),
]


def merged(change):
    """Returns the arguments of a case: plain() with changes, or the changes alone if they are no dictionary."""
    return {**plain(), **change} if isinstance(change, dict) and change else change


class ArgumentsTest(unittest.TestCase):
    def setUp(self):
        self.model = convoy_runtime.load(LIBRARY)

    def test_right_arguments(self):
        for name, change, expected in RIGHT:
            with self.subTest(name):
                outputs = self.model.run(merged(change) if change else plain())
                np.testing.assert_array_equal(outputs["y"], expected)
                self.assertEqual(outputs["z"], 5)

    def test_wrong_arguments(self):
        for name, change, error_class, sentence in WRONG:
            with self.subTest(name):
                with self.assertRaises(error_class) as caught:
                    self.model.run(merged(change))
                self.assertIsInstance(caught.exception, convoy_runtime.Error)
                self.assertIn(sentence, str(caught.exception))

    def test_there_are_60_cases(self):
        self.assertGreaterEqual(len(RIGHT) + len(WRONG), 60)

    def test_all_reasons_are_listed(self):
        with self.assertRaises(convoy_runtime.ArgumentValueError) as caught:
            self.model.run({**plain(), "x": X[0], "n": X, "q": 1})
        self.assertEqual([problem.message for problem in caught.exception.problems],
                         ["input 'x': expected shape [2, 3], got [3]", "input 'n': expected shape [], got [2, 3]",
                          "the model has no input 'q'; its inputs are 'x', 'n', 'bits', 'half', 'flag', 'narrow', 'empty'"])

    def test_extra_argument(self):
        with self.assertRaisesRegex(KeyError, "the model has no input 'more'"):
            self.model.run({**plain(), "more": X})

    def test_keyboard_interrupt_of_an_object_passes(self):
        class Interrupting:
            def __array__(self, dtype=None):
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.model.run({**plain(), "x": Interrupting()})

    def test_arguments_do_not_leak(self):
        value = np.ones((2, 3), np.float32)
        before = sys.getrefcount(value)
        for _ in range(10):
            self.model.run({**plain(), "x": value})
        self.assertEqual(sys.getrefcount(value), before)


if __name__ == "__main__":
    unittest.main()

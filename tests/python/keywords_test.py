# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keywords have the names of flags, old names warn, and messages of the compiler name keywords instead of flags.

  keywords_test.py EXAMPLE.onnx     (the model of examples/make_model.py)
"""

import sys
import tempfile
import unittest
import warnings

import convoy
import numpy as np
import onnx_models
from convoy._keywords import in_python

EXAMPLE = sys.argv.pop(1)


class OldNamesTest(unittest.TestCase):
    def test_old_names_warn_and_work(self):
        data, x = onnx_models.gemm(batch="N")[0], np.ones((2, 3), np.float32)
        for old, new in [({"dims": {"N": 2}}, "dim"), ({"input_shapes": {"x": (2, 3)}}, "input_shape"), ({"grain_ns": 5, "dims": {"N": 2}}, "grain"),
                         ({"constants": {"x": x}, "target": "reference"}, "const")]:
            with self.subTest(new), self.assertWarnsRegex(DeprecationWarning, f"is now '{new}'; convoy 0.4 removes the old name") as caught:
                convoy.compile(data, **old)
            self.assertEqual(caught.filename, __file__)
        with self.assertWarnsRegex(DeprecationWarning, "'targets' is now 'target'"):
            self.assertTrue(convoy.check(EXAMPLE, targets="host")["passed"])
        with self.assertWarnsRegex(DeprecationWarning, "'dims' is now 'dim'"):
            convoy.explain(data, dims={"N": 1})
        with self.assertWarnsRegex(DeprecationWarning, "'dims' is now 'dim'"):
            convoy.InferenceSession(data, dims={"N": 1})
        with tempfile.TemporaryDirectory() as folder, self.assertWarnsRegex(DeprecationWarning, "'seconds' is now 'time'"):
            convoy.tune(EXAMPLE, f"{folder}/tune.db", seconds=1, trials=1, wait=0).run()

    def test_present_names_do_not_warn(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            convoy.compile(onnx_models.gemm(batch="N")[0], dim={"N": 2}, grain="2us")

    def test_both_names(self):
        with warnings.catch_warnings(), self.assertRaisesRegex(TypeError, "dim: given twice, also by its old name 'dims'; use 'dim'"):
            warnings.simplefilter("ignore")
            convoy.compile(EXAMPLE, dim={}, dims={})

    def test_durations(self):
        for grain in (1e9, "1s", "1000ms", "1000000us"):
            self.assertEqual(convoy.compile(EXAMPLE, target="x86-64-v2", threads=2, grain=grain).hash,
                             convoy.compile(EXAMPLE, target="x86-64-v2", threads=2, grain=1e9).hash)
        for wrong in ("fast", "5", "5 ms", "-1s"):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, "grain: expected a number or a duration such as '25ms'"):
                convoy.compile(EXAMPLE, grain=wrong)


class WordsTest(unittest.TestCase):
    # A message of the compiler and its words in Python.
    MESSAGES = [
        ("add --calibrate DIR to quantize the model", "add calibrate=DIR to quantize the model"),
        ("--calibrate: 'a.npy' has no data for input 'x'", "calibrate: 'a.npy' has no data for input 'x'"),
        ("remove --integer=off", "remove integer=False"),
        ("--target=reference runs it", 'target="reference" runs it'),
        ("compile it for this data, or give --target=reference", 'compile it for this data, or give target="reference"'),
        ("--target expects a device", "target expects a device"),
        ("needs --threads=N; add --threads=4.", "needs threads=N; add threads=4."),
        ("give the size with --dim batch=1", 'give the size with dim={"batch": 1}'),
        ("add --dim a=1 --dim b=2; or more", 'add dim={"a": 1, "b": 2}; or more'),
        ("use --input-shape data:1x3x224x224", 'use input_shape={"data": (1, 3, 224, 224)}'),
        ("set --input-shape 'x[0]:2x3', or --input-shape 'x[]:0' for an empty sequence",
         'set input_shape={"x[0]": (2, 3)}, or input_shape={"x[]": (0,)} for an empty sequence'),
        ("but --input-shape or the input data has 3", "but input_shape or the input data has 3"),
        ("bind it with --const NAME=FILE.pb", 'bind it with const={"NAME": array}'),
        ("as a custom op (--custom-ops)", "as a custom op (custom_ops)"),
        ("--place=fastest keeps slower regions on the CPU", 'place="fastest" keeps slower regions on the CPU'),
        ("--math=strict excludes Winograd convolution", 'math="strict" excludes Winograd convolution'),
        ("--color gray gives 1 channel, the input has 3", 'color="gray" gives 1 channel, the input has 3'),
        ("use --scale 0.25,0.5,1 --mean 128", "use scale=[0.25, 0.5, 1] mean=128"),
        ("--std has a value of 0", "std has a value of 0"),
        ("use --weights=file", 'use weights="file"'),
        ("--max-drop: expected a proof of at most 0.5 %", "max_drop: expected a proof of at most 0.5 %"),
        ("write the model without an accuracy bound with --allow-unproven", "write the model without an accuracy bound with allow_unproven=True"),
        ("--hot measures kernels and needs --layers", "hot=True measures kernels and needs layers=True"),
        ("run `convoy check --layer-errors` to see the effect", "run `convoy.check(model, layer_errors=True)` to see the effect"),
        ("`convoy explain --target host` shows the reason", '`convoy.explain(model, target="host")` shows the reason'),
        # Python has no such flag or verb; the text of other programs stays.
        ("run with --serve to see the reason", "run with --serve to see the reason"),
        ("`convoy targets` lists the targets", "`convoy targets` lists the targets"),
        ("run the optimizer of ONNX Runtime with --disable_bias_add", "run the optimizer of ONNX Runtime with --disable_bias_add"),
        ("a file '--target' and `ld --threads=1`", "a file '--target' and `ld --threads=1`"),
    ]

    def test_messages(self):
        for text, expected in self.MESSAGES:
            with self.subTest(text):
                self.assertEqual(in_python(text), expected)

    def test_every_keyword_is_translated(self):
        """Each flag whose keyword a function has becomes the keyword."""
        import inspect
        from convoy._flags import FLAGS
        keywords = {name for function in ("compile", "tune", "quantize", "check", "bench", "run")
                    for name in inspect.signature(getattr(convoy, function)).parameters}
        known = {flag for flag in FLAGS if flag.lstrip("-").replace("-", "_") in keywords}
        self.assertGreater(len(known), 50)
        for flag in known:
            self.assertNotIn("--", in_python(f"{flag}: expected something else"), flag)

    def test_errors_name_keywords(self):
        for call, words in [(lambda: convoy.compile(onnx_models.open_relu()), 'dim={"N": 1, "M": D1}'),
                            (lambda: convoy.compile(EXAMPLE, cpu="host"), "cpu expects a device as target"),
                            (lambda: convoy.bench(EXAMPLE, hot=True), "hot=True measures kernels and needs layers=True"),
                            (lambda: convoy.compile(EXAMPLE, calibrate="/no/such/folder"), "calibrate: ")]:
            with self.subTest(words), self.assertRaises(convoy.Error) as caught:
                call()
            self.assertIn(words, str(caught.exception))
            self.assertNotIn("--", str(caught.exception))

    def test_the_remedy_is_an_argument(self):
        with self.assertRaises(convoy.Error) as caught:
            convoy.compile(onnx_models.gemm()[0], target="nvdla-small", require_device=True)
        self.assertIn("calibrate=DIR", caught.exception.problems[0].remedy)


if __name__ == "__main__":
    unittest.main()

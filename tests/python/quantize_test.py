# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests convoy.quantize, and data sets as arguments of quantize, run, check and bench."""

import json
import os
import tempfile
import threading
import unittest

import convoy
import numpy as np
import onnx_models


class DataCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.model, samples = onnx_models.classifier()
        cls.x, cls.labels = samples(400)
        cls.ledgers = 0

    def quantize(self, *arguments, **options):
        type(self).ledgers += 1
        return convoy.quantize(self.model, *arguments, ledger=os.path.join(self.folder.name, f"proofs{self.ledgers}.json"), **options)


class QuantizeTest(DataCase):
    def test_a_quantized_model(self):
        steps = []
        made = self.quantize(self.x, labels=self.labels, max_drop="5%", progress=lambda step, done, total: steps.append(step))
        result = made.result
        self.assertTrue(result["has_labels"])
        self.assertEqual(sum(result["samples"].values()), 400)
        self.assertLessEqual(result["proof"]["bound"], 0.05)
        self.assertIn("prove", steps)
        self.assertIn("<html", made.report())
        model = convoy.compile(made.model)
        floats = convoy.compile(self.model)
        for x in self.x[:20]:
            self.assertEqual(int(model.run({"x": x[None]})["scores"].argmax()), int(floats.run({"x": x[None]})["scores"].argmax()))
        path = made.save(os.path.join(self.folder.name, "quantized.onnx"))
        with open(path, "rb") as file:
            self.assertEqual(file.read(), made.model)
        with open(os.path.join(self.folder.name, "quantized.plan.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), made.plan)
        again = self.quantize(self.x, labels=self.labels, max_drop="5%", plan=made.plan)
        self.assertEqual(again.plan, made.plan)

    def test_every_form_of_data_gives_the_same_model(self):
        path, labels = (os.path.join(self.folder.name, name) for name in ("x.npy", "labels.npy"))
        np.save(path, self.x)
        np.save(labels, self.labels)
        forms = [(path, labels), (path, self.labels), (self.x, list(self.labels))]
        made = [self.quantize(data, labels=classes, max_drop="5%") for data, classes in forms]
        self.assertEqual(len({each.model for each in made}), 1)
        listed = self.quantize([{"x": x[None]} for x in self.x], labels=self.labels, max_drop="5%")
        self.assertEqual(sum(listed.result["samples"].values()), 400)

    def test_too_few_samples_prove_nothing(self):
        with self.assertRaises(convoy.Error) as caught:
            self.quantize(self.x[:60], labels=self.labels[:60], max_drop="0.1%")
        self.assertIn("max_drop: expected a proof of at most 0.1", str(caught.exception))
        self.assertIn("allow_unproven=True", str(caught.exception))
        made = self.quantize(self.x[:60], labels=self.labels[:60], max_drop="0.1%", allow_unproven=True)
        self.assertFalse(made.result["proof"]["is_promised"])

    def test_wrong_arguments(self):
        for arguments, error_class, sentence in [
                ({"data": None}, TypeError, "data: expected a path, an array, or a list of dictionaries"),
                ({"data": 5}, TypeError, "data: expected a path, an array"),
                ({"data": []}, ValueError, "data: expected at least one sample, got an empty list"),
                ({"data": [{"q": self.x}]}, KeyError, "the model has no input 'q'"),
                ({"data": "/no/such/folder"}, convoy.Error, "data: "),
                ({"max_drop": 0.5}, ValueError, "max_drop: expected a percentage such as '0.5%', got 0.5"),
                ({"max_drop": "0%"}, ValueError, "max_drop: expected more than 0%"),
                ({"weight_bits": "5"}, ValueError, "weight_bits: expected '8' or '4' or 'auto', got '5'"),
                ({"min_4bit_share": "5%"}, ValueError, 'min_4bit_share: expected weight_bits="auto"'),
                ({"attempts": 2, "proof": False}, ValueError, "attempts: expected proof=True"),
                ({"proof": "on"}, TypeError, "proof: expected True or False, got 'on'"),
                ({"select_share": "90%"}, ValueError, "select_share: expected more than 0% and at most 80%"),
                ({"calibrate_share": "85%"}, ValueError, "calibrate_share: expected more than 0% and, with select_share"),
                ({"calibrate_share": "5%", "calibration_data": self.x}, ValueError, "calibrate_share: has no effect"),
                ({"max_ram": "many"}, ValueError, "max_ram: expected bytes or a size such as '512K'"),
                ({"max_latency": "soon"}, ValueError, "max_latency: expected a number or a duration"),
                ({"labels": [1, 2]}, ValueError, "labels: expected"),
                ({"plan": "/no/such.json"}, ValueError, "plan: "),
                ({"plan": {}}, convoy.Error, "plan: "),
                ({"target": "no-such-target"}, convoy.Error, "no-such-target"),
                ({"jobs": -1}, ValueError, "jobs: expected at least 0, got -1"),
                ({"unknown": 1}, TypeError, "unexpected keyword argument 'unknown'")]:
            with self.subTest(str(arguments)), self.assertRaises(error_class) as caught:
                self.quantize(**{"data": [{"x": x[None]} for x in self.x[:20]], **arguments})
            self.assertIn(sentence, str(caught.exception))

    def test_an_error_of_the_callback_ends_the_quantization(self):
        def fail(step, done, total):
            raise LookupError("stop")
        with self.assertRaisesRegex(LookupError, "stop"):
            self.quantize(self.x, labels=self.labels, progress=fail)

    def test_other_threads_run(self):
        count, end = [0], threading.Event()

        def work():
            while not end.is_set():
                count[0] += 1
        thread = threading.Thread(target=work)
        thread.start()
        try:
            self.quantize(self.x, labels=self.labels, max_drop="5%")
        finally:
            end.set()
            thread.join()
        self.assertGreater(count[0], 1000)


class DataSetTest(DataCase):
    def test_run(self):
        result = convoy.run(self.model, self.x, labels=self.labels, top=2, jobs=2)
        scores = [convoy.compile(self.model).run({"x": x[None]})["scores"].argmax() for x in self.x[:50]]
        self.assertEqual(result["samples"], 400)
        self.assertEqual(sum(row["samples"] for row in result["answers"]), 400)
        self.assertGreater(result["accuracy"]["top_1"], 0.9)
        self.assertEqual(result["accuracy"]["k"], 2)
        few = convoy.run(self.model, [{"x": x[None]} for x in self.x[:50]], labels=self.labels[:50])
        self.assertEqual(few["accuracy"]["right"], int((np.array(scores) == self.labels[:50]).sum()))
        self.assertEqual(convoy.run(self.model, self.x, samples=30)["samples"], 30)
        self.assertNotIn("accuracy", convoy.run(self.model, self.x[:20]))

    def test_metric(self):
        command = 'python3 -c "import sys; print(len(sys.argv))"'
        self.assertEqual(convoy.run(self.model, self.x[:20], labels=self.labels[:20], metric=command)["metric"], 3)
        with self.assertRaisesRegex(convoy.Error, "metric: 'false' ended with exit code 1"):
            convoy.run(self.model, self.x[:20], metric="false")

    def test_check(self):
        result = convoy.check(self.model, data=self.x, samples=3)
        self.assertTrue(result["passed"])
        self.assertEqual(len(result["outputs"]), 3)
        self.assertEqual(len(convoy.check(self.model, data=self.x)["outputs"]), 10)
        with self.assertRaisesRegex(ValueError, "data: expected neither input nor golden beside it"):
            convoy.check(self.model, data=self.x, input={"x": self.x[:1]})
        with self.assertRaisesRegex(ValueError, "samples: expected also data, got none"):
            convoy.check(self.model, samples=3)

    def test_bench(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.json")
            rows = convoy.bench(self.model, repetitions=3, data=self.x, streams=2, trace=trace, output=folder)
            self.assertGreater(rows[0]["convoy_ms"], 0)
            self.assertIn("streams", json.dumps(rows))
            with open(trace, encoding="utf-8") as file:
                self.assertIn("kernel", {event.get("cat") for event in json.load(file)["traceEvents"]})
            self.assertTrue([name for name in os.listdir(folder) if name.endswith(".so")])
        self.assertGreater(convoy.bench(self.model, repetitions=3, input={"x": self.x[:1]})[0]["convoy_ms"], 0)
        with self.assertRaisesRegex(TypeError, "baseline: expected a path as model, which ONNX Runtime reads"):
            convoy.bench(self.model, baseline="onnxruntime")
        with self.assertRaisesRegex(ValueError, 'baseline_library: expected also baseline="onnxruntime"'):
            convoy.bench(self.model, baseline_library="x.so")


if __name__ == "__main__":
    unittest.main()

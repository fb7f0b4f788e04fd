#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program for ONNX Runtime with metadata, named dimensions, io binding and a profile; only the import differs.

  onnxruntime_session.py MODEL FOLDER     (FOLDER receives the profile)
"""

import json
import os
import sys

import convoy as onnxruntime  # was: import onnxruntime
import numpy as np


def open_session(model, folder):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.enable_profiling = True
    options.profile_file_prefix = os.path.join(folder, "session")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def describe(session):
    meta = session.get_modelmeta()
    print(f"{meta.graph_name} {meta.version} by {meta.producer_name}, {meta.domain}: {meta.description} {meta.graph_description}")
    for key, value in sorted(meta.custom_metadata_map.items()):
        print(f"  {key}: {value}")
    for kind, values in (("input", session.get_inputs()), ("output", session.get_outputs())):
        for value in values:
            print(f"{kind} {value.name}: {value.type} {value.shape}")
    print(session.get_providers(), onnxruntime.get_device())


def run_bound(session, data, classes):
    """Runs on memory of the program: first into a new array, then into an OrtValue."""
    first, last = session.get_inputs()[0], session.get_outputs()[0]
    binding = session.io_binding()
    binding.bind_cpu_input(first.name, data)
    binding.bind_output(last.name)
    session.run_with_iobinding(binding)
    allocated = binding.copy_outputs_to_cpu()[0]
    given = onnxruntime.OrtValue.ortvalue_from_numpy(data)
    result = onnxruntime.OrtValue.ortvalue_from_shape_and_type([data.shape[0], classes], np.float32)
    binding.bind_input(first.name, given.device_name(), 0, np.float32, given.shape(), given.data_ptr())
    binding.bind_ortvalue_output(last.name, result)
    session.run_with_iobinding(binding)
    print(result.data_type(), result.shape(), np.array_equal(result.numpy(), allocated))
    return allocated


def main():
    model, folder = sys.argv[1:]
    session = open_session(model, folder)
    describe(session)
    features = session.get_inputs()[0].shape[1]
    for batch in (1, 3):
        data = np.linspace(-1, 1, batch * features, dtype=np.float32).reshape(batch, features)
        scores = session.run(None, {session.get_inputs()[0].name: data})[0]
        print(np.array2string(scores, precision=4), np.allclose(run_bound(session, data, scores.shape[1]), scores))
    with open(session.end_profiling(), encoding="utf-8") as file:
        runs = [event for event in json.load(file) if event["cat"] == "Session" and event["name"] == "model_run"]
    print(f"{len(runs)} runs in the profile, all of positive time: {all(run['dur'] > 0 for run in runs)}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that eight threads run one model, each with different inputs, and that every result is correct.

  threads_test.py SECONDS
"""

import sys
import threading
import time

import convoy
import numpy as np
import onnx_models

THREADS = 8


def main():
    seconds = float(sys.argv[1])
    model = convoy.compile(onnx_models.convolution(), threads=2)
    rng = np.random.default_rng(2)
    inputs = [rng.standard_normal((1, 16, 32, 32)).astype(np.float32) for _ in range(4 * THREADS)]
    expected = [model.run({"x": x})["r3"] for x in inputs]
    end, runs, wrong = time.time() + seconds, [0] * THREADS, []

    def work(index):
        mine = list(range(index, len(inputs), THREADS))
        out = np.empty((1, 16, 32, 32), np.float32)
        while time.time() < end and not wrong:
            for number in mine:
                # Half of the runs use an array of the caller.
                result = model.run({"x": inputs[number]}, out={"r3": out} if runs[index] % 2 else None)["r3"]
                if not np.array_equal(result, expected[number]):
                    wrong.append(f"thread {index}, input {number}: {np.abs(result - expected[number]).max()}")
                runs[index] += 1

    threads = [threading.Thread(target=work, args=(index,)) for index in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{sum(runs)} runs of {THREADS} threads in {seconds:.0f} s, {len(wrong)} wrong")
    sys.exit(1 if wrong or min(runs) == 0 else 0)


main()

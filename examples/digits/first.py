#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classifies the first held-out image of train.py; the README shows these lines.

Runs from the root of the repository after `examples/digits/train.py build/digits`, with the
package convoy on the path.
"""

# begin snippet
import convoy, numpy
image = numpy.load("build/digits/heldout.npy")[:1]
model = convoy.compile("build/digits/digits.onnx")
print(model.run({"image": image})["scores"].argmax())
# end snippet

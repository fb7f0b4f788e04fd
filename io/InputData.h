// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data that --input names: NumPy, ONNX and raw tensors, images, random.

#pragma once

#include "Driver/LoadedProgram.h"
#include "io/ImageFlags.h"
#include "io/ModelFlags.h"

namespace convoy::io {

using driver::NamedData;
using reference::Datum;

struct InputFlags {
  std::vector<std::string> inputs; // "[NAME=]FILE" or "[NAME=]random[:seed]"
  ImageFlags image;
  std::string flag = "--input"; // the flag that named the inputs, for errors
};

/// Reads every --input, in order of the model's inputs where no name is given.
/// Inputs without data get random data of seed 0 when `isRandomByDefault`; else
/// they are errors. Every problem is added to the log.
NamedData readInputs(const InputFlags &flags, const std::vector<InputInfo> &inputs,
                     bool isRandomByDefault, Problems &problems);

/// Reads input_N.pb of a golden folder; N counts the model's inputs.
llvm::Expected<NamedData> readGoldenInputs(llvm::StringRef folder, const Model &model);

/// Reads output_N.pb of a golden folder.
llvm::Expected<std::vector<Datum>> readGoldenOutputs(llvm::StringRef folder, const Model &model);

/// Numbers that depend on nothing but seed, type and shape: floats in [0, 1),
/// 8-bit integers of any value, wider ones 0 to 9 (an index, mostly), booleans.
Tensor randomTensor(ElementType type, llvm::ArrayRef<int64_t> shape, uint64_t seed);

/// Takes shapes that nothing pins from the data.
void pinShapes(InputPins &pins, const NamedData &data);

} // namespace convoy::io

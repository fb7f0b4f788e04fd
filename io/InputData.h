// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the data of --input: NumPy, ONNX and raw tensors, images, and random data.

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
  std::string flag = "--input"; // the flag that errors name
};

/// Reads every --input. Values without a name fill the inputs in the model's order. Inputs
/// without data get random data with seed 0 if `isRandomByDefault`, else an error. Adds every
/// problem to `problems`.
NamedData readInputs(const InputFlags &flags, const std::vector<InputInfo> &inputs,
                     bool isRandomByDefault, Problems &problems);

/// Reads a file of one input and checks its element type.
llvm::Expected<Datum> readInputFile(llvm::StringRef file, const InputInfo &input,
                                    const ImageFlags &image);

/// Reads the files input_N.pb of a golden folder, where N is the index of the model's input.
llvm::Expected<NamedData> readGoldenInputs(llvm::StringRef folder, const Model &model);

/// Reads the files output_N.pb of a golden folder.
llvm::Expected<std::vector<Datum>> readGoldenOutputs(llvm::StringRef folder, const Model &model);

/// Returns random numbers that depend only on seed, type and shape: floats in [0, 1), 8-bit
/// integers of any value, booleans, and wider integers from 0 to 9, because such inputs
/// usually are indices.
Tensor randomTensor(ElementType type, llvm::ArrayRef<int64_t> shape, uint64_t seed);

/// Sets the shapes that are not pinned to the shapes of the data, also of the tensors in sequences
/// and optionals.
void pinShapes(InputPins &pins, const NamedData &data);

} // namespace convoy::io

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes files of other programs that users give as a model. ReadModel.cpp names the converter.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace convoy::import {

/// Returns what a file is and how to get an ONNX model: "is a TensorFlow Lite model; convert it
/// ...". Returns an empty text for an unknown format.
std::string describeForeignFile(llvm::StringRef bytes, llvm::StringRef name);

} // namespace convoy::import

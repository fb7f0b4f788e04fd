// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values in ONNX's data files (.pb): tensors, sequences, optionals. A file does
// not say which of the three it holds; the type of the model's input does.

#pragma once

#include "reference/Datum.h"
#include "llvm/Support/Error.h"

namespace onnx {
class TypeProto;
} // namespace onnx

namespace convoy::io {

using reference::Datum;

/// Reads a file that holds a value of `type`.
llvm::Expected<Datum> readOnnxData(llvm::StringRef path, const onnx::TypeProto &type);

/// Reads a file that holds a tensor.
llvm::Expected<Tensor> readOnnxTensor(llvm::StringRef path);

/// Writes a tensor; `name` goes into the file.
llvm::Error writeOnnxTensor(llvm::StringRef path, llvm::StringRef name, const Tensor &tensor);

} // namespace convoy::io

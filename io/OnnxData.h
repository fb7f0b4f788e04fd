// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes ONNX data files (.pb) of tensors, sequences and optionals. A file does not
// name its kind, so the caller passes the type of the model's input.

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

/// Writes a tensor. The file stores `name`.
llvm::Error writeOnnxTensor(llvm::StringRef path, llvm::StringRef name, const Tensor &tensor);

} // namespace convoy::io

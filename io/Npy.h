// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes NumPy's .npy files, versions 1 to 3, with element types that ONNX has too.

#pragma once

#include "Support/Tensor.h"
#include "llvm/Support/Error.h"

namespace convoy::io {

llvm::Expected<Tensor> readNpy(llvm::StringRef path);

/// Decodes the bytes of a file. Errors contain `name`.
llvm::Expected<Tensor> parseNpy(llvm::StringRef bytes, llvm::StringRef name);

/// Returns whether NumPy has the type. Callers write other types as ONNX tensors.
bool isNpyType(ElementType type);

llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor);

/// Returns the bytes of a file of version 1.
std::string encodeNpy(const Tensor &tensor);

} // namespace convoy::io

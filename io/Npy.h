// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy files, versions 1 to 3, of types that are also ONNX's.

#pragma once

#include "Support/Tensor.h"
#include "llvm/Support/Error.h"

namespace convoy::io {

llvm::Expected<Tensor> readNpy(llvm::StringRef path);

/// Decodes the bytes of a file; `name` is for errors.
llvm::Expected<Tensor> parseNpy(llvm::StringRef bytes, llvm::StringRef name);

/// Whether NumPy has the type; others are written as ONNX tensors.
bool isNpyType(ElementType type);

llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor);

/// The bytes of a file of version 1.
std::string encodeNpy(const Tensor &tensor);

} // namespace convoy::io

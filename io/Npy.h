// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes NumPy's .npy files, versions 1 to 3, with element types that ONNX has too.

#pragma once

#include "Support/Tensor.h"
#include "llvm/Support/Error.h"

namespace convoy::io {

/// The description of the array in a file.
struct NpyHeader {
  ElementType type = ElementType::Undefined;
  Shape shape;
  bool isColumnMajor = false;
  size_t dataOffset = 0; // of the first element in the file
};

/// Decodes the header of a file from its first bytes. Errors contain `name`.
llvm::Expected<NpyHeader> parseNpyHeader(llvm::StringRef bytes, llvm::StringRef name);

/// Checks the number of bytes after the header.
llvm::Error checkNpySize(const NpyHeader &header, uint64_t dataBytes, llvm::StringRef name);

llvm::Expected<Tensor> readNpy(llvm::StringRef path);

/// Decodes the bytes of a file. Errors contain `name`.
llvm::Expected<Tensor> parseNpy(llvm::StringRef bytes, llvm::StringRef name);

/// Returns whether NumPy has the type. Callers write other types as ONNX tensors.
bool isNpyType(ElementType type);

llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor);

/// Returns the bytes of a file of version 1.
std::string encodeNpy(const Tensor &tensor);

/// Returns the bytes before the elements in a file of version 1. A caller that writes the elements
/// one after the other uses it.
std::string encodeNpyHeader(ElementType type, llvm::ArrayRef<int64_t> dims);

} // namespace convoy::io

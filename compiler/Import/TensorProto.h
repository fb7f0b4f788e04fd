// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX tensors in memory and in files.

#pragma once

#include "Support/Tensor.h"
#include "llvm/Support/Error.h"

namespace onnx {
class TensorProto;
} // namespace onnx

namespace convoy::import {

/// Decodes a tensor. Raw bytes are viewed, not copied, and `owner` keeps the
/// message alive. `directory` is where external data may lie; empty refuses it.
llvm::Expected<Tensor> decodeTensor(const onnx::TensorProto &proto,
                                    std::shared_ptr<const void> owner, llvm::StringRef directory);

/// Maps `length` bytes at `offset` of a file under `directory`. The path may not
/// leave the directory by "..", symbolic link or hard link. A negative length is
/// the rest of the file.
llvm::Expected<Tensor> mapExternalData(llvm::StringRef directory, llvm::StringRef location,
                                       int64_t offset, int64_t length, ElementType type,
                                       llvm::ArrayRef<int64_t> shape);

} // namespace convoy::import

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes ONNX tensors from protobuf messages and from external files.

#pragma once

#include "Support/Tensor.h"
#include "llvm/Support/Error.h"

namespace onnx {
class TensorProto;
} // namespace onnx

namespace convoy::import {

/// Decodes a tensor. The result references raw bytes without copying them;
/// `owner` keeps the message alive. External data must be in `directory`; an
/// empty `directory` makes external data an error.
llvm::Expected<Tensor> decodeTensor(const onnx::TensorProto &proto,
                                    std::shared_ptr<const void> owner, llvm::StringRef directory);

/// Maps `length` bytes at `offset` of a file in `directory`. The path must not
/// leave the directory through "..", a symbolic link or a hard link. A negative
/// length maps the file from `offset` to its end.
llvm::Expected<Tensor> mapExternalData(llvm::StringRef directory, llvm::StringRef location,
                                       int64_t offset, int64_t length, ElementType type,
                                       llvm::ArrayRef<int64_t> shape);

} // namespace convoy::import

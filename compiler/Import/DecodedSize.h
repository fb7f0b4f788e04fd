// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the memory that a model takes when protobuf has decoded it.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace convoy::import {

/// Returns the bytes that the messages and the lists of a serialized ModelProto take in memory, or
/// a number above `limit` if they exceed it. Does not count the bytes of texts and tensors, which
/// take as much memory as in the file. Stops without an error where the bytes are not a message.
int64_t decodedBytes(llvm::StringRef model, int64_t limit);

} // namespace convoy::import

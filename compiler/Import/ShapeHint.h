// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words the flag that gives an input its shape, for errors about inputs with open
// dimensions. The importer and the readers of input data show the same flag.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace convoy::import {

/// Returns whether the batch of an input is its only open dimension. Such an input has batch 1
/// unless the user says otherwise.
bool hasOnlyOpenBatch(llvm::ArrayRef<int64_t> shape);

/// Returns what a user writes for dimension `i` of a shape: its size, 1 for an open batch,
/// or a letter such as W for another open dimension, whose size only the user knows.
std::string sizeHint(llvm::ArrayRef<int64_t> shape, size_t i);

/// Returns "--input-shape x:1x3x48xW"; negative dimensions are open.
std::string shapeFlag(llvm::StringRef input, llvm::ArrayRef<int64_t> shape);

/// Returns "--input-shape x:SHAPE" with an explanation, for an input of unknown rank.
std::string unrankedShapeFlag(llvm::StringRef input);

/// Returns "; replace W by a size that the model accepts", or nothing if the flag has no
/// letters.
std::string lettersNote(llvm::ArrayRef<int64_t> shape);

} // namespace convoy::import

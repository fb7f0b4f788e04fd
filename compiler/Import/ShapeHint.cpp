// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hint with a number for each dimension would have to work when a user copies it. Only a
// batch of 1 is safe to propose: a size of 1 fails in the first pool of most networks.

#include "Import/ShapeHint.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::import {
namespace {

bool isBatch(llvm::ArrayRef<int64_t> shape, size_t i) { return i == 0 && shape.size() > 1; }

/// The usual letter of an image's dimension; other dimensions have a number.
std::string letterOf(llvm::ArrayRef<int64_t> shape, size_t i) {
  if (shape.size() != 4) {
    return "D" + std::to_string(i);
  }
  bool hasChannelsLast = shape[1] < 0 && shape[3] >= 0;
  return std::string(1, hasChannelsLast ? "NHWC"[i] : "NCHW"[i]);
}

} // namespace

bool hasOnlyOpenBatch(llvm::ArrayRef<int64_t> shape) {
  return shape.size() >= 2 && shape[0] < 0 &&
         llvm::all_of(shape.drop_front(), [](int64_t size) { return size >= 0; });
}

std::string sizeHint(llvm::ArrayRef<int64_t> shape, size_t i) {
  return shape[i] >= 0 ? std::to_string(shape[i]) : isBatch(shape, i) ? "1" : letterOf(shape, i);
}

std::string shapeFlag(llvm::StringRef input, llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<std::string> sizes;
  for (size_t i = 0; i < shape.size(); ++i) {
    sizes.push_back(sizeHint(shape, i));
  }
  return "--input-shape " + input.str() + ":" + llvm::join(sizes, "x");
}

std::string unrankedShapeFlag(llvm::StringRef input) {
  return "--input-shape " + input.str() +
         ":SHAPE, where SHAPE is the size of each dimension, such as 1x3x224x224 for an image";
}

std::string lettersNote(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<std::string> letters;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0 && !isBatch(shape, i)) {
      letters.push_back(letterOf(shape, i));
    }
  }
  return letters.empty() ? ""
         : letters.size() == 1
             ? "; replace " + letters.front() + " by a size that the model accepts"
             : "; replace " + llvm::join(letters, ", ") + " by sizes that the model accepts";
}

} // namespace convoy::import

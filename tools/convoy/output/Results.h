// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs of a run, for people, programs and files.

#pragma once

#include "reference/Datum.h"
#include "tools/convoy/Options.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tool {

using reference::Datum;

struct NamedOutput {
  std::string name;
  Datum value;
};

/// The indices of the largest `count` elements of the last dimension's first
/// row, largest first; equal elements by index.
std::vector<int64_t> topIndices(const Tensor &tensor, int64_t count);

/// Returns the number of classes of an output: the elements of its last dimension; 0: it has none.
int64_t classCount(const Datum &value);

/// Prints each output: its best classes when `top` > 0 and it has classes, all
/// elements when there are few, else its range and first elements.
void printOutputs(llvm::raw_ostream &os, llvm::ArrayRef<NamedOutput> outputs, int64_t top,
                  llvm::ArrayRef<std::string> labels);

llvm::json::Array outputsToJson(llvm::ArrayRef<NamedOutput> outputs, int64_t top,
                                llvm::ArrayRef<std::string> labels);

/// Writes each output to `folder`, which is made, as NAME.npy or NAME.pb, and
/// returns the paths.
llvm::Expected<std::vector<std::string>> writeOutputs(llvm::StringRef folder, TensorFormat format,
                                                      llvm::ArrayRef<NamedOutput> outputs);

} // namespace convoy::tool

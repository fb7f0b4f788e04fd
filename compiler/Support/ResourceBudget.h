// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits the memory and the work that one input may cost, in counts that do not depend on the
// machine. Import, folding, the stages and the reader of loadables check the limits. A model has
// its budget from the function that reads its file.

#pragma once

#include <cstdint>

namespace convoy {

struct ResourceBudget {
  /// All limits are this many times the defaults.
  int64_t factor = 1;

  /// Bytes of memory for the messages of a decoded file, without the text and the tensors in the
  /// file. An empty node of 2 bytes in a file takes about 200 bytes of memory.
  int64_t decodedBytes() const { return scaled(int64_t(1) << 30); }
  /// Nodes of a model, before and after inlining. Real models have about 10,000 nodes.
  int64_t nodes() const { return scaled(int64_t(1) << 18); }
  /// Bytes of results of constant folding, beyond eight times the constants of the model.
  int64_t foldedBytes() const { return scaled(int64_t(1) << 30); }
  /// Products and sums of one folded op. The reference takes about 10 s for this number.
  int64_t foldedTerms() const { return scaled(int64_t(1) << 32); }
  /// Products and sums of all folded ops.
  int64_t allFoldedTerms() const { return scaled(int64_t(1) << 33); }
  /// Inputs and outputs of a model.
  int64_t interfaceTensors() const { return scaled(int64_t(1) << 12); }
  /// Ops of the program after a stage. An op takes about 300 bytes.
  int64_t ops() const { return scaled(int64_t(1) << 23); }
  /// Operations and comparisons while a loadable is read and checked.
  int64_t loadableSteps() const { return scaled(int64_t(1) << 28); }

private:
  int64_t scaled(int64_t limit) const { return limit * factor; }
};

} // namespace convoy

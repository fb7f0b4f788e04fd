// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device can do, as a table: ops, element types and limits. It answers for
// placement, drives the shared rewrites, prints as the support table of the
// reference, and tells tests which sizes to probe.

#pragma once

#include "Support/ElementType.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace convoy::accelerators {

/// A number of a convcore op that devices limit.
enum class Quantity {
  Batch,
  InputChannels,
  OutputChannels,
  InputHeight,
  InputWidth,
  KernelHeight,
  KernelWidth,
  StrideHeight,
  StrideWidth,
  DilationHeight,
  DilationWidth,
  Pad,         // the largest of the four
  Groups,      // 1 for no groups
  GroupInputs, // input channels of one group
  Inputs,      // of a concatenation
  Neighbours,  // channels that an lrn looks at
  Multiplier,  // of requantisation: the largest
  Shift,       // likewise
  ZeroPoint,   // of the input: its magnitude
  WeightZeroPoint,
};

/// "kernel height", as users read it.
llvm::StringRef name(Quantity quantity);

/// The quantity of an op, or nothing where it has none.
std::optional<int64_t> measure(mlir::Operation *op, Quantity quantity);

struct Limit {
  Quantity quantity;
  int64_t most;
};

/// One op that a device runs.
struct OpSupport {
  llvm::StringLiteral op; // mnemonic in convcore: "conv"
  std::vector<ElementType> types;
  std::vector<Limit> limits;
  llvm::StringLiteral note = ""; // for the support table
};

/// Why a device leaves an op to the CPU, in the words of `convoy explain`.
struct Refusal {
  std::string reason; // "kernel height 11 is above the limit of 8"
  std::string remedy; // what change would move it; may be empty
  std::optional<Quantity> quantity;
  int64_t actual = 0;
  int64_t most = 0;
  /// Whether the op computes in float and the device takes it in integers.
  bool needsIntegers = false;
};

class Capabilities {
public:
  Capabilities(std::vector<OpSupport> ops) : rows(std::move(ops)) {}

  llvm::ArrayRef<OpSupport> ops() const { return rows; }
  /// The row of an op by mnemonic, or null.
  const OpSupport *find(llvm::StringRef op) const;
  /// The limit of a quantity of an op, or nothing when there is none.
  std::optional<int64_t> limit(llvm::StringRef op, Quantity quantity) const;

  /// Why the table does not allow the op, or nothing when it does. Constants are
  /// always allowed. An op of f32 stands for the same op of `floatType`, which it
  /// becomes before the device lowers it.
  std::optional<Refusal> refuse(mlir::Operation *op,
                                ElementType floatType = ElementType::F32) const;

private:
  std::vector<OpSupport> rows;
};

} // namespace convoy::accelerators

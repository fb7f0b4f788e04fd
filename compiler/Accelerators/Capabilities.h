// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The capabilities of a device as a table of ops, element types and limits. Placement and the
// shared rewrites use the table, `docs/reference/devices.md` prints it, and tests derive the sizes
// that they probe from it.

#pragma once

#include "Support/ElementType.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace convoy::accelerators {

/// A property of a convcore op that a device may limit.
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
  Pad,         // largest of the four sides
  Groups,      // 1 if the convolution is not grouped
  GroupInputs, // input channels of one group
  Inputs,      // inputs of a concatenation
  Neighbors,   // channels that an lrn reads
  Multiplier,  // largest requantization multiplier
  Shift,       // largest requantization shift
  ZeroPoint,   // magnitude of the input's zero point
  WeightZeroPoint,
};

/// Returns the name that users read, for example "kernel height".
llvm::StringRef name(Quantity quantity);

/// Returns the quantity of an op, or nothing if the op does not have it.
std::optional<int64_t> measure(mlir::Operation *op, Quantity quantity);

struct Limit {
  Quantity quantity;
  int64_t most;
};

/// One op that a device supports.
struct OpSupport {
  llvm::StringLiteral op; // convcore mnemonic, for example "conv"
  std::vector<ElementType> types;
  std::vector<Limit> limits;
  llvm::StringLiteral note = ""; // printed in the support table
};

/// Why a device leaves an op to the CPU. `convoy explain` prints it.
struct Refusal {
  std::string reason; // "kernel height of conv is 11; the device supports at most 8"
  std::string remedy; // a change of the model that makes the device support the op; may be empty
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
  /// Returns the row of an op by mnemonic, or null.
  const OpSupport *find(llvm::StringRef op) const;
  /// Returns the limit of a quantity of an op, or nothing if there is none.
  std::optional<int64_t> limit(llvm::StringRef op, Quantity quantity) const;

  /// Returns why the table does not allow the op, or nothing if it does. Constants are always
  /// allowed. An f32 op represents the same op of `floatType`, because it is narrowed before the
  /// device lowers it.
  std::optional<Refusal> refuse(mlir::Operation *op,
                                ElementType floatType = ElementType::F32) const;

private:
  std::vector<OpSupport> rows;
};

} // namespace convoy::accelerators

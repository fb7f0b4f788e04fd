// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of the templates of bytes: they need byte ops, take images in one layout, and
// have one configuration per kernel.

#pragma once

#include "Kernels/KernelFunction.h"
#include "Kernels/MatchingTemplate.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace convoy::kernels {

/// A template that computes a kernel of type MatchedT with byte ops.
template <typename ConfigT, typename MatchedT>
class ByteTemplate : public MatchingTemplate<ConfigT, MatchedT> {
protected:
  std::string whyNotMatched(const KernelFacts & /*facts*/, const MatchedT & /*matched*/,
                            const Machine &machine) const override {
    return machine.hasByteOps ? "" : kNoByteOps;
  }
  /// The default gives the result and all operands the input's layout.
  void setLayouts(const KernelFacts &facts, const MatchedT &matched, ConfigT /*config*/,
                  Candidate &candidate) const override {
    candidate.result = this->inputLayout(facts, matched);
    candidate.operands.assign(facts.kernel.getInputs().size(), candidate.result);
  }
};

/// The shifts of requantize ops that byte ops support, and the minuend of stored shifts.
constexpr int64_t kLeastByteShift = 32;
constexpr int64_t kByteShiftMinuend = 31;
/// Sums must be below this bound, because byte ops compute them in i32 and add zero points.
constexpr int64_t kMostByteSum = (int64_t(1) << 31) - 512;

/// Returns the layout of a tensor whose channels are consecutive in memory.
mlir::Attribute pixelLayout(mlir::MLIRContext *context, int64_t channels);

/// Returns the constant that a value of the kernel's body is; nullopt: it is computed at run time.
std::optional<Tensor> constantOf(const KernelFacts &facts, mlir::Value value);

/// Returns whether byte_add can compute the sums of an addition of bytes ([integer_add.2]).
bool fitsByteAdd(graph::IntegerAddOp add);

/// Emits the addition of `count` bytes. If `isSwapped` is set, `lhs` is the right operand.
void emitByteAdd(mlir::ImplicitLocOpBuilder &b, graph::IntegerAddOp add, mlir::Value lhs,
                 mlir::Value rhs, mlir::Value result, int64_t count, bool isSwapped = false);

/// Returns whether a multiplier or shift is an operand or a constant. Fusion copies scalar
/// constants into the kernel.
bool isTable(mlir::Value value);

/// Emits a table of equal entries on the stack.
mlir::Value emitEqualEntries(mlir::ImplicitLocOpBuilder &b, int64_t count, int64_t entry);

/// Returns the memory of a table. A constant in the kernel is a table of `count` equal entries, as
/// RescaleTableAttr stores them.
mlir::Value emitTable(KernelFunction &function, mlir::Value value, int64_t count, int64_t minuend);

/// Returns how the table of zero points of the weights advances per group of channels: the size of
/// the group, 0 if all channels share the zero point, or -1 if the weights have none.
int64_t zeroStepOf(const ConvKernel &conv, int64_t groupChannels);

/// Returns the table of zero points of the weights for groups of `count` channels, or any table if
/// the byte op does not read it. One zero point for all channels, which can be 0, is a table of
/// equal entries on the stack.
mlir::Value emitZeroPoints(KernelFunction &function, const ConvKernel &conv, int64_t count,
                           bool isRead);

/// Returns the reason why byte ops cannot rescale with these shifts, or an empty string.
std::string whyNotShifts(const Tensor &shifts);

} // namespace convoy::kernels

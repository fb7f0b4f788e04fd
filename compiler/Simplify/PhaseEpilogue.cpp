// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the readers of a transposed convolution as long as they meet in one op.

#include "Simplify/PhaseEpilogue.h"
#include "Graph/Constant.h"
#include "Graph/OpFacts.h"
#include "Simplify/StaticType.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;

namespace {

/// Bounds the search for readers that meet.
constexpr size_t kMostJoinedReaders = 32;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Returns whether each element of the result depends on one element of each operand.
bool isElementwise(Operation *op) {
  auto quantize = dyn_cast<QuantizeLinearOp>(op);
  bool quantizesAll = quantize && quantize.getBlockSize() == 0 &&
                      cast<ShapedType>(quantize.getScale().getType()).getRank() == 0;
  return quantizesAll ||
         (collapsesDimensions(op) && !isa<ConstantOp, BitcastOp>(op) && op->getNumResults() == 1);
}

/// Returns whether a constant has one element, or one element per channel of a tensor with this
/// rank.
bool isScalarOrChannels(Value value, int64_t rank, int64_t channels) {
  RankedTensorType type = staticType(value);
  if (!type || !constantValue(value)) {
    return false;
  }
  int64_t missing = rank - type.getRank();
  bool isVector = missing >= 0 && missing <= 1 && type.getDimSize(1 - missing) == channels &&
                  type.getNumElements() == channels;
  return type.getNumElements() == 1 || isVector;
}

/// Finds the element-wise ops after a transposed convolution that can run before the interleave.
class EpilogueFinder {
public:
  explicit EpilogueFinder(ConvTransposeOp conv) : conv(conv) { known.insert(conv.getResult()); }

  SmallVector<Operation *> find() {
    Value last = conv.getResult();
    while (true) {
      SmallVector<Operation *> ops = joinedReaders(last);
      if (ops.empty()) {
        return epilogue;
      }
      llvm::append_range(epilogue, ops);
      last = ops.back()->getResult(0);
    }
  }

private:
  /// Returns element-wise ops in block order such that only the last one has readers outside, as in
  /// x * sigmoid(x).
  SmallVector<Operation *> joinedReaders(Value result) {
    auto isEarlier = [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); };
    SmallVector<Operation *> ops;
    llvm::SmallSetVector<Operation *, 4> open;
    do {
      for (Operation *reader : result.getUsers()) {
        if (reader->getBlock() != conv->getBlock()) {
          return {};
        }
        open.insert(reader);
      }
      if (open.empty() || ops.size() == kMostJoinedReaders) {
        return {};
      }
      ops.push_back(*std::min_element(open.begin(), open.end(), isEarlier));
      open.remove(ops.back());
      if (!readsPhases(ops.back())) {
        return {};
      }
      result = ops.back()->getResult(0);
      known.insert(result);
    } while (!open.empty());
    return ops;
  }

  /// Returns whether an element-wise op reads only known values, and constants with one element or
  /// one element per channel.
  bool readsPhases(Operation *op) {
    ArrayRef<int64_t> shape = shapeOf(conv.getResult());
    return isElementwise(op) && staticType(op->getResult(0)) &&
           shapeOf(op->getResult(0)) == shape &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return known.contains(operand) ||
                    isScalarOrChannels(operand, static_cast<int64_t>(shape.size()), shape[1]);
           });
  }

  ConvTransposeOp conv;
  SmallVector<Operation *> epilogue;
  llvm::SmallPtrSet<Value, 8> known;
};

} // namespace

SmallVector<Operation *> findPhaseEpilogue(ConvTransposeOp conv) {
  return EpilogueFinder(conv).find();
}

} // namespace convoy::simplify

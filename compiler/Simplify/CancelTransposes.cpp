// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancels transposes. Models from frameworks with channels-last layout have a
// transpose before and after every convolution. The pass moves each transpose down
// past ops that do not depend on the order of dimensions, until the transpose meets
// its inverse:
//
//     conv -> transpose -> relu -> transpose' -> conv
//     conv -> relu -> transpose -> transpose' -> conv
//     conv -> relu -> conv
//
// A transpose with other readers stays for these readers, so the rewritten function
// may contain more transposes. The pass keeps the rewritten function only if its
// transposes move fewer elements.

#include "Graph/OpFacts.h"
#include "Graph/TypedBuilder.h"
#include "Simplify/Passes.h"
#include "Simplify/StaticType.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_CANCELTRANSPOSESPASS
#include "Simplify/Passes.h.inc"

namespace {

using Permutation = SmallVector<int64_t>;

/// Returns constant axes, normalized to non-negative values, or nullopt if the axes
/// are not constant.
std::optional<Permutation> constantAxes(Value axes, int64_t rank) {
  std::optional<Tensor> value = constantValue(axes);
  if (!value) {
    return std::nullopt;
  }
  Permutation result;
  for (int64_t i = 0; i < value->size(); ++i) {
    int64_t axis = value->asInt(i);
    result.push_back(axis < 0 ? axis + rank : axis);
  }
  return result;
}

/// Moves one transpose past one op, or merges two transposes.
class Mover {
public:
  explicit Mover(Operation *op) : op(op), builder(op), b(builder, op->getLoc()) {}

  /// Returns whether the op was replaced.
  bool run() {
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      return joinTwo(transpose);
    }
    if (op->getNumResults() != 1 || !staticType(op->getResult(0))) {
      return false;
    }
    Value moved = movedPast();
    if (!moved) {
      return false;
    }
    op->replaceAllUsesWith(ValueRange{moved});
    op->erase();
    return true;
  }

private:
  Value movedPast() {
    if (auto concat = dyn_cast<ConcatOp>(op)) {
      return pastConcat(concat);
    }
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      return pastReduce(reduce);
    }
    if (auto pad = dyn_cast<PadOp>(op)) {
      return pastPad(pad);
    }
    return collapsesDimensions(op) && !isa<ConstantOp, BitcastOp>(op) ? pastElementwise() : Value();
  }

  /// Replaces transpose(transpose(x)) by one transpose, or by x if the two are
  /// inverse. A transpose that only moves dimensions of size 1 becomes a reshape.
  bool joinTwo(TransposeOp outer) {
    RankedTensorType type = staticType(outer.getInput());
    if (!type) {
      return false;
    }
    Value source = outer.getInput();
    Permutation perm(outer.getPerm());
    auto inner = source.getDefiningOp<TransposeOp>();
    if (inner && staticType(inner.getInput())) {
      source = inner.getInput();
      perm = applyPermutation(inner.getPerm(), outer.getPerm());
    }
    if (!inner && !movesOnlyOnes(type, perm)) {
      return false;
    }
    outer.replaceAllUsesWith(ordered(source, perm));
    outer.erase();
    return true;
  }

  /// Returns the value with permuted dimensions, using a reshape if possible.
  Value ordered(Value value, ArrayRef<int64_t> perm) {
    RankedTensorType type = staticType(value);
    if (isIdentityPermutation(perm)) {
      return value;
    }
    return movesOnlyOnes(type, perm) ? b.reshape(value, applyPermutation(type.getShape(), perm))
                                     : b.transpose(value, perm);
  }

  static bool movesOnlyOnes(RankedTensorType type, ArrayRef<int64_t> perm) {
    int64_t last = -1;
    for (int64_t dim : perm) {
      if (type.getDimSize(dim) != 1) {
        if (dim < last) {
          return false;
        }
        last = dim;
      }
    }
    return true;
  }

  /// Returns the operand's transpose if it is as large as the result, else null.
  TransposeOp wholeTranspose(Value operand) const {
    auto transpose = operand.getDefiningOp<TransposeOp>();
    bool isWhole = transpose && staticType(operand) && staticType(transpose.getInput()) &&
                   staticType(operand).getShape() == staticType(op->getResult(0)).getShape();
    return isWhole ? transpose : TransposeOp();
  }

  /// Returns the permutation that all transposes as large as the result share. The
  /// remaining operands must be constants, which constant folding transposes.
  std::optional<Permutation> commonPermutation() const {
    std::optional<Permutation> common;
    for (Value operand : op->getOperands()) {
      if (TransposeOp transpose = wholeTranspose(operand)) {
        Permutation perm(transpose.getPerm());
        if (common && *common != perm) {
          return std::nullopt;
        }
        common = perm;
      } else if (!staticType(operand) ||
                 (staticType(operand).getNumElements() != 1 && !constantValue(operand))) {
        return std::nullopt;
      }
    }
    return common;
  }

  Value pastElementwise() {
    std::optional<Permutation> perm = commonPermutation();
    if (!perm) {
      return Value();
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(turnedBack(operand, *perm));
    }
    return transposed(operands, *perm);
  }

  /// Returns the operand in the order of dimensions before the transpose.
  Value turnedBack(Value operand, ArrayRef<int64_t> perm) {
    if (TransposeOp transpose = wholeTranspose(operand)) {
      return transpose.getInput();
    }
    RankedTensorType type = staticType(operand);
    if (type.getNumElements() == 1) {
      return type.getRank() <= 1 ? operand : b.reshape(operand, {});
    }
    SmallVector<int64_t> shape(perm.size() - type.getRank(), 1);
    llvm::append_range(shape, type.getShape());
    return b.transpose(b.reshape(operand, shape), invertPermutationVector(perm));
  }

  /// Clones the op for new operands and returns its result in the order that the
  /// readers expect.
  Value transposed(ArrayRef<Value> operands, ArrayRef<int64_t> perm) {
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(b.placeholder());
    return ordered(b.infer(copy)->getResult(0), perm);
  }

  Value pastConcat(ConcatOp concat) {
    std::optional<Permutation> common;
    SmallVector<Value> sources;
    for (Value input : concat.getInputs()) {
      auto transpose = input.getDefiningOp<TransposeOp>();
      if (!transpose || (common && ArrayRef(*common) != transpose.getPerm())) {
        return Value();
      }
      common = Permutation(transpose.getPerm());
      sources.push_back(transpose.getInput());
    }
    return ordered(b.emit<ConcatOp>(sources, (*common)[concat.getAxis()]), *common);
  }

  /// Moves a transpose past a reduction. The remaining dimensions keep the order of
  /// the transpose.
  Value pastReduce(ReduceOp reduce) {
    auto transpose = reduce.getInput().getDefiningOp<TransposeOp>();
    if (!transpose || !reduce.getAxes()) {
      return Value();
    }
    ArrayRef<int64_t> perm = transpose.getPerm();
    auto axes = constantAxes(reduce.getAxes(), static_cast<int64_t>(perm.size()));
    if (!axes || axes->empty()) {
      return Value();
    }
    SmallVector<int64_t> sourceAxes;
    for (int64_t axis : *axes) {
      sourceAxes.push_back(perm[axis]);
    }
    Value result = b.emit<ReduceOp>(reduce.getKind(), transpose.getInput(), b.ints(sourceAxes),
                                    reduce.getKeepDims(), reduce.getNoopWithEmptyAxes());
    return ordered(result, reduce.getKeepDims() ? Permutation(perm) : without(perm, sourceAxes));
  }

  /// Returns the permutation restricted to the dimensions that are not removed.
  static Permutation without(ArrayRef<int64_t> perm, ArrayRef<int64_t> removed) {
    Permutation result;
    for (int64_t dim : perm) {
      if (!llvm::is_contained(removed, dim)) {
        result.push_back(dim - llvm::count_if(removed, [&](int64_t r) { return r < dim; }));
      }
    }
    return result;
  }

  Value pastPad(PadOp pad) {
    auto transpose = pad.getInput().getDefiningOp<TransposeOp>();
    std::optional<Tensor> pads = constantValue(pad.getPads());
    if (!transpose || !pads || pad.getAxes()) {
      return Value();
    }
    ArrayRef<int64_t> perm = transpose.getPerm();
    auto rank = static_cast<int64_t>(perm.size());
    SmallVector<int64_t> sourcePads(2 * rank);
    for (int64_t i = 0; i < rank; ++i) {
      sourcePads[perm[i]] = pads->asInt(i);
      sourcePads[rank + perm[i]] = pads->asInt(rank + i);
    }
    Value result = b.emit<PadOp>(transpose.getInput(), b.ints(sourcePads), pad.getValue(), Value(),
                                 pad.getMode());
    return ordered(result, perm);
  }

  Operation *op;
  OpBuilder builder;
  TypedBuilder b;
};

/// Returns the number of elements that transposes move at run time.
int64_t movedElements(func::FuncOp function) {
  int64_t elements = 0;
  function.walk([&](TransposeOp transpose) {
    if (RankedTensorType type = staticType(transpose.getInput());
        type && !transpose->use_empty() && !constantValue(transpose.getInput())) {
      elements += type.getNumElements();
    }
  });
  return elements;
}

void moveAll(func::FuncOp function) {
  // Operands precede their readers, so one walk moves a transpose as far as
  // possible. A replacement is inserted before the op that is visited next.
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    if (isa<TransposeOp, ConcatOp, ReduceOp, PadOp>(op) || collapsesDimensions(op)) {
      Mover(op).run();
    }
  }
  // Erases dead transposes in reverse order, because a dead transpose may be the
  // only reader of another one.
  ops.clear();
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops)) {
    if (isa<TransposeOp, ConstantOp>(op) && op->use_empty()) {
      op->erase();
    }
  }
}

struct CancelTransposes : impl::CancelTransposesPassBase<CancelTransposes> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    int64_t before = movedElements(function);
    if (before == 0) {
      return;
    }
    func::FuncOp changed = function.clone();
    moveAll(changed);
    int64_t after = movedElements(changed);
    if (after < before) {
      function.getBody().takeBody(changed.getBody());
      canceledElements += before - after;
    }
    changed.erase();
  }
};

} // namespace
} // namespace convoy::simplify

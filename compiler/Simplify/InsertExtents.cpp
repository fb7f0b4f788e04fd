// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces ops with sizes that depend on data by ops in memory of a maximum size, if only outputs
// of the model read the results. Adds the actual sizes as the last result of the function. Other
// ops with such sizes stay; convoy-place-check-cpu reports them.

#include "Graph/Attributes.h"
#include "Graph/Extent.h"
#include "Graph/TypedBuilder.h"
#include "Simplify/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_INSERTEXTENTSPASS
#include "Simplify/Passes.h.inc"

namespace {

bool hasStaticNumbers(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape()) {
    return false;
  }
  ElementType element = fromMlir(type.getElementType());
  return isFloat(element) || isInteger(element) || element == ElementType::Bool;
}

bool hasOpenShape(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.hasStaticShape();
}

/// The op that computes the results of another op in memory of a maximum size. The results are the
/// results of the other op, then the extents.
Operation *createBounded(TypedBuilder &b, Operation *op) {
  if (!llvm::all_of(op->getOperands(), hasStaticNumbers)) {
    return nullptr;
  }
  SmallVector<Type> types(op->getNumResults() + 1, b.placeholder());
  auto create = [&](StringRef name) {
    OperationState state(b.loc, name, op->getOperands(), types, op->getAttrs());
    return b.infer(b.builder.create(state));
  };
  return llvm::TypeSwitch<Operation *, Operation *>(op)
      .Case([&](CompressOp) { return create(BoundedCompressOp::getOperationName()); })
      .Case([&](NonZeroOp) { return create(BoundedNonZeroOp::getOperationName()); })
      .Default([](Operation *) { return nullptr; });
}

class ExtentInserter {
public:
  explicit ExtentInserter(func::FuncOp function)
      : function(function), exit(function.getBody().front().getTerminator()) {}

  LogicalResult run() {
    llvm::SetVector<Operation *> sources;
    for (Value value : exit->getOperands()) {
      if (Operation *op = value.getDefiningOp(); op && hasOpenShape(value)) {
        sources.insert(op);
      }
    }
    for (Operation *op : sources) {
      if (isOnlyReturned(op)) {
        bound(op);
      }
    }
    if (!extents.empty()) {
      addExtents();
    }
    updateFunctionType(function);
    return failure(hasFailed);
  }

  int64_t count() const { return static_cast<int64_t>(extents.size()); }

private:
  bool isOnlyReturned(Operation *op) const {
    return llvm::all_of(op->getResults(), [&](Value result) {
      return !hasOpenShape(result) ||
             llvm::all_of(result.getUsers(), [&](Operation *user) { return user == exit; });
    });
  }

  void bound(Operation *op) {
    OpBuilder builder(op);
    TypedBuilder b(builder, op->getLoc());
    Operation *bounded = createBounded(b, op);
    hasFailed |= b.hasFailed;
    if (!bounded) {
      return;
    }
    // All sizes that depend on data are the same number in each of these ops.
    int32_t extent = static_cast<int32_t>(extents.size());
    extents.push_back(bounded->getResults().back());
    for (OpOperand &operand : exit->getOpOperands()) {
      if (operand.get().getDefiningOp() == op && hasOpenShape(operand.get())) {
        setDims(operand.getOperandNumber(), cast<RankedTensorType>(operand.get().getType()),
                extent);
      }
    }
    op->replaceAllUsesWith(bounded->getResults().drop_back());
    op->erase();
  }

  void setDims(unsigned result, RankedTensorType type, int32_t extent) {
    SmallVector<int32_t> dims;
    for (int64_t size : type.getShape()) {
      dims.push_back(size == kDynamic ? extent : -1);
    }
    MLIRContext *context = function.getContext();
    function.setResultAttr(result, StringAttr::get(context, kDimsAttr),
                           DenseI32ArrayAttr::get(context, dims));
  }

  void addExtents() {
    OpBuilder builder(exit);
    TypedBuilder b(builder, function.getLoc());
    Value all = b.concat(extents, /*axis=*/0);
    hasFailed |= b.hasFailed;
    exit->insertOperands(exit->getNumOperands(), all);
    NamedAttribute mark(builder.getStringAttr(kExtentsAttr), builder.getUnitAttr());
    NamedAttribute name(builder.getStringAttr(kNameAttr), builder.getStringAttr("extents"));
    function.insertResult(function.getNumResults(), all.getType(),
                          builder.getDictionaryAttr({mark, name}));
  }

  func::FuncOp function;
  Operation *exit;
  SmallVector<Value> extents;
  bool hasFailed = false;
};

struct InsertExtents : impl::InsertExtentsPassBase<InsertExtents> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration()) {
      return;
    }
    unsigned results = function.getNumResults();
    if (results > 0 && isExtentsResult(function, results - 1)) {
      return; // The pass has already run.
    }
    ExtentInserter inserter(function);
    if (failed(inserter.run())) {
      signalPassFailure();
    }
    boundedOps += inserter.count();
  }
};

} // namespace
} // namespace convoy::simplify

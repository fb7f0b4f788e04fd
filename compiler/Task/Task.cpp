// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the task dialect, and verifies the ops of workers and rows. Kernel.cpp verifies kernels
// and their calls. Task.td numbers the constraints; the verifiers cite the numbers.

#include "Graph/Custom.h"
#include "Task/Custom.h"
#include "Task/Team.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include "Task/TaskDialect.cpp.inc"
#include "Task/TaskEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Task/TaskAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "Task/Task.cpp.inc"
#define GET_OP_CLASSES
#include "Task/Custom.cpp.inc"
#define GET_OP_CLASSES
#include "Task/Team.cpp.inc"

using namespace mlir;

namespace convoy::task {

void TaskDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Task/TaskAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Task/Task.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Task/Custom.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Task/Team.cpp.inc"
      >();
}

LogicalResult ParallelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto flags = cast<MemRefType>(getFlags().getType()); // [parallel.2]
  int64_t least = static_cast<int64_t>(getWorkers().size()) * kFlagElems;
  if (!flags.getElementType().isInteger(32) || flags.getRank() != 1 || !flags.hasStaticShape() ||
      flags.getNumElements() < least) {
    return emitOpError("expects flags of type memref<")
           << least << "xi32> or larger, found " << flags;
  }
  for (Attribute name : getWorkers()) { // [parallel.1]
    auto worker = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, cast<SymbolRefAttr>(name));
    if (!worker || !worker->hasAttr(kWorkerAttr)) {
      return emitOpError("expects a function marked task.worker, found none named ") << name;
    }
    if (!llvm::equal(worker.getArgumentTypes(), getInputs().getTypes())) {
      return emitOpError("expects operands of the worker's type ") << worker.getFunctionType();
    }
  }
  return success();
}

LogicalResult CallCustomOp::verify() {
  size_t tensors = getInputs().size() + getOutputs().size();
  if (getShapes().size() != tensors || getElementTypes().size() != tensors) { // [call_custom.1]
    return emitOpError("expects ") << tensors << " shapes and types, found " << getShapes().size()
                                   << " and " << getElementTypes().size();
  }
  if (!graph::isCustomFunctionName(getFunction())) { // [call_custom.2]
    return emitOpError("expects the name of a C function that does not begin with 'convoy', found ")
           << getFunctionAttr();
  }
  return success();
}

namespace {

/// Checks that `count` groups of `elems` elements from element `first` on are in the flags.
template <typename Op>
LogicalResult verifyFlags(Op op, int64_t first, int64_t count, int64_t elems, StringRef what) {
  auto flags = cast<MemRefType>(op.getFlags().getType());
  if (first < 0 || first % elems != 0 || !flags.hasStaticShape() ||
      flags.getNumElements() < first + count * elems) {
    return op.emitOpError("expects ")
           << count << " " << what << " at element " << first << " in " << flags;
  }
  TypeRange arguments = op.getBody().getArgumentTypes();
  if (arguments.size() != 2 || !llvm::all_of(arguments, [](Type t) { return t.isIndex(); })) {
    return op.emitOpError(
        "expects a body with two index arguments, the begin and end of the taken steps");
  }
  return success();
}

/// Returns whether 0 <= `part` < `parts` <= `range`.
bool isPartOf(int64_t part, int64_t parts, int64_t range) {
  return part >= 0 && part < parts && parts <= range;
}

} // namespace

LogicalResult ShareOp::verify() {
  if (!isPartOf(getPart(), getParts(), getRange()) ||
      static_cast<int64_t>(getLeast()) < 1) { // [share.1]
    return emitOpError("expects 0 <= part < parts <= range and least >= 1, found part ")
           << getPart() << " of " << getParts() << ", range " << getRange() << ", least "
           << getLeast();
  }
  return verifyFlags(*this, getWord(), getParts(), kWordElems, "words of shares"); // [share.2]
}

LogicalResult RoundsOp::verify() {
  if (!isPartOf(getPart(), getParts(), getRange()) ||
      static_cast<int64_t>(getRounds()) < 1) { // [rounds.1]
    return emitOpError("expects 0 <= part < parts <= range and rounds >= 1, found part ")
           << getPart() << " of " << getParts() << ", range " << getRange() << ", rounds "
           << getRounds();
  }
  return verifyFlags(*this, getWord(), getParts(), kFlagElems, "flags of rounds"); // [rounds.2]
}

MemRefType RowViewOp::viewType(MemRefType source, int64_t rows) {
  auto layout = StridedLayoutAttr::get(source.getContext(), ShapedType::kDynamic, {1});
  return MemRefType::get({source.getNumElements() / rows}, source.getElementType(), layout,
                         source.getMemorySpace());
}

void RowViewOp::build(OpBuilder &builder, OperationState &state, Value source, Value row,
                      int64_t rows) {
  build(builder, state, viewType(cast<MemRefType>(source.getType()), rows), source, row,
        builder.getI64IntegerAttr(rows));
}

Value RowViewOp::getViewSource() { return getSource(); }

LogicalResult FetchRowOp::verify() {
  auto elementOf = [](Value memory) { return getElementTypeOrSelf(memory.getType()); };
  if (elementOf(getSource()) != elementOf(getTarget())) { // [fetch_row.1]
    return emitOpError("expects a target with elements of type ")
           << elementOf(getSource()) << ", found " << elementOf(getTarget());
  }
  return success();
}

LogicalResult RowViewOp::verify() {
  auto source = dyn_cast<MemRefType>(getSource().getType());
  auto rows = static_cast<int64_t>(getRows());
  if (!source || source.getRank() != 1 || !source.hasStaticShape() ||
      !source.getLayout().isIdentity() || rows < 1 ||
      source.getNumElements() % rows != 0) { // [row_view.1]
    return emitOpError("expects flat memory of ")
           << rows << " equal rows, found " << getSource().getType();
  }
  MemRefType expected = viewType(source, rows); // [row_view.2]
  if (getView().getType() != expected) {
    return emitOpError("expects a view of type ") << expected << ", found " << getView().getType();
  }
  return success();
}

} // namespace convoy::task

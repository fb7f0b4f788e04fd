// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What @main does, and the bytes that each part touches. Whether a kernel writes
// an argument is seen in its body: an access of a kind that is not known counts as
// a write.

#include "Tasks/Schedule.h"
#include "Tasks/Task.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace convoy::tasks {
namespace {

// A copy streams: about what one core moves.
constexpr double kCopyBytesPerNs = 8;

int64_t bytesOf(MemRefType type) {
  unsigned bits = type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  return type.getNumElements() * ((bits + 7) / 8);
}

/// Whether the op only reads this memory.
bool isRead(Operation *op) {
  return isa<memref::LoadOp, vector::LoadOp, vector::MaskedLoadOp, vector::GatherOp,
             vector::ExpandLoadOp, vector::TransferReadOp>(op);
}

/// Whether anything may be written through this value.
bool isWritten(Value memory) {
  return llvm::any_of(memory.getUses(), [](OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      return copy.getTarget() == use.get();
    }
    if (isRead(op)) {
      return false;
    }
    // Another name for the same memory is what that name is used for.
    return isMemoryEffectFree(op) ? llvm::any_of(op->getResults(), isWritten) : true;
  });
}

func::FuncOp kernelOf(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
}

class AccessFinder {
public:
  AccessFinder(func::FuncOp main, bool withScratch) : main(main), withScratch(withScratch) {}

  LogicalResult visit(Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      return visitCall(call);
    }
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      return failure(failed(touch(op, copy.getSource(), /*isWrite=*/false)) ||
                     failed(touch(op, copy.getTarget(), /*isWrite=*/true)));
    }
    if (isMemoryEffectFree(op) && op->getNumRegions() == 0) {
      return success(); // a view, or a number
    }
    for (Value operand : op->getOperands()) {
      if (isa<MemRefType>(operand.getType()) && failed(touch(op, operand, !isRead(op)))) {
        return failure();
      }
    }
    for (Region &region : op->getRegions()) {
      for (Operation &inner : region.getOps()) {
        if (failed(visit(&inner))) {
          return failure();
        }
      }
    }
    return success();
  }

  SmallVector<Access> accesses;

private:
  LogicalResult visitCall(func::CallOp call) {
    func::FuncOp kernel = kernelOf(call);
    std::optional<unsigned> scratch = withScratch ? std::nullopt : scratchOperand(call);
    for (auto [i, operand] : llvm::enumerate(call.getOperands())) {
      if (!isa<MemRefType>(operand.getType()) || scratch == i) {
        continue;
      }
      bool isKnown = kernel && !kernel.isExternal();
      if (failed(touch(call, operand, !isKnown || isWritten(kernel.getArgument(i))))) {
        return failure();
      }
    }
    return success();
  }

  LogicalResult touch(Operation *op, Value memory, bool isWrite) {
    int64_t bytes = bytesOf(cast<MemRefType>(memory.getType()));
    int64_t offset = 0;
    if (auto view = memory.getDefiningOp<memref::ViewOp>()) {
      APInt shift;
      if (!matchPattern(view.getByteShift(), m_ConstantInt(&shift))) {
        return op->emitOpError("touches memory at an offset that is not constant");
      }
      offset = shift.getSExtValue();
      memory = view.getSource();
    }
    auto argument = dyn_cast<BlockArgument>(memory);
    if (!argument || argument.getOwner() != &main.getBody().front()) {
      return op->emitOpError("touches memory that is no part of an argument of @main");
    }
    if (bytes > 0) {
      accesses.push_back({argument.getArgNumber(), offset, offset + bytes, isWrite});
    }
    return success();
  }

  func::FuncOp main;
  bool withScratch;
};

double copyNs(ArrayRef<Access> accesses) {
  double bytes = 0;
  for (const Access &access : accesses) {
    bytes += static_cast<double>(access.end - access.begin);
  }
  return bytes / kCopyBytesPerNs;
}

/// Time of an op that one worker does alone. Loops run their bodies a number of
/// times that is not known here; once is a start.
double serialNs(Operation *op, llvm::function_ref<double(func::CallOp)> callNs) {
  double total = 0;
  op->walk([&](func::CallOp call) { total += callNs(call); });
  return total;
}

} // namespace

std::optional<unsigned> scratchOperand(func::CallOp call) {
  func::FuncOp kernel = kernelOf(call);
  // Before the two ends of the range.
  return kernel && kernel->hasAttr(task::kScratchAttr) ? std::optional(call.getNumOperands() - 3)
                                                       : std::nullopt;
}

FailureOr<SmallVector<Access>> accessesOf(Operation *op, func::FuncOp function, bool withScratch) {
  AccessFinder finder(function, withScratch);
  if (failed(finder.visit(op))) {
    return failure();
  }
  return std::move(finder.accesses);
}

FailureOr<std::vector<Work>> collectWork(func::FuncOp main) {
  llvm::DenseMap<StringRef, double> known;
  auto callNs = [&](func::CallOp call) {
    func::FuncOp kernel = kernelOf(call);
    auto [it, isNew] = known.try_emplace(call.getCallee(), 0);
    if (isNew && kernel && !kernel.isExternal()) {
      it->second = estimateNs(kernel);
    }
    return it->second;
  };
  std::vector<Work> works;
  mlir::Block &body = main.getBody().front();
  Operation *returned =
      body.getTerminator()->getNumOperands() == 0
          ? nullptr
          : body.getTerminator()->getOperand(0).getDefiningOp(); // the status, read at the end
  for (Operation &op : body.without_terminator()) {
    if (&op == returned || (isMemoryEffectFree(&op) && op.getNumRegions() == 0)) {
      continue;
    }
    FailureOr<SmallVector<Access>> accesses = accessesOf(&op, main, /*withScratch=*/false);
    if (failed(accesses)) {
      return failure();
    }
    Work work;
    work.op = &op;
    work.accesses = std::move(*accesses);
    work.isPinned = !isa<func::CallOp, memref::CopyOp>(op);
    work.costNs = isa<memref::CopyOp>(op) ? copyNs(work.accesses) : serialNs(&op, callNs);
    if (auto call = dyn_cast<func::CallOp>(op)) {
      func::FuncOp kernel = kernelOf(call);
      auto range = kernel ? kernel->getAttrOfType<IntegerAttr>(task::kRangeAttr) : nullptr;
      work.range = range ? range.getInt() : 1;
    }
    works.push_back(std::move(work));
  }
  return works;
}

} // namespace convoy::tasks

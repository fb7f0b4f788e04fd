// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-memory-lower-row-views. Equal kernels share a function, but each of their calls
// may keep a tensor in a ring of another size. The size is a constant of the kernel if all calls
// agree, else an argument:
//
//     task.call @conv(%x, %w, %y, %c0, %c8) {rings = array<i64: 3, 0, 0, 0, 0>}
//     task.call @conv(%z, %w, %u, %c0, %c8) {rings = array<i64: 4, 0, 0, 0, 0>}
//
//     task.call @conv(%x, %w, %y, %c3, %c0, %c8)   the third last argument is the size of the ring
//     task.call @conv(%z, %w, %u, %c4, %c0, %c8)

#include "Memory/Passes.h"
#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace convoy::memory {
#define GEN_PASS_DEF_LOWERROWVIEWSPASS
#include "Memory/Passes.h.inc"

namespace {

/// The number of arguments behind the rings of a kernel: the begin and the end of its range.
constexpr unsigned kRangeArguments = 2;

using Calls = SmallVector<task::CallOp>;

/// Lowers the views of the rows of one kernel.
class KernelLowering {
public:
  KernelLowering(task::KernelOp kernel, ArrayRef<task::CallOp> calls)
      : kernel(kernel), calls(calls), b(kernel.getLoc(), kernel.getContext()) {}

  LogicalResult run() {
    unsigned tensors = kernel.getNumArguments();
    for (unsigned i = 0; i < tensors; ++i) {
      if (failed(lowerArgument(i))) {
        return failure();
      }
    }
    for (task::CallOp call : calls) {
      call.removeRingsAttr();
    }
    return success();
  }

private:
  /// Returns the views of an argument. Fails if the argument is a ring and has any other use.
  FailureOr<SmallVector<task::RowViewOp>> viewsOf(unsigned argument) {
    bool hasRing =
        llvm::any_of(calls, [&](task::CallOp call) { return call.getRing(argument) > 0; });
    SmallVector<task::RowViewOp> views;
    for (Operation *user : kernel.getArgument(argument).getUsers()) {
      if (auto view = dyn_cast<task::RowViewOp>(user)) {
        views.push_back(view);
      } else if (hasRing) {
        return user->emitOpError("expects argument ")
               << argument << " of " << kernel.getSymName()
               << " to be read and written through task.row_view, because a call keeps it in a "
                  "ring";
      }
    }
    return views;
  }

  LogicalResult lowerArgument(unsigned argument) {
    FailureOr<SmallVector<task::RowViewOp>> views = viewsOf(argument);
    if (failed(views)) {
      return failure();
    }
    if (views->empty()) {
      return success();
    }
    auto rows = static_cast<int64_t>(views->front().getRows());
    SmallVector<int64_t> rings; // by call; a whole tensor is a ring of all rows
    for (task::CallOp call : calls) {
      int64_t ring = call.getRing(argument);
      rings.push_back(ring == 0 ? rows : ring);
    }
    bool isWhole = llvm::all_of(rings, [&](int64_t ring) { return ring == rows; });
    Value size;
    if (!isWhole && !llvm::all_equal(rings)) {
      size = addArgument(rings);
    }
    for (task::RowViewOp view : *views) {
      b.setInsertionPoint(view);
      b.setLoc(view.getLoc());
      Value ring = isWhole || size ? size : index(rings.front());
      lower(view, ring);
    }
    return success();
  }

  /// Adds an argument before the range. Each call passes the size of its ring.
  Value addArgument(ArrayRef<int64_t> rings) {
    unsigned at = kernel.getNumArguments() - kRangeArguments;
    kernel.insertArgument(at, b.getIndexType(), {}, kernel.getLoc());
    for (auto [i, ring] : llvm::enumerate(rings)) {
      task::CallOp call = calls[i];
      b.setInsertionPoint(call);
      b.setLoc(call.getLoc());
      call->insertOperands(call->getNumOperands() - kRangeArguments, index(ring));
    }
    return kernel.getArgument(at);
  }

  /// Replaces a view by an offset. `ring` is null if the memory holds all rows.
  void lower(task::RowViewOp view, Value ring) {
    int64_t elements = view.getRowElements();
    Value row = view.getRow();
    if (ring) {
      row = b.create<arith::RemUIOp>(row, ring);
    }
    Value offset = b.create<arith::MulIOp>(row, index(elements));
    Value lowered = b.create<memref::SubViewOp>(cast<MemRefType>(view.getView().getType()),
                                                view.getSource(), ArrayRef<OpFoldResult>{offset},
                                                ArrayRef<OpFoldResult>{b.getIndexAttr(elements)},
                                                ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
    view.replaceAllUsesWith(lowered);
    view.erase();
  }

  Value index(int64_t value) { return b.create<arith::ConstantIndexOp>(value); }

  task::KernelOp kernel;
  ArrayRef<task::CallOp> calls;
  ImplicitLocOpBuilder b;
};

struct LowerRowViews : impl::LowerRowViewsPassBase<LowerRowViews> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::MapVector<StringRef, Calls> calls;
    for (auto kernel : module.getOps<task::KernelOp>()) {
      calls[kernel.getSymName()];
    }
    module.walk([&](task::CallOp call) { calls[call.getKernel()].push_back(call); });
    for (auto &[name, callers] : calls) {
      auto kernel = module.lookupSymbol<task::KernelOp>(name);
      if (failed(KernelLowering(kernel, callers).run())) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace convoy::memory

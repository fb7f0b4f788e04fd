// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the properties that the printer assumes, because the printer cannot fail.

#include "Codegen/C/ByteFunctions.h"
#include "Codegen/C/CTypes.h"
#include "Codegen/C/Expressions.h"
#include "Codegen/C/LaneGroups.h"
#include "Codegen/C/Passes.h"
#include "Graph/NodeName.h"
#include "Kernels/Kernel.h"
#include "Support/TypedDiagnostic.h"
#include "Task/Custom.h"
#include "Task/Team.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::codegen {

#define GEN_PASS_DEF_CHECKSOURCECONTRACTPASS
#include "Codegen/C/Passes.h.inc"

namespace {

bool isScalar(Type type) {
  bool isInteger = type.isInteger(1) || type.isInteger(8) || type.isInteger(16) ||
                   type.isInteger(32) || type.isInteger(64);
  return isInteger || type.isIndex() || type.isF16() || type.isBF16() || type.isF32() ||
         type.isF64();
}

/// Returns whether the elements are consecutive: a whole memory, or a row of one.
bool isConsecutive(MemRefType memory) {
  auto strided = dyn_cast<StridedLayoutAttr>(memory.getLayout());
  return memory.getLayout().isIdentity() ||
         (strided && strided.getStrides() == ArrayRef<int64_t>{1});
}

bool hasForm(Type type) {
  if (isa<LLVM::LLVMPointerType>(type)) { // an operand of a tile op
    return true;
  }
  if (auto vector = dyn_cast<VectorType>(type)) {
    return vector.getRank() == 1 && !vector.isScalable() && isScalar(vector.getElementType());
  }
  if (auto memory = dyn_cast<MemRefType>(type)) {
    return memory.hasStaticShape() && memory.getRank() <= 1 && isConsecutive(memory) &&
           isScalar(memory.getElementType()) && !memory.getElementType().isInteger(1);
  }
  return isScalar(type);
}

bool hasForm(Operation *op) {
  if (isa<func::FuncOp, func::ReturnOp, task::KernelOp, task::ReturnOp, task::CallOp, scf::ForOp,
          scf::IfOp, scf::IndexSwitchOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp,
          arith::ConstantOp, memref::LoadOp, memref::StoreOp, memref::ViewOp, memref::SubViewOp,
          memref::CastOp, memref::CopyOp, memref::PrefetchOp, memref::AllocaOp, vector::BitCastOp,
          vector::ShuffleOp, vector::InterleaveOp, kernels::MatmulBytesOp, task::FetchRowOp,
          task::OffloadOp, task::ParallelOp, task::PowerOp, task::RoundsOp, task::ShareOp,
          task::TeamPostOp, task::TeamRenewOp, task::TeamWaitOp, task::WaitOp, task::PostOp,
          task::CallCustomOp>(op)) {
    return true;
  }
  if (isa<LLVM::ConstantOp, LLVM::IntToPtrOp, memref::ExtractAlignedPointerAsIndexOp>(op)) {
    return true;
  }
  if (auto intrinsic = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    return !tileMacro(intrinsic.getIntrin()).empty();
  }
  if (auto bytes = dyn_cast<kernels::ByteOpInterface>(op)) {
    return findByteFunction(bytes.functionName()).has_value();
  }
  if (auto reduction = dyn_cast<vector::ReductionOp>(op)) {
    return reduction.getKind() == vector::CombiningKind::ADD && !reduction.getAcc() &&
           isa<IntegerType>(reduction.getType());
  }
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    return !isa<VectorType>(broadcast.getSourceType());
  }
  if (isa<vector::ExtractOp, vector::InsertOp, vector::ExtractElementOp, vector::InsertElementOp>(
          op)) {
    return llvm::none_of(op->getResultTypes(), [](Type type) {
      auto vector = dyn_cast<VectorType>(type);
      return vector && vector.getRank() != 1;
    });
  }
  if (auto select = dyn_cast<arith::SelectOp>(op); select && isa<MemRefType>(select.getType())) {
    return true;
  }
  return isLaneOp(op) || isLanewise(op);
}

/// Adds the kernel, the nodes and the remedy to an error.
void explain(Operation *op, InFlightDiagnostic &diag) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function) {
    return;
  }
  std::string nodes = graph::nodeText(function.getLoc());
  diag << " in kernel '" << function.getName() << "'";
  if (!nodes.empty()) {
    diag << " of node " << nodes;
  }
  diag << "; compile to a library instead (--emit=library), and report this problem";
}

LogicalResult check(Operation *op) {
  if (!hasForm(op)) {
    InFlightDiagnostic diag = emitUnsupported(op, "not supported in C: this operation");
    explain(op, diag);
    return diag;
  }
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    if (!hasForm(type)) {
      InFlightDiagnostic diag = emitUnsupported(op, "not supported in C: type ") << type;
      explain(op, diag);
      return diag;
    }
  }
  return success();
}

class CheckSourceContractPass : public impl::CheckSourceContractPassBase<CheckSourceContractPass> {
public:
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      function.walk([&](Operation *op) {
        if (failed(check(op))) {
          signalPassFailure();
        }
      });
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace convoy::codegen

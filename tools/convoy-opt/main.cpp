// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs single passes on textual IR, for lit tests, and replays reproducers of `convoy`
// (--run-reproducer). It registers Convoy's dialects and passes and the upstream dialects
// and passes that the stages use. Registering all of MLIR would cost 40 s and 2 GB to compile.

#include "Accelerators/Registry.h"
#include "Codegen/LLVM/ModelInterface.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Graph.h"
#include "Kernels/Passes.h"
#include "Layout/Attributes.h"
#include "Memory/Attributes.h"
#include "Place/SummarizePlan.h"
#include "Task/Task.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

namespace convoy {
/// CMakeLists.txt generates the definition from its list of stages.
void registerStagePasses();
} // namespace convoy

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<convoy::convcore::ConvCoreDialect, convoy::graph::GraphDialect,
                  convoy::kernels::KernelDialect, convoy::task::TaskDialect>();
  registry.insert<convoy::codegen::CodegenDialect, convoy::layout::LayoutDialect,
                  convoy::memory::MemoryDialect, convoy::place::PlaceDialect>();
  registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
  convoy::accelerators::registerDeviceDialects(registry);
  mlir::registerTransformsPasses();
  // The codegen stage uses it, and its reproducers name it.
  mlir::registerPass([] { return mlir::createConvertSCFToCFPass(); });
  convoy::registerStagePasses();
  convoy::kernels::registerTemplatePasses();
  convoy::accelerators::registerDevicePasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Convoy pass runner, for lit tests\n", registry));
}

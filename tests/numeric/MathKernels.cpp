// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shortest way from a math op to machine code: no stage of ours but the one
// under test, then upstream conversions and ORC at the host's full feature set.

#include "tests/numeric/MathKernels.h"
#include "Kernels/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <set>

using namespace mlir;

namespace convoy::test {
namespace {

/// {0} name, {1} vector or element type, {2} element type, {3} lanes, {4} load
/// suffix, {5} op and operands.
constexpr const char *kLoop = R"(
func.func @{0}(%xs: memref<?x{2}>, %ys: memref<?x{2}>, %out: memref<?x{2}>)
    attributes {{llvm.emit_c_interface} {{
  %zero = arith.constant 0 : index
  %step = arith.constant {3} : index
  %size = memref.dim %xs, %zero : memref<?x{2}>
  scf.for %i = %zero to %size step %step {{
    %x = {4}.load %xs[%i] : memref<?x{2}>{6}
    %y = {4}.load %ys[%i] : memref<?x{2}>{6}
    %r = math.{5} : {1}
    {4}.store %r, %out[%i] : memref<?x{2}>{6}
  }
  return
}
)";

std::string textOf(const MathKernel &kernel) {
  bool isVector = kernel.lanes > 1;
  std::string type = kernel.element;
  if (isVector) {
    type = "vector<" + std::to_string(kernel.lanes) + "x" + type + ">";
  }
  std::string call = kernel.op + (kernel.operands == 2 ? " %x, %y" : " %x");
  return llvm::formatv(kLoop, kernel.name(), type, kernel.element, kernel.lanes,
                       isVector ? "vector" : "memref", call, isVector ? ", " + type : "")
      .str();
}

DialectRegistry dialects() {
  DialectRegistry registry;
  registry
      .insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
              math::MathDialect, memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  return registry;
}

LogicalResult lower(ModuleOp module, bool fuseMultiplyAdd) {
  PassManager passes(module.getContext());
  passes.addPass(kernels::createLowerMathPass({fuseMultiplyAdd}));
  passes.addPass(createConvertSCFToCFPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  return passes.run(module);
}

/// The first op that is not plain arithmetic: a call, or an intrinsic beyond those
/// that are one exact operation.
std::string firstLibraryCall(ModuleOp module) {
  static const std::set<llvm::StringRef> exact = {
      "llvm.intr.copysign", "llvm.intr.fabs", "llvm.intr.fma", "llvm.intr.sqrt", "llvm.intr.trunc"};
  std::string found;
  module.walk([&](Operation *op) {
    llvm::StringRef name = op->getName().getStringRef();
    bool isIntrinsic = name.starts_with("llvm.intr.") && !exact.count(name);
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    bool isCall = isa<LLVM::CallOp>(op) && !function.getName().starts_with("_mlir_ciface_");
    if (found.empty() && (isIntrinsic || isCall)) {
      found = function.getName().str() + " holds " + name.str();
    }
  });
  return found;
}

template <typename T>
struct Descriptor {
  T *allocated;
  T *aligned;
  int64_t offset;
  int64_t size;
  int64_t stride;
};

template <typename T>
Descriptor<T> describe(const std::vector<T> &data) {
  T *pointer = const_cast<T *>(data.data());
  return {pointer, pointer, 0, static_cast<int64_t>(data.size()), 1};
}

} // namespace

MathKernels::MathKernels(llvm::ArrayRef<MathKernel> kernels, bool fuseMultiplyAdd)
    : context(std::make_unique<MLIRContext>(dialects(), MLIRContext::Threading::DISABLED)) {
  std::string text;
  for (const MathKernel &kernel : kernels) {
    text += textOf(kernel);
  }
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, context.get());
  if (!module || failed(lower(*module, fuseMultiplyAdd))) {
    error = "the kernels do not parse or lower";
    return;
  }
  error = firstLibraryCall(*module);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto machineBuilder = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  auto machine = llvm::cantFail(machineBuilder.createTargetMachine());
  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(2, 0, machine.get());
  options.transformer = optimize;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  auto created = ExecutionEngine::create(*module, options, std::move(machine));
  if (!created) {
    error = llvm::toString(created.takeError());
    return;
  }
  engine = std::move(*created);
}

MathKernels::~MathKernels() = default;

template <typename T>
void MathKernels::run(const MathKernel &kernel, const std::vector<T> &x, const std::vector<T> &y,
                      std::vector<T> &out) {
  void *symbol = llvm::cantFail(engine->lookup("_mlir_ciface_" + kernel.name()));
  auto function =
      reinterpret_cast<void (*)(Descriptor<T> *, Descriptor<T> *, Descriptor<T> *)>(symbol);
  Descriptor<T> first = describe(x);
  Descriptor<T> second = describe(y);
  Descriptor<T> result = describe(out);
  function(&first, &second, &result);
}

template void MathKernels::run<float>(const MathKernel &, const std::vector<float> &,
                                      const std::vector<float> &, std::vector<float> &);
template void MathKernels::run<double>(const MathKernel &, const std::vector<double> &,
                                       const std::vector<double> &, std::vector<double> &);

} // namespace convoy::test

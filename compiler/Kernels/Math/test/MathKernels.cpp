// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles math ops to machine code with the pass under test only, followed by upstream conversions
// and ORC with all features of the host.

#include "Kernels/Math/test/MathKernels.h"
#include "Kernels/Passes.h"
#include "Targets/Target.h"
#include "Task/Task.h"
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
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
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

OwningOpRef<ModuleOp> parseAndLower(llvm::ArrayRef<MathKernel> kernels, bool fuseMultiplyAdd,
                                    MLIRContext &context) {
  std::string text;
  for (const MathKernel &kernel : kernels) {
    text += textOf(kernel);
  }
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module || failed(lower(*module, fuseMultiplyAdd))) {
    return nullptr;
  }
  return module;
}

/// Returns the first op that is not plain arithmetic: a call, or an intrinsic that is not one exact
/// operation.
std::string firstLibraryCall(ModuleOp module) {
  static const std::set<llvm::StringRef> exact = {"llvm.intr.copysign", "llvm.intr.fabs",
                                                  "llvm.intr.fma", "llvm.intr.sqrt"};
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

/// Returns an object file of `module` for baseline x86-64, in memory.
llvm::SmallVector<char, 0> compileForBaseline(ModuleOp module) {
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> ir = translateModuleToLLVMIR(module, llvmContext);
  llvm::orc::JITTargetMachineBuilder builder(llvm::Triple("x86_64-unknown-linux-gnu"));
  builder.setCPU("x86-64");
  std::unique_ptr<llvm::TargetMachine> machine = llvm::cantFail(builder.createTargetMachine());
  ir->setDataLayout(machine->createDataLayout());
  ir->setTargetTriple(machine->getTargetTriple().str());
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  passes.run(*ir);
  return object;
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
  OwningOpRef<ModuleOp> module = parseAndLower(kernels, fuseMultiplyAdd, *context);
  if (!module) {
    error = "the kernels do not parse or lower";
    return;
  }
  error = firstLibraryCall(*module);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  targets::Target host = targets::detectHost();
  llvm::orc::JITTargetMachineBuilder machineBuilder{llvm::Triple(host.triple)};
  machineBuilder.setCPU(host.cpu);
  machineBuilder.addFeatures(host.features);
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

std::vector<std::string> symbolsLeftToLink(llvm::ArrayRef<MathKernel> kernels) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  MLIRContext context(dialects(), MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parseAndLower(kernels, /*fuseMultiplyAdd=*/false, context);
  if (!module) {
    return {"the kernels do not parse or lower"};
  }
  llvm::SmallVector<char, 0> bytes = compileForBaseline(*module);
  llvm::MemoryBufferRef buffer(llvm::StringRef(bytes.data(), bytes.size()), "kernels.o");
  auto object = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(buffer));
  std::vector<std::string> undefined;
  size_t defined = 0;
  for (const llvm::object::SymbolRef &symbol : object->symbols()) {
    llvm::StringRef name = llvm::cantFail(symbol.getName());
    bool isUndefined = llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined;
    if (isUndefined && !name.empty()) {
      undefined.push_back(name.str());
    }
    defined += !isUndefined;
  }
  if (defined < kernels.size()) {
    undefined.push_back("the object file lacks some of the kernels");
  }
  return undefined;
}

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

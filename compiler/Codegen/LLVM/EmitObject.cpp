// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates the module to LLVM IR, optimizes it and emits an object file. Floats: no
// contraction, no fast-math flags, IEEE 754 denormals. Only the multiply-adds that kernels
// request are fused.

#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Object.h"
#include "Codegen/LLVM/SanitizeThreads.h"
#include "Support/TypedError.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

// LLVM replaces fill and copy loops by calls of these functions. memref.copy becomes memmove.
constexpr StringRef kLibraryCalls[] = {"memcpy", "memmove", "memset"};
// runtime/core/pool.h, power.h, share.h
constexpr StringRef kRuntimeFunctions[] = {
    "convoy_region_run",   "convoy_flag_wait",   "convoy_flag_wake",    "convoy_share_take",
    "convoy_load_program", "convoy_run_program", "convoy_power_request"};

// LLVM's passes that find nothing to do in kernels: there are no indirect calls, no expected
// branches, no integers in float arithmetic and no idioms of C code, and the stages have removed
// all dead stores. Skipping them changes no byte of the code.
constexpr StringRef kSkippedPasses[] = {
    "AggressiveInstCombinePass", "CalledValuePropagationPass", "DSEPass", "Float2IntPass",
    "LowerExpectIntrinsicPass",  "MergedLoadStoreMotionPass"};

/// Collects LLVM's errors, which would otherwise end the process.
class ErrorCollector : public llvm::DiagnosticHandler {
public:
  explicit ErrorCollector(std::string &errors) : errors(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream stream(errors);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      stream << (errors.empty() ? "" : "; ");
      info.print(printer);
    }
    return true;
  }

private:
  std::string &errors;
};

void initializeTargets() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser();
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
}

llvm::Error inOurCode(const llvm::Twine &what) {
  return createBug("code generation failed: " + what + "; this is a bug in convoy");
}

std::unique_ptr<llvm::Module> translate(ModuleOp module, llvm::LLVMContext &context,
                                        const CodegenOptions &options) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  return translateModuleToLLVMIR(module, context, options.model, !options.verifyPasses);
}

llvm::OptimizationLevel levelOf(int optLevel) {
  switch (optLevel) {
  case 0:
    return llvm::OptimizationLevel::O0;
  case 1:
    return llvm::OptimizationLevel::O1;
  case 2:
    return llvm::OptimizationLevel::O2;
  default:
    return llvm::OptimizationLevel::O3;
  }
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, const CodegenOptions &options) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  // Kernels are already unrolled as required. LLVM's own unrolling would take half of its
  // time.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [](StringRef pass, llvm::Any) { return !llvm::is_contained(kSkippedPasses, pass); });
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::OptimizationLevel level = levelOf(options.optLevel);
  llvm::ModulePassManager passes = level == llvm::OptimizationLevel::O0
                                       ? builder.buildO0DefaultPipeline(level)
                                       : builder.buildPerModuleDefaultPipeline(level);
  if (options.sanitizeThreads) {
    addThreadSanitizer(passes);
  }
  passes.run(module, modules);
}

llvm::Error emit(llvm::Module &module, llvm::TargetMachine &machine, ObjectBytes &bytes) {
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    return createUnsupported("not supported: LLVM writes no object files for " +
                             machine.getTargetTriple().str());
  }
  passes.run(module);
  return llvm::Error::success();
}

/// Checks that a model needs only the memory functions of the C library, the functions of the
/// runtime, its weights and functions of the user. Any other symbol would depend on the program
/// that loads the model.
llvm::Error checkUndefinedSymbols(const ObjectBytes &bytes, const CodegenOptions &options,
                                  llvm::ArrayRef<std::string> customFunctions) {
  StringRef model = options.model;
  llvm::MemoryBufferRef buffer(StringRef(bytes.data(), bytes.size()), model);
  auto object = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!object) {
    return object.takeError();
  }
  std::vector<std::string> undefined;
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      return llvm::joinErrors(flags.takeError(), name.takeError());
    }
    bool isUndefined = *flags & llvm::object::SymbolRef::SF_Undefined;
    bool isKnown = name->empty() || llvm::is_contained(kLibraryCalls, *name) ||
                   llvm::is_contained(kRuntimeFunctions, *name) ||
                   llvm::is_contained(customFunctions, *name) ||
                   *name == (model + "_weights").str() ||
                   (options.sanitizeThreads && name->starts_with("__tsan_"));
    if (isUndefined && !isKnown) {
      undefined.push_back(name->str());
    }
  }
  if (undefined.empty()) {
    return llvm::Error::success();
  }
  llvm::sort(undefined);
  return inOurCode("kernels call " + llvm::join(undefined, ", ") +
                   ", which compiled models do not link");
}

/// Returns the CPU whose features LLVM uses in addition to the features of the target
/// description. The CPU of the description would add all features of its name. A hypervisor or
/// an operating system may disable some of them; then the library would pass its check and
/// crash. A description without a CPU uses LLVM's default.
StringRef leastCpu(const targets::Target &target) {
  bool isX86 = llvm::Triple(target.triple).getArch() == llvm::Triple::x86_64;
  return target.cpu.empty() ? "" : isX86 ? "x86-64" : "generic";
}

} // namespace

void tuneFor(llvm::Module &module, const targets::Target &target) {
  for (llvm::Function &function : module) {
    function.addFnAttr("tune-cpu", target.cpu);
  }
}

llvm::ArrayRef<StringRef> allowedLibraryCalls() { return kLibraryCalls; }

llvm::ArrayRef<StringRef> runtimeFunctions() { return kRuntimeFunctions; }

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const CodegenOptions &options) {
  initializeTargets();
  std::string problem;
  const targets::Target &description = options.target;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(description.triple, problem);
  if (!target) {
    return createUnsupported("not supported: target '" + description.name + "': " + problem +
                             "; --emit=c writes C for any target");
  }
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  targetOptions.UseInitArray = true; // loaders ignore .ctors
  auto codegenLevel = options.optLevel == 0   ? llvm::CodeGenOptLevel::None
                      : options.optLevel == 1 ? llvm::CodeGenOptLevel::Less
                      : options.optLevel == 2 ? llvm::CodeGenOptLevel::Default
                                              : llvm::CodeGenOptLevel::Aggressive;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      description.triple, leastCpu(description), description.featureString(), targetOptions,
      llvm::Reloc::PIC_, std::nullopt, codegenLevel));
  if (!machine) {
    return createUnsupported("not supported: LLVM has no code generator for " + description.triple);
  }
  return machine;
}

llvm::Expected<ObjectBytes> emitObject(ModuleOp module, const CodegenOptions &options) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = createMachine(options);
  if (!machine) {
    return machine.takeError();
  }
  std::string errors;
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  std::unique_ptr<llvm::Module> translated = translate(module, context, options);
  if (!translated) {
    return inOurCode("the module cannot be translated to LLVM IR; see the diagnostics");
  }
  translated->setDataLayout((*machine)->createDataLayout());
  translated->setTargetTriple(options.target.triple);
  translated->setPICLevel(llvm::PICLevel::BigPIC);
  tuneFor(*translated, options.target);
  optimize(*translated, **machine, options);
  ObjectBytes bytes;
  if (llvm::Error error = emit(*translated, **machine, bytes)) {
    return error;
  }
  if (!errors.empty()) {
    return inOurCode(errors);
  }
  if (llvm::Error error = checkUndefinedSymbols(bytes, options, customFunctionsOf(module))) {
    return error;
  }
  return bytes;
}

} // namespace convoy::codegen

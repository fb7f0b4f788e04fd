// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's ThreadSanitizer instruments accesses of up to 16 bytes and ignores wider accesses,
// which are most accesses of kernels. This pass instruments them as ranges of bytes. Masked
// accesses, gathers and scatters are not instrumented, because their bytes are known only at
// run time.

#include "Codegen/LLVM/SanitizeThreads.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"

using namespace llvm;

namespace convoy::codegen {
namespace {

// The widest access that LLVM's pass instruments.
constexpr uint64_t kWatchedBits = 128;

class WatchWideAccesses : public PassInfoMixin<WatchWideAccesses> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    SmallVector<Instruction *> wide;
    for (Function &function : module) {
      if (function.isDeclaration() ||
          function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation)) {
        continue;
      }
      function.addFnAttr(Attribute::SanitizeThread);
      for (BasicBlock &block : function) {
        for (Instruction &instruction : block) {
          if (isWide(instruction)) {
            wide.push_back(&instruction);
          }
        }
      }
    }
    for (Instruction *instruction : wide) {
      announce(*instruction, module);
    }
    return wide.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
  }

  /// The pass is required, because its only effect may be an attribute.
  static bool isRequired() { return true; }

private:
  /// Returns whether LLVM's pass ignores this load or store because of its width.
  static bool isWide(Instruction &instruction) {
    const Value *pointer = getLoadStorePointerOperand(&instruction);
    if (!pointer || isa<AllocaInst>(pointer->stripInBoundsOffsets())) {
      return false; // only this thread uses its stack
    }
    const DataLayout &layout = instruction.getModule()->getDataLayout();
    return layout.getTypeStoreSizeInBits(getLoadStoreType(&instruction)) > kWatchedBits;
  }

  static void announce(Instruction &instruction, Module &module) {
    IRBuilder<> builder(&instruction);
    StringRef name = isa<StoreInst>(instruction) ? "__tsan_write_range" : "__tsan_read_range";
    Type *size = builder.getInt64Ty();
    FunctionCallee watch =
        module.getOrInsertFunction(name, builder.getVoidTy(), builder.getPtrTy(), size);
    uint64_t bytes = module.getDataLayout().getTypeStoreSize(getLoadStoreType(&instruction));
    builder.CreateCall(watch,
                       {getLoadStorePointerOperand(&instruction), ConstantInt::get(size, bytes)});
  }
};

} // namespace

void addThreadSanitizer(ModulePassManager &passes) {
  passes.addPass(WatchWideAccesses());
  passes.addPass(ModuleThreadSanitizerPass());
  passes.addPass(createModuleToFunctionPassAdaptor(ThreadSanitizerPass()));
}

} // namespace convoy::codegen

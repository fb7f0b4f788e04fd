// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates debug info from locations. A model has no source lines, so the line is the index of
// the kernel call in main, starting at 1. The name of the function in a debugger is the name
// of the ONNX node.

#include "Codegen/LLVM/MemoryPatterns.h"
#include "Codegen/LLVM/Passes.h"
#include "Graph/NodeName.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace convoy::codegen {

#define GEN_PASS_DEF_INSERTLINEINFOPASS
#include "Codegen/LLVM/Passes.h.inc"

namespace {

class InsertLineInfoPass : public impl::InsertLineInfoPassBase<InsertLineInfoPass> {
public:
  using impl::InsertLineInfoPassBase<InsertLineInfoPass>::InsertLineInfoPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    file = LLVM::DIFileAttr::get(context, model + ".onnx", "");
    unit = LLVM::DICompileUnitAttr::get(
        DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C, file,
        StringAttr::get(context, "convoy"), /*isOptimized=*/true, LLVM::DIEmissionKind::Full);
    auto main = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(symbolName(model, "main"));
    llvm::DenseMap<StringAttr, unsigned> firstCall;
    if (main && !main.isExternal()) {
      numberCalls(main, firstCall);
      describe(main, model, 1);
    }
    numberWorkers();
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      auto found = firstCall.find(function.getSymNameAttr());
      if (found == firstCall.end() || function.isExternal() || function == main) {
        continue;
      }
      unsigned line = found->second;
      StringRef name = graph::firstName(function.getLoc());
      describe(function, name.empty() ? function.getName() : name, line);
      function.getBody().walk([&](Operation *op) { op->setLoc(place(line)); });
    }
  }

private:
  Location place(unsigned line) { return FileLineColLoc::get(file.getName(), line, /*column=*/0); }

  /// Assigns to the ops of main the line of the next call.
  void numberCalls(LLVM::LLVMFuncOp main, llvm::DenseMap<StringAttr, unsigned> &firstCall) {
    unsigned line = 1;
    std::string region = symbolName(model, "region");
    main.getBody().walk([&](Operation *op) {
      lines.try_emplace(op->getLoc(), line);
      op->setLoc(place(line));
      auto call = dyn_cast<LLVM::CallOp>(op);
      if (call && call.getCallee() && call.getCallee() != region) {
        firstCall.try_emplace(call.getCalleeAttr().getAttr(), line);
        ++line;
      }
    });
  }

  /// The calls of workers are calls of main and keep their lines.
  void numberWorkers() {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (!function.getName().starts_with(symbolName(model, "worker_"))) {
        continue;
      }
      function.getBody().walk([&](Operation *op) {
        auto known = lines.find(op->getLoc());
        op->setLoc(place(known == lines.end() ? 1 : known->second));
      });
      describe(function, function.getName(), 1);
    }
  }

  void describe(LLVM::LLVMFuncOp function, StringRef name, unsigned line) {
    auto type = LLVM::DISubroutineTypeAttr::get(&getContext(), ArrayRef<LLVM::DITypeAttr>());
    auto flags = LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized;
    // The subprogram has no linkage name, because debuggers would show it instead of the
    // node's name.
    auto subprogram = LLVM::DISubprogramAttr::get(
        &getContext(), DistinctAttr::create(UnitAttr::get(&getContext())), unit, file,
        StringAttr::get(&getContext(), name), /*linkageName=*/StringAttr(), file, line,
        /*scopeLine=*/line, flags, type);
    function->setLoc(FusedLoc::get({place(line)}, subprogram, &getContext()));
  }

  llvm::DenseMap<Location, unsigned> lines; // line in main of the first op with this location
  LLVM::DIFileAttr file;
  LLVM::DICompileUnitAttr unit;
};

} // namespace
} // namespace convoy::codegen

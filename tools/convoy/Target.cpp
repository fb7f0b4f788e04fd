// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of targets, and the one that needs no compiler.

#include "Target.h"
#include "HostTarget.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reference/Reference.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::driver {
namespace {

class ReferenceExecutable : public Executable {
public:
  explicit ReferenceExecutable(OwningOpRef<ModuleOp> module) : module(std::move(module)) {}

  FailureOr<std::vector<Datum>> run(ArrayRef<Datum> inputs) override {
    return reference::run(module->lookupSymbol<func::FuncOp>("main"), inputs);
  }

private:
  OwningOpRef<ModuleOp> module;
};

class ReferenceTarget : public Target {
public:
  StringRef name() const override { return "reference"; }
  StringRef summary() const override {
    return "interpreter, slow and obvious; the definition of correct";
  }
  bool allowsDynamicShapes() const override { return true; }
  std::unique_ptr<Executable> compile(OwningOpRef<ModuleOp> module,
                                      const TargetOptions &options) const override {
    return std::make_unique<ReferenceExecutable>(std::move(module));
  }
};

} // namespace

ArrayRef<const Target *> allTargets() {
  static const HostTarget kHost;
  static const ReferenceTarget kReference;
  static const Target *const kAll[] = {&kHost, &kReference};
  return kAll;
}

const Target *findTarget(StringRef name) {
  auto it = llvm::find_if(allTargets(), [&](const Target *t) { return t->name() == name; });
  return it == allTargets().end() ? nullptr : *it;
}

std::string targetNames() {
  return llvm::join(llvm::map_range(allTargets(), [](const Target *t) { return t->name(); }), ", ");
}

} // namespace convoy::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps a module and runs it with the reference interpreter.

#include "Driver/ImportRequested.h"
#include "Driver/Loaders.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::driver {
namespace {

class ReferenceExecutable : public Executable {
public:
  explicit ReferenceExecutable(OwningOpRef<ModuleOp> module) : module(std::move(module)) {}

  FailureOr<std::vector<Datum>> run(ArrayRef<Datum> inputs) override {
    return reference::run(mainOf(*module), inputs);
  }

private:
  OwningOpRef<ModuleOp> module;
};

} // namespace

std::unique_ptr<Executable> loadReference(OwningOpRef<ModuleOp> module) {
  return std::make_unique<ReferenceExecutable>(std::move(module));
}

} // namespace convoy::driver

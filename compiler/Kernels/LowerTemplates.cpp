// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-kernels-lower-templates. An instance lowers the kernels of one template and has
// a name of its own, so instrumentation can tell templates apart.

#include "Kernels/KernelTemplate.h"
#include "Kernels/Passes.h"
#include "Task/Task.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::kernels {
#define GEN_PASS_DEF_LOWERTEMPLATESPASS
#include "Kernels/Passes.h.inc"

namespace {

/// Returns the name of the instance for a template: the id with dashes.
std::string passName(const KernelTemplate &own) {
  std::string id = own.id().str();
  std::replace(id.begin(), id.end(), '_', '-');
  return "convoy-kernels-lower-" + id;
}

struct LowerTemplates : impl::LowerTemplatesPassBase<LowerTemplates> {
  LowerTemplates() = default;
  explicit LowerTemplates(const KernelTemplate &own) : own(&own), argument(passName(own)) {}

  StringRef getArgument() const override {
    return own ? StringRef(argument) : LowerTemplatesPassBase::getArgument();
  }

  void runOnOperation() override {
    Machine machine = machineOf(getOperation());
    for (task::KernelOp kernel : llvm::to_vector(getOperation().getOps<task::KernelOp>())) {
      Attribute config = kernel.isLowered() ? Attribute() : kernel.getConfigAttr();
      const KernelTemplate *found = config ? templateOf(config) : nullptr;
      bool isOwn = found && (!own || found == own);
      if (isOwn && failed(found->lower(kernel, config, machine))) {
        return signalPassFailure();
      }
    }
  }

  /// The template to lower; null lowers the kernels of all templates.
  const KernelTemplate *own = nullptr;
  std::string argument;
};

} // namespace

void registerTemplatePasses() {
  for (const KernelTemplate *known : templates()) {
    registerPass([known] { return std::make_unique<LowerTemplates>(*known); });
  }
}

void addTemplatePasses(OpPassManager &passes) {
  for (const KernelTemplate *known : templates()) {
    passes.addPass(std::make_unique<LowerTemplates>(*known));
  }
}

} // namespace convoy::kernels

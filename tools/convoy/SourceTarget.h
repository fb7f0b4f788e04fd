// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C exit as a target of the driver: emitted C for this machine, compiled by the
// compiler that is installed, and loaded.

#pragma once

#include "Codegen/C/Options.h"
#include "Target.h"

namespace convoy::driver {

class SourceTarget : public Target {
public:
  explicit SourceTarget(codegen::Flavour flavour) : flavour(flavour) {}

  llvm::StringRef name() const override {
    return flavour == codegen::Flavour::Plain ? "c-plain" : "c";
  }
  llvm::StringRef summary() const override {
    return flavour == codegen::Flavour::Plain
               ? "emitted C in plain loops, by this machine's C compiler"
               : "emitted C in vector types, by this machine's C compiler";
  }
  std::unique_ptr<Executable> compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                                      const TargetOptions &options) const override;

private:
  codegen::Flavour flavour;
};

/// Both flavours.
std::vector<std::unique_ptr<Target>> sourceTargets();

} // namespace convoy::driver

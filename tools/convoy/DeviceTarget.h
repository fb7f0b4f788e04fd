// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An accelerator as a target of the driver: its regions run on its simulator, the rest
// on this machine.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Target.h"

namespace convoy::driver {

class DeviceTarget : public Target {
public:
  explicit DeviceTarget(std::unique_ptr<accelerators::Accelerator> device)
      : device(std::move(device)) {}

  llvm::StringRef name() const override { return device->name(); }
  llvm::StringRef summary() const override { return device->summary(); }
  quantize::Arithmetic arithmetic() const override { return device->arithmetic(); }
  ElementType floatType() const override;
  std::unique_ptr<Target> createLayers() const override;
  std::unique_ptr<Executable> compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                                      const TargetOptions &options) const override;

private:
  std::unique_ptr<accelerators::Accelerator> device;
};

} // namespace convoy::driver

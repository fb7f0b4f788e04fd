// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the device of a target by asking each family. CMake generates the list of families.

#include "Accelerators/Registry.h"
#include "Support/TypedDiagnostic.h"

namespace convoy::accelerators {

std::vector<std::string> listTargets() {
  std::vector<std::string> names;
  for (const Family *family : families()) {
    for (std::string &name : family->targets()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

llvm::Expected<std::unique_ptr<Accelerator>> findAccelerator(llvm::StringRef target) {
  for (const Family *family : families()) {
    llvm::Expected<std::unique_ptr<Accelerator>> device = family->create(target);
    if (!device || *device) {
      return device;
    }
  }
  return nullptr;
}

const FileInspector *findInspector(llvm::StringRef path) {
  for (const Family *family : families()) {
    if (family->inspector && path.ends_with(family->inspector->extension)) {
      return family->inspector;
    }
  }
  return nullptr;
}

void registerDeviceDialects(mlir::DialectRegistry &registry) {
  for (const std::string &target : listTargets()) {
    if (llvm::Expected<std::unique_ptr<Accelerator>> device = findAccelerator(target)) {
      (*device)->registerDialects(registry);
    } else {
      llvm::consumeError(device.takeError()); // listed targets have valid parameters
    }
  }
}

void registerDevicePasses() {
  for (const Family *family : families()) {
    if (family->registerPasses) {
      family->registerPasses();
    }
  }
}

std::unique_ptr<Accelerator> requireAccelerator(mlir::Operation *op, llvm::StringRef target) {
  llvm::Expected<std::unique_ptr<Accelerator>> device = findAccelerator(target);
  if (!device) {
    emitError(op->getLoc(), withPrefix("device '" + target + "': ", device.takeError()));
    return nullptr;
  }
  if (!*device) {
    op->emitError("unknown device '") << target << "'";
  }
  return std::move(*device);
}

} // namespace convoy::accelerators

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices that were built in, by the names of --target. Shared code finds them
// here and knows none; the list is one line of CMakeLists.txt.

#pragma once

#include "Accelerators/Accelerator.h"

namespace convoy::accelerators {

/// A device with all its configurations: what a folder beside this file offers. The
/// folder `Name` defines `const Family &nameFamily()`, lower case, in this namespace.
struct Family {
  /// The names of --target that are listed to users.
  std::vector<std::string> (*targets)();
  /// The device for a name, or null when the name is not of this family. A name may
  /// have parameters: <target>:<key>=<value>:...; an error says what is wrong with them.
  llvm::Expected<std::unique_ptr<Accelerator>> (*create)(llvm::StringRef target);
};

/// All of them, in the order of the list.
llvm::ArrayRef<const Family *> families();

/// The names of all targets, in that order.
std::vector<std::string> listTargets();

/// The device of a target, or null when no family knows the name.
llvm::Expected<std::unique_ptr<Accelerator>> findAccelerator(llvm::StringRef target);

/// The dialects that devices lower to.
void registerDeviceDialects(mlir::DialectRegistry &registry);

/// The device of a target that must be there; null after an error at `op`.
std::unique_ptr<Accelerator> requireAccelerator(mlir::Operation *op, llvm::StringRef target);

} // namespace convoy::accelerators

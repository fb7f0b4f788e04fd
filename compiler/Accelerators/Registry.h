// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices that were built in, by the names of --target. Shared code finds them
// here and knows none; the list is one line of CMakeLists.txt.

#pragma once

#include "Accelerators/Accelerator.h"
#include "llvm/Support/JSON.h"

namespace convoy::accelerators {

/// A file of a device's own kind, read for a person or a program.
struct InspectedFile {
  std::string text;
  llvm::json::Value json = nullptr;
  std::string svg; // who waits for whom; empty when it has no such picture
};

/// How a family reads its own files.
struct FileInspector {
  llvm::StringLiteral extension; // ".nvdla"
  /// `config` names hardware whose cycles to estimate; empty: none.
  llvm::Expected<InspectedFile> (*inspect)(llvm::StringRef path, llvm::ArrayRef<uint8_t> bytes,
                                           llvm::StringRef config);
};

/// A device with all its configurations: what a folder beside this file offers. The
/// folder `Name` defines `const Family &nameFamily()`, lower case, in this namespace.
struct Family {
  /// The names of --target that are listed to users.
  std::vector<std::string> (*targets)();
  /// The device for a name, or null when the name is not of this family. A name may
  /// have parameters: <target>:<key>=<value>:...; an error says what is wrong with them.
  llvm::Expected<std::unique_ptr<Accelerator>> (*create)(llvm::StringRef target);
  /// Null when there are no such files.
  const FileInspector *inspector = nullptr;
};

/// All of them, in the order of the list.
llvm::ArrayRef<const Family *> families();

/// The names of all targets, in that order.
std::vector<std::string> listTargets();

/// The device of a target, or null when no family knows the name.
llvm::Expected<std::unique_ptr<Accelerator>> findAccelerator(llvm::StringRef target);

/// The inspector for a path, by its extension, or null.
const FileInspector *findInspector(llvm::StringRef path);

/// The dialects that devices lower to.
void registerDeviceDialects(mlir::DialectRegistry &registry);

/// The device of a target that must be there; null after an error at `op`.
std::unique_ptr<Accelerator> requireAccelerator(mlir::Operation *op, llvm::StringRef target);

} // namespace convoy::accelerators

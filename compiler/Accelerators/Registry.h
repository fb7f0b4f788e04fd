// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The built-in devices, by the names of --target. Shared code finds devices here and names none of
// them; CMakeLists.txt lists them.

#pragma once

#include "Accelerators/Accelerator.h"
#include "llvm/Support/JSON.h"

namespace convoy::accelerators {

/// A file of a device's own format, decoded to text and JSON.
struct InspectedFile {
  std::string text;
  llvm::json::Value json = nullptr;
  std::string svg; // drawing of the dependences between ops; empty if the format has none
};

/// How a family decodes its own files.
struct FileInspector {
  llvm::StringLiteral extension; // ".nvdla"
  /// `config` names the hardware configuration whose cycles to estimate; empty for no estimate.
  llvm::Expected<InspectedFile> (*inspect)(llvm::StringRef path, llvm::ArrayRef<uint8_t> bytes,
                                           llvm::StringRef config);
};

/// A device with all its configurations. The folder `Name` defines `const Family &nameFamily()`, in
/// lower case, in this namespace.
struct Family {
  /// Returns the --target names that `convoy targets` lists.
  std::vector<std::string> (*targets)();
  /// Returns the device of a name, or null if the name is not of this family. A name may have
  /// parameters: <target>:<key>=<value>:...; the error describes an invalid parameter.
  llvm::Expected<std::unique_ptr<Accelerator>> (*create)(llvm::StringRef target);
  /// Null if the family has no files to inspect.
  const FileInspector *inspector = nullptr;
  /// Registers the family's own passes by their names, for convoy-opt. Null if it has none.
  void (*registerPasses)() = nullptr;
};

/// Returns all families, in the order of the list in CMakeLists.txt.
llvm::ArrayRef<const Family *> families();

/// Returns the names of all targets, in the order of the families.
std::vector<std::string> listTargets();

/// Returns the device of a target, or null if no family knows the name.
llvm::Expected<std::unique_ptr<Accelerator>> findAccelerator(llvm::StringRef target);

/// Returns the inspector for a path by its extension, or null.
const FileInspector *findInspector(llvm::StringRef path);

/// Registers the dialects that devices lower to.
void registerDeviceDialects(mlir::DialectRegistry &registry);

/// Registers the passes of all families.
void registerDevicePasses();

/// Returns the device of a target, or null after an error at `op` if there is none.
std::unique_ptr<Accelerator> requireAccelerator(mlir::Operation *op, llvm::StringRef target);

} // namespace convoy::accelerators

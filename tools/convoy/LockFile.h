// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock file of `convoy compile`: what determines the bytes of the written files, and their
// hashes.
// --lock writes the file, and --locked compiles by it.

#pragma once

#include "convoy/artifact.h"
#include "convoy/model.h"
#include "tools/convoy/Options.h"
#include "llvm/Support/Error.h"
#include <map>

namespace convoy::tool {

/// Inserts the flags of the lock file after the verb if the arguments are `compile ... --locked
/// FILE`.
llvm::Error addLockedFlags(std::vector<std::string> &arguments);

/// The facts of one compile.
struct Lock {
  std::string version, target, records;
  std::vector<std::string> flags;
  std::map<std::string, std::string> model; // names of the ONNX file and of its weights to hashes
  std::map<std::string, std::string> files; // names of the written files to hashes
};

/// Returns the facts that are known before the compile.
llvm::Expected<Lock> lockOf(const CompileFlags &options, const Model &model);

/// Compares the known facts with the file of --locked, before a compile that may take long.
llvm::Error checkLocked(const CompileFlags &options, const Lock &found);

/// Adds the facts of the result. Writes the file of --lock, and compares with the file of --locked.
llvm::Error finishLock(const CompileFlags &options, const Artifact &artifact, Lock &found);

} // namespace convoy::tool

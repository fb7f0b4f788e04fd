// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the artifacts that several back ends have, and prints IR.

#pragma once

#include "Codegen/C/Options.h"
#include "Driver/BackendJob.h"

namespace convoy::driver {

/// Returns the options of the C printer.
codegen::SourceOptions sourceOptionsFor(const BackendJob &job);

/// Writes a library or C source. The module must have passed all stages.
llvm::Error writeArtifact(BackendJob &job);

/// Returns the module as text. The elements of large constants are left out; convoy-opt
/// reads the rest.
std::string irText(mlir::ModuleOp module);

} // namespace convoy::driver

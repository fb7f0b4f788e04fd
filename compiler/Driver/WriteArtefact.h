// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the artefact of a compile to files, and prints IR.

#pragma once

#include "Codegen/C/Options.h"
#include "Driver/RequestOptions.h"
#include "convoy/artefact.h"
#include "mlir/IR/BuiltinOps.h"

namespace convoy::driver {

/// Returns the options of the C printer.
codegen::SourceOptions sourceOptionsFor(const CompileRequest &request, const ResolvedTarget &target,
                                        const codegen::CodegenOptions &options);

/// Writes a library, C source or a device's programs. The module must have passed all stages
/// that the artefact needs.
llvm::Error writeArtefact(const Model &model, const CompileRequest &request,
                          const ResolvedTarget &target, const StageOptions &options,
                          mlir::ModuleOp module, Artefact &artefact);

/// Returns the module as text. The elements of large constants are left out; convoy-opt
/// reads the rest.
std::string irText(mlir::ModuleOp module);

} // namespace convoy::driver

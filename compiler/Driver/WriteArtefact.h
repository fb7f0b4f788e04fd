// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exits that write files, and IR as text.

#pragma once

#include "Codegen/C/Options.h"
#include "Driver/RequestOptions.h"
#include "convoy/artefact.h"
#include "mlir/IR/BuiltinOps.h"

namespace convoy::driver {

/// The options of the C printer.
codegen::SourceOptions sourceOptionsFor(const CompileRequest &request, const ResolvedTarget &target,
                                        const codegen::CodegenOptions &options);

/// Writes a library, C source or a device's programs from a module that has been through
/// its stages.
llvm::Error writeArtefact(const Model &model, const CompileRequest &request,
                          const ResolvedTarget &target, const StageOptions &options,
                          mlir::ModuleOp module, Artefact &artefact);

/// The module as convoy-opt reads it, but for the elements of large constants.
std::string irText(mlir::ModuleOp module);

} // namespace convoy::driver

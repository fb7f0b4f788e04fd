// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a compile request to the options of the importer and of all stages. No other
// file does this, except that the back end sets the options of its kind of target.

#pragma once

#include "Driver/ResolveTarget.h"
#include "Import/Import.h"
#include "Pipeline/Pipeline.h"
#include "convoy/model.h"
#include "convoy/request.h"

namespace convoy::driver {

/// Returns the options of all stages, or an error if members of the request contradict each
/// other.
llvm::Expected<StageOptions> stageOptionsFor(const CompileRequest &request,
                                             const ResolvedTarget &target,
                                             llvm::StringRef modelName);

/// Selects the exit to C and disables the instructions that C does not support.
void setSourceExit(StageOptions &options, bool hasVectorTypes);

/// Sets the places of inputs and outputs. Returns an error if the number of threads does not allow
/// them.
llvm::Error setIoPlace(const CompileRequest &request, StageOptions &options);

/// Returns the options of the importer.
llvm::Expected<import::ImportOptions> importOptionsFor(const CompileRequest &request,
                                                       const ResolvedTarget &target);

/// Converts a name to a C identifier, the prefix of every symbol.
std::string symbolPrefix(llvm::StringRef name);

} // namespace convoy::driver

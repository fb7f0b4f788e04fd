// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a compile request to the options of the importer and of all stages. No other
// file does this.

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

/// Returns whether emitted C has loops over lanes instead of vector types.
bool hasPlainLoops(const CompileRequest &request, const ResolvedTarget &target);

/// Returns the options of the importer.
llvm::Expected<import::ImportOptions> importOptionsFor(const CompileRequest &request,
                                                       const ResolvedTarget &target);

/// Converts a name to a C identifier, the prefix of every symbol.
std::string symbolPrefix(llvm::StringRef name);

} // namespace convoy::driver

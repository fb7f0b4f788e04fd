// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place that turns a request into options of stages.

#pragma once

#include "Driver/ResolveTarget.h"
#include "Import/Import.h"
#include "Pipeline/Pipeline.h"
#include "convoy/model.h"
#include "convoy/request.h"

namespace convoy::driver {

/// The options of all stages. The error says which parts of the request do not go
/// together.
llvm::Expected<StageOptions> stageOptionsFor(const CompileRequest &request,
                                             const ResolvedTarget &target,
                                             llvm::StringRef modelName);

/// The options of the importer.
llvm::Expected<import::ImportOptions> importOptionsFor(const CompileRequest &request,
                                                       const ResolvedTarget &target);

/// The name as a C identifier, which prefixes every symbol.
std::string symbolPrefix(llvm::StringRef name);

} // namespace convoy::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds to the report of a compile what the model file and the interface of the artifact contain.
// The stages fill the other parts (Pipeline/StageReports.h).

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "Import/Import.h"
#include "convoy/report.h"

namespace convoy::driver {

/// Counts the nodes and the bytes of the weights of a model file, subgraphs included.
void reportModelFile(const import::Model &model, CompileReport &report);

/// Copies names, shapes and sizes of the artifact's interface.
void reportInterface(const codegen::ModelInterface &interface, CompileReport &report);

} // namespace convoy::driver

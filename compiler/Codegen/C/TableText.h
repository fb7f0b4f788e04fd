// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the table of a model (convoy/table.h) as C.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"

namespace convoy::codegen {

/// Returns the part of <model>.c that defines the table and <model>_model. The text follows all
/// other functions. The macro CONVOY_NO_MODEL_TABLE removes the part, and CONVOY_SHARED_LIBRARY
/// adds convoy_library_model.
std::string tableSource(const ModelInterface &interface);

} // namespace convoy::codegen

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the table of a model (convoy/table.h) as LLVM IR for the library's glue.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"

namespace convoy::codegen {

/// Returns a constant as IR text: name, size and bytes of a C string.
std::string stringConstant(llvm::StringRef name, llvm::StringRef text);

/// Returns IR text that defines the table, <model>_model and convoy_library_model. The text calls
/// no function; it expects the definitions of <model>_error_text and, if the weights are in a
/// file, <model>_open and <model>_close in the same module.
std::string tableText(const ModelInterface &interface);

} // namespace convoy::codegen

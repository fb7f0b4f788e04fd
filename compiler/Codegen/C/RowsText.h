// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C text that provides the rows of whole inputs to a model that fetches its inputs row by row. The
// table, the test bench and the programs for emulators have whole inputs.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::codegen {

/// Returns a function with the name `reader`, for <model>_rows, that copies a row of memory, and
/// the type of its context.
std::string rowReaderText(llvm::StringRef reader);

/// Returns statements that declare `structure` as <model>_inputs. `bufferOf` returns the address of
/// the whole input with an index.
std::string rowSourcesText(const ModelInterface &interface, llvm::StringRef reader,
                           llvm::StringRef structure,
                           llvm::function_ref<std::string(size_t)> bufferOf);

} // namespace convoy::codegen

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the expressions with which a custom op declares the dimensions of its results:
//
//     sum     = product { ("+" | "-") product }
//     product = factor { ("*" | "/" | "%") factor }      "/" rounds down
//     factor  = integer | "(" sum ")" | name | name "[" index "]"
//
// A name is an attribute of type int. A name with an index is a dimension of an input or an entry
// of an attribute of type ints; a negative index counts from the end. The import of declarations
// checks expressions, and the type rule of graph.custom evaluates them.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>

namespace convoy::graph {

/// Returns the value of a name, or of an entry of it if there is an index, or kDynamic if the value
/// is unknown. Returns an error if there is no such name or entry.
using DimLookup =
    llvm::function_ref<llvm::Expected<int64_t>(llvm::StringRef name, std::optional<int64_t> index)>;

/// Returns the value of an expression, or kDynamic if it depends on an unknown value.
llvm::Expected<int64_t> evaluateDim(llvm::StringRef text, DimLookup lookup);

} // namespace convoy::graph

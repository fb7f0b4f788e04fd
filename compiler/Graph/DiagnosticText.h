// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words an MLIR diagnostic for users: the first node of the location, then the text. An input or
// initializer is not a node; the text of a diagnostic names it.

#pragma once

#include "mlir/IR/Diagnostics.h"
#include <string>

namespace convoy::graph {

/// Returns "node 'conv1' (Conv): expects ..." for "'graph.conv' op expects ..." and
/// "Conv expects ..."; the text alone if the location has no node.
std::string describe(const mlir::Diagnostic &diagnostic);

} // namespace convoy::graph

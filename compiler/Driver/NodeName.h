// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ONNX nodes an op comes from. The importer gives each op the location
// NameLoc(node name, NameLoc(ONNX op type)); passes that merge ops fuse them.

#pragma once

#include "mlir/IR/Location.h"
#include <string>
#include <vector>

namespace convoy::driver {

struct NodeName {
  llvm::StringRef name, opType;
};

/// The nodes of a location, in order; none for inputs and initializers.
std::vector<NodeName> nodesOf(mlir::Location loc);

/// "'conv1' (Conv)", "'conv1' (Conv) + 'norm1' (BatchNormalization)"; empty
/// without a node.
std::string nodeText(mlir::Location loc);

} // namespace convoy::driver

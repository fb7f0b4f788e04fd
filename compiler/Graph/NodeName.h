// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the ONNX nodes of a location. The importer gives each op the location
// NameLoc(node name, NameLoc(ONNX op type)); passes that merge ops fuse their locations.
// Every output that names nodes (JSON, pages, listings, emitted C) calls nodeText.

#pragma once

#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace convoy::graph {

struct NodeName {
  llvm::StringRef name, opType;
};

/// Returns the nodes of a location in order, each once; none for inputs and initializers.
std::vector<NodeName> nodesOf(mlir::Location loc);

/// Returns "'conv1' (Conv)".
std::string nodeText(const NodeName &node);

/// Returns "'conv1' (Conv)" or "'conv1' (Conv) + 'norm1' (BatchNormalization)"; empty
/// without a node.
std::string nodeText(mlir::Location loc);

/// Returns the first name of a location, of a node, an input or an initializer; empty without
/// one. Formats that have room for one name use it.
llvm::StringRef firstName(mlir::Location loc);

/// Returns the location of an op that replaces `ops`: their locations in order. Constants
/// are left out, since a constant can come from a node that computes nothing at run time.
mlir::Location fusedLocation(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace convoy::graph

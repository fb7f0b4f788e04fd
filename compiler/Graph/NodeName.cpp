// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks nested locations. A NameLoc whose child is a NameLoc is a node; a NameLoc without
// such a child is an input or an initializer.

#include "Graph/NodeName.h"
#include "Graph/Graph.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace convoy::graph {

std::vector<NodeName> nodesOf(Location loc) {
  std::vector<NodeName> nodes;
  loc->walk([&](Location inner) {
    auto node = dyn_cast<NameLoc>(inner);
    auto opType = node ? dyn_cast<NameLoc>(node.getChildLoc()) : NameLoc();
    if (!opType) {
      return WalkResult::advance();
    }
    auto isSame = [&](const NodeName &known) {
      return known.name == node.getName() && known.opType == opType.getName();
    };
    if (llvm::none_of(nodes, isSame)) {
      nodes.push_back({node.getName(), opType.getName()});
    }
    return WalkResult::skip();
  });
  return nodes;
}

std::string nodeText(const NodeName &node) {
  return ("'" + node.name + "' (" + node.opType + ")").str();
}

std::string nodeText(Location loc) {
  std::string text;
  for (const NodeName &node : nodesOf(loc)) {
    text += (text.empty() ? "" : " + ") + nodeText(node);
  }
  return text;
}

StringRef firstName(Location loc) {
  StringRef name;
  loc->walk([&](Location inner) {
    auto named = dyn_cast<NameLoc>(inner);
    name = named ? named.getName().getValue() : StringRef();
    return name.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return name;
}

Location fusedLocation(ArrayRef<Operation *> ops) {
  llvm::SetVector<Location> locs;
  for (Operation *op : ops) {
    if (!isa<ConstantOp>(op)) {
      locs.insert(op->getLoc());
    }
  }
  return locs.empty() ? ops.back()->getLoc()
                      : FusedLoc::get(ops.back()->getContext(), locs.getArrayRef());
}

} // namespace convoy::graph

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of locations.

#include "Driver/NodeName.h"

using namespace mlir;

namespace convoy::driver {

std::vector<NodeName> nodesOf(Location loc) {
  std::vector<NodeName> nodes;
  loc->walk([&](Location inner) {
    auto node = dyn_cast<NameLoc>(inner);
    auto opType = node ? dyn_cast<NameLoc>(node.getChildLoc()) : NameLoc();
    if (opType) {
      nodes.push_back({node.getName(), opType.getName()});
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
  return nodes;
}

std::string nodeText(Location loc) {
  std::string text;
  for (const NodeName &node : nodesOf(loc)) {
    text += (text.empty() ? "'" : " + '") + node.name.str() + "' (" + node.opType.str() + ")";
  }
  return text;
}

} // namespace convoy::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces the subject of a diagnostic by its node. A diagnostic keeps its text as the list of
// arguments of operator<<, so its subject is the first arguments.

#include "Graph/DiagnosticText.h"
#include "Graph/NodeName.h"

using namespace mlir;

namespace convoy::graph {
namespace {

using Arguments = ArrayRef<DiagnosticArgument>;

bool isText(Arguments arguments, size_t index, StringRef text) {
  return index < arguments.size() &&
         arguments[index].getKind() == DiagnosticArgument::DiagnosticArgumentKind::String &&
         arguments[index].getAsString() == text;
}

/// Returns the arguments after the subject: after {"'", "graph.conv", "' op "} of emitOpError and
/// after {"Conv", " "} of the importer.
Arguments withoutSubject(Arguments arguments, StringRef opType) {
  if (isText(arguments, 0, "'") && isText(arguments, 2, "' op ") &&
      arguments[1].getAsString().starts_with("graph.")) {
    return arguments.drop_front(3);
  }
  bool isOfImporter = isText(arguments, 0, opType) && isText(arguments, 1, " ");
  return isOfImporter ? arguments.drop_front(2) : arguments;
}

} // namespace

std::string describe(const Diagnostic &diagnostic) {
  std::vector<NodeName> nodes = nodesOf(diagnostic.getLocation());
  if (nodes.empty()) {
    return diagnostic.str();
  }
  std::string text = "node " + nodeText(nodes.front()) + ": ";
  llvm::raw_string_ostream os(text);
  for (const DiagnosticArgument &argument :
       withoutSubject(diagnostic.getArguments(), nodes.front().opType)) {
    argument.print(os);
  }
  return text;
}

} // namespace convoy::graph

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR diagnostics to the lines a user reads: the first node of the location,
// then the text. Inputs and initializers are no nodes; the text names them.

#include "Driver/DiagnosticLog.h"
#include "Graph/NodeName.h"

using namespace mlir;

namespace convoy::driver {
namespace {

/// Drops how MLIR and the importer begin a sentence, which the node's name says
/// already: "'graph.conv' op expects" and "Conv expects" become "expects".
StringRef withoutSubject(StringRef text, StringRef opType) {
  StringRef rest = text;
  if (rest.consume_front("'graph.")) {
    size_t end = rest.find("' op ");
    return end == StringRef::npos ? text : rest.drop_front(end + StringRef("' op ").size());
  }
  return rest.consume_front(opType) && rest.consume_front(" ") ? rest : text;
}

} // namespace

std::string describe(Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  std::vector<graph::NodeName> nodes = graph::nodesOf(diagnostic.getLocation());
  if (nodes.empty()) {
    return text;
  }
  const graph::NodeName &node = nodes.front();
  return ("node '" + node.name + "' (" + node.opType + "): " + withoutSubject(text, node.opType))
      .str();
}

DiagnosticLog::DiagnosticLog(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
          return;
        }
        std::string text = describe(diagnostic);
        bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
        Problem problem{isError ? kindOfError(text) : ProblemKind::Warning, text, {}};
        for (Diagnostic &note : diagnostic.getNotes()) {
          problem.notes.push_back(note.str());
        }
        list.add(std::move(problem));
      }) {
  // Operations are ours, and may be megabytes of text: problems name nodes.
  context->printOpOnDiagnostic(false);
}

// One thread: tools compile many models at once, or one in milliseconds; a thread pool per
// context would cost more than it gives.
CompileContext::CompileContext() : mlir(MLIRContext::Threading::DISABLED), log(&mlir) {}

} // namespace convoy::driver

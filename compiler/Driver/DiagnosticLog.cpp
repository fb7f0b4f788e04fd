// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words MLIR diagnostics for users: the first node of the location, then the text. An
// input or initializer is not a node; the text of a diagnostic names it.

#include "Driver/DiagnosticLog.h"
#include "Graph/NodeName.h"

using namespace mlir;

namespace convoy::driver {
namespace {

/// Removes the subject of a diagnostic, because the node's name replaces it:
/// "'graph.conv' op expects" and "Conv expects" become "expects".
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
  return ("node " + graph::nodeText(node) + ": " + withoutSubject(text, node.opType)).str();
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
  // Users do not know the IR, and an op can print as megabytes: problems name nodes.
  context->printOpOnDiagnostic(false);
}

// Disables MLIR's thread pool. Tools compile many models in parallel, or one model in
// milliseconds; creating a thread pool per context takes longer than it saves.
CompileContext::CompileContext() : mlir(MLIRContext::Threading::DISABLED), log(&mlir) {}

} // namespace convoy::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns MLIR diagnostics into problems. Remarks are not problems.

#include "Driver/DiagnosticLog.h"
#include "Graph/DiagnosticText.h"
#include "Graph/NodeName.h"
#include "Support/TypedDiagnostic.h"

using namespace mlir;

namespace convoy::driver {
DiagnosticLog::DiagnosticLog(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
          return;
        }
        Problem problem;
        problem.kind = kindOf(diagnostic);
        problem.text = graph::describe(diagnostic);
        if (auto nodes = graph::nodesOf(diagnostic.getLocation()); !nodes.empty()) {
          problem.node = nodes.front().name;
          problem.op = nodes.front().opType;
        }
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR diagnostics to the lines a user reads: the first node of the location,
// then the text. Inputs and initializers are no nodes; the text names them.

#include "DiagnosticLog.h"
#include "NodeName.h"

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
  std::vector<NodeName> nodes = nodesOf(diagnostic.getLocation());
  if (nodes.empty()) {
    return text;
  }
  const NodeName &node = nodes.front();
  return ("node '" + node.name + "' (" + node.opType + "): " + withoutSubject(text, node.opType))
      .str();
}

bool Problem::isUnsupported() const {
  // "not supported: ..." of Import, "not supported on the CPU: ..." of Place.
  return text.find("not supported") != std::string::npos;
}

DiagnosticLog::DiagnosticLog(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        Problem problem{diagnostic.getSeverity(), describe(diagnostic), {}};
        for (Diagnostic &note : diagnostic.getNotes()) {
          problem.notes.push_back(note.str());
        }
        list.push_back(std::move(problem));
      }) {
  // Operations are ours, and may be megabytes of text: problems name nodes.
  context->printOpOnDiagnostic(false);
}

void DiagnosticLog::add(llvm::Error error) {
  llvm::handleAllErrors(std::move(error),
                        [&](const llvm::ErrorInfoBase &info) { addError(info.message()); });
}

void DiagnosticLog::addError(const llvm::Twine &text) {
  list.push_back({DiagnosticSeverity::Error, text.str(), {}});
}

void DiagnosticLog::append(const DiagnosticLog &other) {
  for (const Problem &problem : other.list) {
    auto isSame = [&](const Problem &known) { return known.text == problem.text; };
    if (llvm::none_of(list, isSame)) {
      list.push_back(problem);
    }
  }
}

size_t DiagnosticLog::errorCount() const {
  return llvm::count_if(list, [](const Problem &problem) { return problem.isError(); });
}

std::string DiagnosticLog::firstError() const {
  auto it = llvm::find_if(list, [](const Problem &problem) { return problem.isError(); });
  return it == list.end() ? "" : it->text;
}

ExitCode DiagnosticLog::exitCode() const {
  bool isAllUnsupported = llvm::all_of(
      list, [](const Problem &problem) { return !problem.isError() || problem.isUnsupported(); });
  return !hasErrors() ? kDone : isAllUnsupported ? kUnsupported : kUserError;
}

ExitCode DiagnosticLog::failureCode(llvm::raw_ostream &os) const {
  if (hasErrors()) {
    return exitCode();
  }
  os << "error: this is a bug in convoy: a step failed without saying why\n";
  return kBug;
}

void DiagnosticLog::print(llvm::raw_ostream &os) const {
  for (const Problem &problem : list) {
    if (problem.severity == DiagnosticSeverity::Remark) {
      continue;
    }
    os << (problem.isError() ? "error: " : "warning: ") << problem.text << "\n";
    for (const std::string &note : problem.notes) {
      os << "  note: " << note << "\n";
    }
  }
}

} // namespace convoy::driver

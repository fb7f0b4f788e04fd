// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy inspect`: what a model file, a compiled library or a file of a device holds.

#include "Driver/AddProblem.h"
#include "Driver/InspectFile.h"
#include "Driver/InspectLibrary.h"
#include "Driver/InspectModel.h"
#include "Support/TextTable.h"
#include "io/Files.h"
#include "report/Explanations.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

namespace convoy::tool {
namespace {

void printValues(llvm::raw_ostream &os, llvm::StringRef kind,
                 const std::vector<driver::InspectedValue> &values) {
  for (const driver::InspectedValue &value : values) {
    os << llvm::left_justify(kind, 12) << value.name << ": " << value.declared
       << (value.inferred.empty() ? "" : "  -> " + value.inferred) << "\n";
  }
}

void printCounts(llvm::raw_ostream &os, const driver::Counts &counts) {
  TextTable table({{"", ColumnKind::Number}, {""}});
  for (const auto &[name, count] : counts) {
    table.add({std::to_string(count), name});
  }
  table.print(os, "  ");
}

void printText(llvm::raw_ostream &os, const std::string &name, int64_t fileBytes,
               const driver::InspectedModel &facts) {
  os << "model       " << name << ", " << fileBytes << " bytes, IR version " << facts.irVersion
     << (facts.producer.empty() ? "" : ", by " + facts.producer) << "\n";
  for (const auto &[domain, version] : facts.opsets) {
    os << "opset       " << domain << " " << version << "\n";
  }
  printValues(os, "input", facts.inputs);
  printValues(os, "output", facts.outputs);
  os << "parameters  " << facts.parameters << " (" << facts.weightBytes << " bytes)\n"
     << "nodes       " << facts.nodes << "\n";
  printCounts(os, facts.nodesByOp);
  if (facts.graphOpCount > 0) {
    os << "graph ops   " << facts.graphOpCount << " after import\n";
    printCounts(os, facts.graphOps);
  }
}

int64_t sizeOf(const std::string &path) {
  uint64_t bytes = 0;
  return llvm::sys::fs::file_size(path, bytes) ? 0 : static_cast<int64_t>(bytes);
}

/// Prints a library or a file of a device.
ExitCode printFile(llvm::Expected<driver::InspectedFile> file, const InspectFlags &options,
                   Console &console) {
  Problems problems;
  if (!file) {
    addError(problems, file.takeError());
  } else if (!options.report.empty()) {
    if (llvm::Error error = io::writeFile(options.report, file->svg)) {
      addError(problems, withPrefix("--report: ", std::move(error)));
    }
  }
  if (problems.hasErrors()) {
    return fail(problems, console);
  }
  return printResult(
      options.json, [&](llvm::raw_ostream &os) { tool::printJson(os, file->json); },
      [&](llvm::raw_ostream &os) { os << file->text; }, console);
}

} // namespace

ExitCode inspect(const InspectFlags &options, Console &console) {
  if (driver::hasInspector(options.model.path)) {
    return printFile(driver::inspectFile(options.model.path, options.config), options, console);
  }
  Problems problems;
  if (!options.report.empty() || !options.config.empty()) {
    addError(problems, "--report and --config expect an NVDLA loadable, a file that ends in "
                       ".nvdla; got '" +
                           options.model.path + "'");
    return fail(problems, console);
  }
  if (driver::isLibrary(options.model.path)) {
    return printFile(driver::inspectLibrary(options.model.path), options, console);
  }
  Result<Model> model = Model::read(options.model.path);
  if (!model) {
    return fail(model.problems(), console);
  }
  InputPins pins = io::readModelFlags(options.model, *model, problems);
  driver::InspectedModel facts = driver::inspectModel(*model, pins, problems);
  int64_t bytes = sizeOf(options.model.path);
  ExitCode printed = printResult(
      options.json,
      [&](llvm::raw_ostream &os) {
        printJson(os, report::inspectedToJson(model->name(), bytes, facts));
      },
      [&](llvm::raw_ostream &os) { printText(os, model->name(), bytes, facts); }, console);
  print(console.err, problems);
  return problems.hasErrors() ? exitCodeOf(problems) : printed;
}

} // namespace convoy::tool

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy explain`: prints the kernels of a model on a CPU and why a kernel is generic loops. With
// a device as target, prints for each node the device region and the fused nodes, or the reason
// why the node stays on the CPU.

#include "Driver/AddProblem.h"
#include "Driver/Backends/Device/ExplainModel.h"
#include "Driver/Backends/Device/PlacementText.h"
#include "Driver/ExplainKernels.h"
#include "Driver/ResolveTarget.h"
#include "report/DeviceLayers.h"
#include "report/Explanations.h"
#include "tools/convoy/Request.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/PrintKernels.h"
#include "tools/convoy/output/PrintSummary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace convoy::tool {
namespace {

std::string microseconds(double nanoseconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f us", nanoseconds / 1000);
  return text;
}

void printNode(llvm::raw_ostream &os, const driver::NodePlacement &node, llvm::StringRef device) {
  os << node.node << ": ";
  if (node.region < 0) {
    os << "CPU: " << node.reason << (node.remedy.empty() ? "" : "; " + node.remedy)
       << (node.steps > 1 ? "; " + std::to_string(node.steps) + " steps" : "") << "\n";
    return;
  }
  os << device << ", region " << node.region
     << (node.fusedWith.empty() ? "" : ", with " + llvm::join(node.fusedWith, ", ")) << "; "
     << microseconds(node.cpuNs) << " -> " << microseconds(node.deviceNs) << "\n";
}

void printText(llvm::raw_ostream &os, const driver::Explanation &explanation) {
  const PlacementSummary &placement = explanation.placement;
  for (const driver::NodePlacement &node : explanation.nodes) {
    printNode(os, node, placement.device);
  }
  if (!explanation.layers.empty()) {
    report::printLayers(os << "\n", explanation.layers, driver::clockOf(placement));
    os << "\n";
  }
  os << placement.placedOps << " of " << placement.ops << " ops in " << placement.regions
     << (placement.regions == 1 ? " region" : " regions") << " on " << placement.device << "\n";
  printVerdict(os, placement);
}

ExitCode explainDevice(const ExplainFlags &options, Console &console) {
  Problems problems;
  refuseCpuFlags(options.build, "explain", "not what runs on the device", problems);
  if (options.isVerbose) {
    addError(problems, "--verbose has no effect on `convoy explain` with a device as --target");
  }
  std::optional<Request> request;
  if (!problems.hasErrors()) {
    request = readRequest(options.build, Emit::Library, problems);
  }
  if (!request || problems.hasErrors()) {
    return fail(problems, console);
  }
  Result<driver::Explanation> explanation = driver::explainModel(request->model, request->compile);
  problems.append(explanation.problems());
  if (!explanation) {
    return fail(problems, console);
  }
  // Print the explanation also if the device runs no op: it shows the reason for each op.
  if (std::optional<Problem> problem =
          driver::unusedDevice(explanation->placement, request->compile)) {
    problems.add(std::move(*problem));
  }
  print(console.err, problems);
  ExitCode printed = printResult(
      options.json,
      [&](llvm::raw_ostream &os) {
        printJson(os, report::explanationToJson(request->model.name(), *explanation, problems));
      },
      [&](llvm::raw_ostream &os) { printText(os, *explanation); }, console);
  return printed == kDone ? exitCodeOf(problems) : printed;
}

ExitCode explainCpu(const ExplainFlags &options, Console &console) {
  Problems problems;
  // The targets `c` and `c-plain`, which are for models in memory, have kernels too.
  std::optional<Request> request = readRequest(options.build, Emit::Memory, problems);
  if (!request || problems.hasErrors()) {
    return fail(problems, console);
  }
  Result<CompileReport> kernels = driver::explainKernels(request->model, request->compile);
  problems.append(kernels.problems());
  if (!kernels) {
    return fail(problems, console);
  }
  print(console.err, problems);
  return printResult(
      options.json,
      [&](llvm::raw_ostream &os) {
        printJson(os, report::kernelsToJson(request->model.name(), *kernels, problems));
      },
      [&](llvm::raw_ostream &os) {
        printKernels(os, request->model.name(), *kernels, options.isVerbose);
      },
      console);
}

} // namespace

ExitCode explain(const ExplainFlags &options, Console &console) {
  TargetRequest wanted;
  wanted.name = options.build.target;
  wanted.cpu = options.build.cpu;
  llvm::Expected<driver::ResolvedTarget> target = driver::resolveTarget(wanted, true);
  if (!target) {
    llvm::consumeError(target.takeError()); // readRequest reports it with the other problems
  }
  return target && target->device ? explainDevice(options, console) : explainCpu(options, console);
}

} // namespace convoy::tool

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages up to quantize in `prepare`, and place and device in `split`.

#include "Driver/Backends/Device/PreparedModel.h"
#include "Driver/Backends/Device/DevicePrograms.h"
#include "Driver/RequestOptions.h"
#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "Kernels/Kernel.h"
#include "Pipeline/RunStages.h"
#include "Pipeline/StageReports.h"
#include "Pipeline/TargetOptions.h"
#include "Place/SummarizePlan.h"
#include "Support/NearestName.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::driver {
namespace {

bool isRegion(Operation *op) {
  auto kernel = dyn_cast<graph::KernelOp>(op);
  return kernel && isa_and_nonnull<kernels::OffloadAttr>(kernel.getConfigAttr());
}

} // namespace

std::unique_ptr<PreparedModel> PreparedModel::prepare(const Model &model,
                                                      const CompileRequest &request,
                                                      llvm::StringRef verb, Problems &problems) {
  std::unique_ptr<PreparedModel> result(new PreparedModel());
  DiagnosticLog &log = result->compileContext->log;
  llvm::Expected<ResolvedTarget> target = resolveTarget(request.target, /*isForMemory=*/false);
  bool isDevice = llvm::is_contained(deviceNames(), request.target.name);
  if (target && target->device) {
    result->target = std::move(*target);
  } else if (!target && isDevice) { // the CPU is wrong
    log.add(target.takeError());
  } else {
    if (!target) {
      // This error lists the devices, which is more useful than a list of all targets.
      llvm::consumeError(target.takeError());
    }
    std::string nearest = nearestName(request.target.name, deviceNames());
    log.addError("--target: `convoy " + verb + "` expects a device, got '" + request.target.name +
                 "'; " + (nearest.empty() ? "" : "did you mean " + nearest + "? ") +
                 "the devices are " + llvm::join(deviceNames(), ", "));
  }
  bool isReady = !log.hasErrors();
  if (isReady) {
    llvm::Expected<StageOptions> options = stageOptionsFor(request, result->target, model.name());
    if (options) {
      result->options = std::move(*options);
    } else {
      log.add(options.takeError());
    }
    result->imported = importRequested(model, request, result->target, *result->compileContext);
    isReady = result->imported && !log.hasErrors() &&
              succeeded(runStages(*result->imported, result->options, "", "quantize"));
  }
  problems.append(log.problems());
  return isReady ? std::move(result) : nullptr;
}

FailureOr<DeviceParts> PreparedModel::split(const accelerators::Accelerator &device) {
  StageOptions placed = options;
  placeOn(device, placed);
  OwningOpRef<ModuleOp> copy = imported->clone();
  if (failed(runStages(*copy, placed, "place", "device"))) {
    return failure();
  }
  DeviceParts parts;
  parts.placement = place::loadPlacement(mainOf(*copy));
  std::string cpuOps;
  for (Operation &op : mainOf(*copy).getBody().front().without_terminator()) {
    if (isRegion(&op)) {
      ++parts.regions;
    } else if (!isa<graph::ConstantOp>(op)) {
      ++parts.cpuOps;
      cpuOps += op.getName().getStringRef().str() + " " + graph::nodeText(op.getLoc()) + "\n";
    }
  }
  if (llvm::Expected<std::vector<DeviceLayer>> layers = timeLayers(*copy, device)) {
    parts.layers = std::move(*layers);
  } else {
    addError(parts.problems, layers.takeError());
  }
  FailureOr<double> predicted = predictCpu(*copy, placed, cpuOps);
  if (failed(predicted)) {
    return failure();
  }
  parts.cpuNs = *predicted;
  return parts;
}

FailureOr<double> PreparedModel::predictCpu(ModuleOp placed, const StageOptions &options,
                                            const std::string &key) {
  auto known = cpuNs.find(key);
  if (known != cpuNs.end()) {
    return known->second;
  }
  CompileReport report;
  ReportObserver observer(options, report);
  if (failed(runStages(placed, options, "fusion", "kernels", &observer))) {
    return failure();
  }
  double &sum = cpuNs[key];
  for (const KernelReport &kernel : report.kernels) {
    sum += kernel.predictedNs; // 0 for the kernels of the device
  }
  return sum;
}

} // namespace convoy::driver

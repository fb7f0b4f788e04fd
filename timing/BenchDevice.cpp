// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Benchmarks models that are placed on a device. The device's simulator estimates the time of the
// device's layers; the clock measures the part that runs on the CPU.

#include "Driver/AddProblem.h"
#include "Driver/Backends/Device/PreparedModel.h"
#include "Driver/CompileModel.h"
#include "Driver/LoadedProgram.h"
#include "Graph/NodeName.h"
#include "Place/DevicePlan.h"
#include "io/InputData.h"
#include "report/DeviceLayers.h"
#include "report/Placement.h"
#include "timing/Bench.h"
#include "timing/NullDevice.h"
#include "timing/Statistics.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <chrono>

using namespace mlir;

namespace convoy::timing {
namespace {

/// The times of one model on one device.
struct DeviceRow {
  std::string model, device;
  double cyclesPerNs = 1;
  std::vector<DeviceLayer> layers;
  /// Whether the simulator counted the cycles; otherwise placement estimated them.
  bool isSimulated = true;
  PlacementSummary placement;
  std::vector<std::string> warnings;
  int64_t regions = 0;
  int64_t cpuOps = 0;
  double deviceMs = 0; // simulated or estimated
  double cpuMs = 0;    // measured, with the copies to and from the device
};

/// Adds the layers with the cycles that placement estimates, for a simulator that counts none.
std::vector<DeviceLayer> estimate(driver::PreparedModel &prepared) {
  std::vector<DeviceLayer> layers;
  const accelerators::Accelerator &device = prepared.device();
  place::DevicePlan plan(driver::mainOf(prepared.module()), device, prepared.policy());
  for (const place::Placement &placement : plan.placements()) {
    if (placement.region >= 0) {
      DeviceLayer layer;
      layer.name = graph::nodeText(placement.op->getLoc());
      layer.cycles = placement.deviceNs * device.cyclesPerNs();
      layers.push_back(std::move(layer));
    }
  }
  return layers;
}

/// Adds the layers with the simulator's cycles, or with placement's estimate if the simulator
/// counts none.
bool timeDevice(const Model &model, const CompileRequest &request, DeviceRow &row,
                Problems &problems) {
  std::unique_ptr<driver::PreparedModel> prepared =
      driver::PreparedModel::prepare(model, request, "bench", problems);
  if (!prepared) {
    return false;
  }
  const accelerators::Accelerator &device = prepared->device();
  row.device = device.name().str();
  row.cyclesPerNs = device.cyclesPerNs();
  FailureOr<driver::DeviceParts> parts = prepared->split(device);
  problems.append(prepared->context().log.problems());
  if (succeeded(parts)) {
    problems.append(parts->problems);
  }
  if (failed(parts) || problems.hasErrors()) {
    return false;
  }
  row.placement = parts->placement;
  row.regions = parts->regions;
  row.cpuOps = parts->cpuOps;
  row.isSimulated = !parts->layers.empty() || row.regions == 0;
  row.layers = row.isSimulated ? std::move(parts->layers) : estimate(*prepared);
  for (const DeviceLayer &layer : row.layers) {
    row.deviceMs += layer.cycles / row.cyclesPerNs * 1e-6;
  }
  return true;
}

/// Returns the median of the runs in milliseconds, or nothing if a run fails.
std::optional<double> timeRuns(Artifact &artifact, int64_t samples, Problems &problems) {
  using Clock = std::chrono::steady_clock;
  driver::NamedData inputs;
  for (auto [i, input] : llvm::enumerate(artifact.report.inputs)) {
    inputs[input.name] = io::randomTensor(input.type, input.shape, i);
  }
  std::vector<double> times;
  for (int64_t i = 0; i <= samples; ++i) {
    Clock::time_point started = Clock::now();
    Result<std::vector<reference::Datum>> results = artifact.memory->program().run(inputs);
    if (!results) {
      problems.append(results.problems());
      return std::nullopt;
    }
    double ms = std::chrono::duration<double, std::milli>(Clock::now() - started).count();
    if (i > 0) { // the first run has cold caches
      times.push_back(ms);
    }
  }
  return median(std::move(times));
}

/// Times the CPU's part: runs the model with a device that computes nothing.
bool timeCpu(const Model &model, CompileRequest request, int64_t samples, DeviceRow &row,
             Problems &problems) {
  NullDevice instant; // outlives the model's programs
  driver::CompileHooks hooks;
  hooks.device = &instant.table();
  request.output.emit = Emit::Memory;
  Result<Artifact> artifact = driver::compileModel(model, request, hooks);
  problems.append(artifact.problems());
  std::optional<double> ms =
      artifact ? timeRuns(*artifact, samples, problems) : std::optional<double>();
  row.cpuMs = ms.value_or(0);
  return ms.has_value();
}

std::string counted(int64_t number, llvm::StringRef noun) {
  return (llvm::Twine(number) + " " + noun + (number == 1 ? "" : "s")).str();
}

void printRow(llvm::raw_ostream &os, const DeviceRow &row) {
  const char *how = row.isSimulated ? "simulated" : "estimated";
  os << row.model << " on " << row.device << "; times of the device are " << how
     << ", not measured\n";
  os << "      cycles   stalls  utilization  bytes moved         us  layer\n";
  for (const DeviceLayer &layer : row.layers) {
    double share = layer.cycles > 0 ? layer.stallCycles / layer.cycles : 0;
    os << llvm::format("%12.0f %6.1f %% %10.1f %% %12lld %10.2f  ", layer.cycles, 100 * share,
                       100 * layer.utilization, static_cast<long long>(layer.bytesMoved),
                       layer.cycles / row.cyclesPerNs / 1000)
       << layer.name << (layer.unit.empty() ? "" : " on " + layer.unit) << "\n";
  }
  os << llvm::format("device %10.3f ms  %s: ", row.deviceMs, how)
     << counted(static_cast<int64_t>(row.layers.size()), "layer") << " in "
     << counted(row.regions, "region") << llvm::format(" at %g GHz\n", row.cyclesPerNs);
  os << llvm::format("CPU    %10.3f ms  measured: ", row.cpuMs) << counted(row.cpuOps, "op")
     << " and the copies to and from the device\n";
  os << llvm::format("both   %10.3f ms  one after the other\n", row.deviceMs + row.cpuMs);
}

std::string toJson(llvm::ArrayRef<DeviceRow> rows) {
  llvm::json::Array list;
  for (const DeviceRow &row : rows) {
    list.push_back(llvm::json::Object{{"model", llvm::json::fixUTF8(row.model)},
                                      {"target", row.device},
                                      {"device_time", row.isSimulated ? "simulated" : "estimated"},
                                      {"device_ms", row.deviceMs},
                                      {"cpu_ms", row.cpuMs},
                                      {"regions", row.regions},
                                      {"cpu_ops", row.cpuOps},
                                      {"layers", report::layersToJson(row.layers)},
                                      {"placement", report::placementToJson(row.placement)},
                                      {"warnings", llvm::json::Array(row.warnings)}});
  }
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(list))).str();
}

/// Adds the time of the device's part, simulated or estimated, and the median time of the CPU's
/// part.
class DeviceBench : public Bench {
public:
  using Bench::Bench;

  Problems check() override {
    Problems problems;
    if (refuseReport(problems)) {
      return problems;
    }
    if (options.hasPeer || options.hasLayers || options.isHot || options.hasKernelTimes ||
        !options.folder.empty() || options.hasInputs || options.hasData || options.streams > 0 ||
        !options.trace.empty() || options.threads.size() != 1) {
      addError(problems,
               "--target " + target.name +
                   " is a device: `convoy bench` accepts one number of --threads and none "
                   "of --baseline, --layers, --hot, --kernel-times, --input, --data, "
                   "--streams, --trace and -o");
    }
    return problems;
  }

  Problems measure() override {
    DeviceRow row;
    row.model = current->model.name();
    Problems problems;
    if (timeDevice(current->model, current->compile, row, problems) &&
        timeCpu(current->model, current->compile, options.samples, row, problems)) {
      for (const Problem &problem : problems.all()) {
        row.warnings.push_back(llvm::json::fixUTF8(problem.text));
      }
      rows.push_back(std::move(row));
    }
    return problems;
  }

  std::string json() const override { return toJson(rows); }

  void print(llvm::raw_ostream &os, llvm::raw_ostream &) const override {
    for (const DeviceRow &row : rows) {
      printRow(os, row);
    }
  }

private:
  std::vector<DeviceRow> rows;
};

} // namespace

std::unique_ptr<Bench> benchDevice(const BenchOptions &options,
                                   const driver::ResolvedTarget &target) {
  return std::make_unique<DeviceBench>(options, target);
}

} // namespace convoy::timing

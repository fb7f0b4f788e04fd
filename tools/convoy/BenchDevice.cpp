// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One report per model: layers of the device, then the CPU's part, then both.

#include "BenchDevice.h"
#include "Codegen/LLVM/LoadedModel.h"
#include "DeviceLayers.h"
#include "DeviceStages.h"
#include "Files.h"
#include "InputData.h"
#include "InstantDevice.h"
#include "MachineTarget.h"
#include "NodeName.h"
#include "Place/DevicePlan.h"
#include "Statistics.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <chrono>

using namespace mlir;

namespace convoy::driver {
namespace {

/// One model with the device.
struct DeviceRow {
  std::string model;
  std::vector<accelerators::LayerReport> layers;
  /// Whether cycles are the simulator's; else they are what placement estimates.
  bool isSimulated = true;
  int64_t regions = 0;
  int64_t cpuOps = 0;
  double deviceMs = 0; // simulated or estimated
  double cpuMs = 0;    // measured, with the copies to and from the device
};

class DeviceBench {
public:
  DeviceBench(const BenchOptions &options, const accelerators::Accelerator &device,
              Console &console)
      : options(options), device(device), console(console) {}

  ExitCode run() {
    for (const std::string &model : options.models) {
      measure(model);
    }
    for (const DeviceRow &row : rows) {
      print(row);
    }
    if (!options.json.empty()) {
      if (llvm::Error error = writeFile(options.json, toJson())) {
        console.err << "error: " << llvm::toString(std::move(error)) << "\n";
        code = code == kDone ? kUserError : code;
      }
    }
    return code;
  }

private:
  void measure(const std::string &path) {
    Session session;
    DeviceRow row;
    if (succeeded(measure(path, session, row))) {
      rows.push_back(std::move(row));
      return;
    }
    session.log().print(console.err);
    ExitCode failed = session.log().failureCode(console.err);
    code = code == kDone ? failed : code;
  }

  LogicalResult measure(const std::string &path, Session &session, DeviceRow &row) {
    llvm::Expected<import::Model> model = import::readModel(path);
    if (!model) {
      session.log().add(model.takeError());
      return failure();
    }
    row.model = model->name;
    ModelOptions flags = options.model;
    flags.path = path;
    import::ImportOptions importOptions = readModelFlags(flags, *model, session.log());
    if (session.log().hasErrors()) {
      return failure();
    }
    OwningOpRef<ModuleOp> module = session.import(*model, importOptions);
    if (!module) {
      return failure();
    }
    OwningOpRef<ModuleOp> copy = module->clone();
    return failure(failed(timeDevice(*copy, session, row)) ||
                   failed(timeCpu(*module, session, row)));
  }

  /// What the device's simulator says, or placement where that has no clock.
  LogicalResult timeDevice(ModuleOp module, Session &session, DeviceRow &row) {
    if (failed(prepareForDevice(module, device, options.integer == "on"))) {
      return failure();
    }
    estimate(module, row);
    FailureOr<DeviceParts> parts = splitForDevice(module, device);
    if (failed(parts)) {
      return failure();
    }
    row.regions = parts->regions;
    row.cpuOps = parts->cpuOps;
    llvm::Expected<std::vector<accelerators::LayerReport>> layers = timeLayers(module, device);
    if (!layers) {
      session.log().add(layers.takeError());
      return failure();
    }
    row.isSimulated = !layers->empty() || row.regions == 0;
    if (row.isSimulated) {
      row.layers = std::move(*layers);
    }
    for (const accelerators::LayerReport &layer : row.layers) {
      row.deviceMs += layer.cycles / device.cyclesPerNs() * 1e-6;
    }
    return success();
  }

  void estimate(ModuleOp module, DeviceRow &row) const {
    place::DevicePlan plan(module.lookupSymbol<func::FuncOp>("main"), device);
    for (const place::Placement &placement : plan.placements()) {
      if (placement.region >= 0) {
        accelerators::LayerReport layer;
        layer.name = nodeText(placement.op->getLoc());
        layer.cycles = placement.deviceNs * device.cyclesPerNs();
        row.layers.push_back(std::move(layer));
      }
    }
  }

  /// Runs the model on this machine with a device that takes no time.
  LogicalResult timeCpu(ModuleOp module, Session &session, DeviceRow &row) const {
    TargetOptions targetOptions;
    targetOptions.threads = options.threads.front();
    targetOptions.isStrictMath = options.math == "strict";
    targetOptions.isInteger = options.integer == "on";
    codegen::CodegenOptions codegenOptions;
    codegenOptions.target = targets::detectHost();
    if (failed(lowerForMachine(module, targetOptions, codegenOptions, &device))) {
      return failure();
    }
    InstantDevice instant; // outlives the model's programs
    auto model = codegen::LoadedModel::load(module, codegenOptions);
    llvm::Error error = model ? (*model)->init(instant.table()) : model.takeError();
    llvm::Expected<double> ms = error ? llvm::Expected<double>(std::move(error)) : runs(**model);
    if (!ms) {
      session.log().add(ms.takeError());
      return failure();
    }
    row.cpuMs = *ms;
    return success();
  }

  /// The median of some runs.
  llvm::Expected<double> runs(const codegen::LoadedModel &model) const {
    using Clock = std::chrono::steady_clock;
    std::vector<Tensor> inputs;
    for (auto [i, input] : llvm::enumerate(model.inputs())) {
      inputs.push_back(randomTensor(input.type, input.shape, i));
    }
    std::vector<double> samples;
    for (int64_t i = 0; i <= options.samples; ++i) {
      Clock::time_point started = Clock::now();
      llvm::Expected<std::vector<Tensor>> results = model.run(inputs);
      if (!results) {
        return results.takeError();
      }
      double ms = std::chrono::duration<double, std::milli>(Clock::now() - started).count();
      if (i > 0) { // the first finds cold caches
        samples.push_back(ms);
      }
    }
    return median(std::move(samples));
  }

  void print(const DeviceRow &row) {
    llvm::raw_ostream &os = console.out;
    const char *how = row.isSimulated ? "simulated" : "estimated";
    os << row.model << " on " << device.name() << "; times of the device are " << how
       << ", not measured\n";
    os << "      cycles   stalls  utilisation  bytes moved         us  layer\n";
    for (const accelerators::LayerReport &layer : row.layers) {
      double share = layer.cycles > 0 ? layer.stallCycles / layer.cycles : 0;
      os << llvm::format("%12.0f %6.1f %% %10.1f %% %12lld %10.2f  ", layer.cycles, 100 * share,
                         100 * layer.utilization, static_cast<long long>(layer.bytesMoved),
                         layer.cycles / device.cyclesPerNs() / 1000)
         << layer.name << (layer.unit.empty() ? "" : " on " + layer.unit) << "\n";
    }
    os << llvm::format("device %10.3f ms  %s: ", row.deviceMs, how) << row.layers.size()
       << " layers in " << row.regions << (row.regions == 1 ? " region" : " regions")
       << llvm::format(" at %g GHz\n", device.cyclesPerNs());
    os << llvm::format("CPU    %10.3f ms  measured: ", row.cpuMs) << row.cpuOps
       << " ops, and copies to and from the device as memory's\n";
    os << llvm::format("both   %10.3f ms  one after the other\n", row.deviceMs + row.cpuMs);
  }

  std::string toJson() const {
    llvm::json::Array list;
    for (const DeviceRow &row : rows) {
      list.push_back(llvm::json::Object{{"model", llvm::json::fixUTF8(row.model)},
                                        {"target", device.name()},
                                        {"deviceTime", row.isSimulated ? "simulated" : "estimated"},
                                        {"deviceMs", row.deviceMs},
                                        {"cpuMs", row.cpuMs},
                                        {"regions", row.regions},
                                        {"cpuOps", row.cpuOps},
                                        {"layers", layersToJson(row.layers)}});
    }
    return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(list))).str();
  }

  const BenchOptions &options;
  const accelerators::Accelerator &device;
  Console &console;
  ExitCode code = kDone;
  std::vector<DeviceRow> rows;
};

} // namespace

ExitCode benchDevice(const BenchOptions &options, const accelerators::Accelerator &device,
                     Console &console) {
  if (!options.against.empty() || options.hasLayers || options.isHot || !options.records.empty() ||
      !options.kernelTimes.empty() || !options.output.empty() || options.threads.size() != 1) {
    console.err << "error: --target " << device.name()
                << " is a device, whose layers are always shown; it takes one number of --threads "
                   "and none of --against, --layers, --hot, --records, --kernel-times and -o\n";
    return kUserError;
  }
  return DeviceBench(options, device, console).run();
}

} // namespace convoy::driver

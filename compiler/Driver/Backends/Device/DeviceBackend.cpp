// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs device regions on the device's simulator and the rest of the model on this machine; writes
// the programs of regions in the device's own format.

#include "Codegen/LLVM/LoadedModel.h"
#include "Driver/BackendJob.h"
#include "Driver/Backends/Device/DevicePrograms.h"
#include "Driver/LoadedProgram.h"
#include "Driver/ReportFiles.h"
#include "Pipeline/TargetOptions.h"
#include "Support/OutputSet.h"
#include "Support/TypedDiagnostic.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::driver {
namespace {

class DeviceExecutable : public Executable {
public:
  DeviceExecutable(std::unique_ptr<codegen::LoadedModel> model,
                   std::unique_ptr<accelerators::Simulator> simulator, Location loc)
      : simulator(std::move(simulator)), model(std::move(model)), loc(loc) {}

  FailureOr<std::vector<Datum>> run(ArrayRef<Datum> inputs) override {
    llvm::Expected<std::vector<Tensor>> results = model->run(tensorsOf(inputs));
    if (!results) {
      return emitError(loc, results.takeError())
             << (simulator->error().empty() ? "" : "; the simulator says: ") << simulator->error();
    }
    return std::vector<Datum>(results->begin(), results->end());
  }

  const convoy_model *table() const override { return &model->table(); }

private:
  std::unique_ptr<accelerators::Simulator> simulator; // outlives the model's programs
  std::unique_ptr<codegen::LoadedModel> model;
  Location loc;
};

/// Writes the programs of a device's regions as files of the device's own format.
llvm::Error writePrograms(BackendJob &job) {
  const accelerators::Accelerator &device = *job.target.device;
  const std::string &folder = job.request.output.folder;
  std::vector<std::vector<uint8_t>> programs = programsOf(*job.module);
  assert(!programs.empty() && "unusedDevice stops the compile after the place stage");
  OutputSet set;
  if (llvm::Error error = set.create(folder)) {
    return error;
  }
  llvm::Expected<std::vector<DeviceLayer>> layers = timeLayers(*job.module, device);
  if (!layers) {
    return layers.takeError();
  }
  job.artifact.report.deviceLayers = std::move(*layers);
  std::vector<std::string> names;
  for (size_t i = 0; i < programs.size(); ++i) {
    std::string number = programs.size() == 1 ? "" : "_" + std::to_string(i);
    names.push_back(job.options.codegen.model + number);
  }
  std::vector<DeviceProgram> links = linksOf(*job.module, names);
  for (auto [program, link] : llvm::zip(programs, links)) {
    for (const accelerators::ProgramFile &file : device.filesOf(program, commandsOf(program))) {
      std::string path = inFolder(folder, link.name + "." + file.extension);
      llvm::StringRef bytes(reinterpret_cast<const char *>(file.bytes.data()), file.bytes.size());
      if (llvm::Error error = set.write(path, bytes)) {
        return error;
      }
      job.artifact.files.programs.push_back(path);
      link.files.push_back(path);
    }
  }
  if (job.hooks.wrotePrograms) {
    job.hooks.wrotePrograms(links);
  }
  return set.commit();
}

/// Returns the element types in which a device supports an op.
std::string typesOf(const accelerators::OpSupport &op) {
  std::vector<std::string> types;
  for (ElementType type : op.types) {
    types.push_back(name(type).str());
  }
  return llvm::join(types, ", ");
}

class DeviceBackend : public Backend {
public:
  DeviceBackend() : Backend({"device", Emit::Library}) {}

  llvm::Error check(const CompileRequest &, const ResolvedTarget &) const override {
    return llvm::Error::success();
  }

  llvm::Error setOptions(const CompileRequest &request, const ResolvedTarget &target,
                         StageOptions &options) const override {
    llvm::Error error = Backend::setOptions(request, target, options);
    placeOn(*target.device, options);
    return error;
  }

  /// The quantize stage converts activations for the device.
  plan::TargetTypes types(const ResolvedTarget &target) const override {
    plan::TargetTypes types = Backend::types(target);
    types.hasI16 = types.hasI4 = false;
    types.tiesAddends = true;
    return types;
  }

  /// Passes the table of the hooks to the code as the device's driver, or else the simulator.
  std::unique_ptr<Executable> load(BackendJob &job) const override {
    Location loc = job.module->getLoc();
    auto model = codegen::LoadedModel::load(*job.module, job.options.codegen);
    if (!model) {
      emitError(loc, model.takeError());
      return nullptr;
    }
    reportInterface((*model)->description(), job.artifact.report);
    std::unique_ptr<accelerators::Simulator> simulator = job.target.device->simulator();
    const convoy_device *table = job.hooks.device;
    if (llvm::Error error = (*model)->init(table ? *table : simulator->device())) {
      emitError(loc, std::move(error)) << "; " << simulator->error();
      return nullptr;
    }
    return std::make_unique<DeviceExecutable>(std::move(*model), std::move(simulator), loc);
  }

  llvm::Error write(BackendJob &job) const override {
    return job.request.output.emit == Emit::Program ? writePrograms(job) : Backend::write(job);
  }

  llvm::Error measure(const ResolvedTarget &, MeasureMethods &methods) const override {
    methods.simulateDevice();
    return llvm::Error::success();
  }

  TargetDescription describe(const ResolvedTarget &target) const override {
    TargetDescription result{
        target.summary, {"compile", "run", "check", "bench", "explain"}, {}, {}};
    llvm::json::Object ops;
    for (const accelerators::OpSupport &op : target.device->capabilities().ops()) {
      result.properties.emplace_back("op " + op.op.str(), typesOf(op));
      ops[op.op] = typesOf(op);
    }
    result.json["ops"] = std::move(ops);
    return result;
  }
};

} // namespace

const Backend &deviceBackend() {
  static const DeviceBackend backend;
  return backend;
}

} // namespace convoy::driver

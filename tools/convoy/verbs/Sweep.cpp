// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy sweep`: compiles a model for every combination of a device's parameters, and for other
// devices, and times it with the devices' simulators.

#include "Driver/AddProblem.h"
#include "Driver/Backends/Device/PlacementText.h"
#include "Driver/Backends/Device/PreparedModel.h"
#include "io/Files.h"
#include "report/SweepReport.h"
#include "tools/convoy/Request.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/Progress.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::tool {
namespace {

using report::SweepAxis;
using report::SweepPoint;
using report::SweepResult;

class Sweeper {
public:
  Sweeper(const SweepFlags &options, Console &console) : options(options), console(console) {}

  ExitCode run() {
    result.target = options.build.target;
    for (const SweepFlags::Axis &axis : options.axes) {
      if (!axis.values.empty()) {
        result.axes.push_back({axis.flag, axis.key, axis.values});
      }
    }
    if (!read() || !checkAxes() || !measureAll() || !usesDevice() || !measureOthers()) {
      return fail(problems, console);
    }
    report::markOptimal(result);
    if (!draw()) {
      return fail(problems, console);
    }
    print(console.err, problems);
    return printResult(
        options.json, [&](llvm::raw_ostream &os) { printJson(os, report::toJson(result)); },
        [&](llvm::raw_ostream &os) { report::printTable(os, result); }, console);
  }

private:
  bool refuse(const llvm::Twine &text) {
    addError(problems, text);
    return false;
  }
  bool refuse(llvm::Error error) {
    addError(problems, std::move(error));
    return false;
  }

  bool read() {
    BuildFlags flags = options.build;
    flags.given.erase("--cpu"); // the sweep predicts the time of the ops on the CPU
    refuseCpuFlags(flags, "sweep", "and a sweep times the device", problems);
    std::optional<Request> request;
    if (!problems.hasErrors()) {
      request = readRequest(options.build, Emit::Library, problems);
    }
    if (!request || problems.hasErrors()) {
      return false;
    }
    result.model = request->model.name();
    model = request->model;
    wanted = request->compile;
    prepared = driver::PreparedModel::prepare(*model, request->compile, "sweep", problems);
    return prepared != nullptr;
  }

  /// Checks each value on its own, so that the error names the flag.
  bool checkAxes() {
    for (const SweepAxis &axis : result.axes) {
      for (const std::string &value : axis.values) {
        TargetRequest wanted;
        wanted.name = options.build.target + ":" + axis.key + "=" + value;
        llvm::Expected<driver::ResolvedTarget> found =
            driver::resolveTarget(wanted, /*isForMemory=*/false);
        if (!found) {
          return refuse(withPrefix("--" + axis.flag + ": ", found.takeError()));
        }
      }
    }
    return true;
  }

  bool measureAll() {
    size_t count = 1;
    for (const SweepAxis &axis : result.axes) {
      count *= axis.values.size();
    }
    Progress progress(console, static_cast<int>(count));
    for (size_t number = 0; number < count; ++number) {
      SweepPoint point = pointOf(number);
      point.device = options.build.target;
      std::string target = options.build.target;
      for (auto [axis, value] : llvm::zip(result.axes, point.values)) {
        target += ":" + axis.key + "=" + value;
      }
      progress.begin(target);
      TargetRequest named;
      named.name = target;
      llvm::Expected<driver::ResolvedTarget> found =
          driver::resolveTarget(named, /*isForMemory=*/false);
      if (!found) {
        return refuse(found.takeError());
      }
      if (!measure(*prepared, *found->device, point)) {
        return false;
      }
      result.points.push_back(std::move(point));
    }
    return true;
  }

  /// Measures the devices of --devices with their own parameters. Each one has its own arithmetic,
  /// so the stages before placement run again.
  bool measureOthers() {
    Progress progress(console, static_cast<int>(options.devices.size()));
    for (const std::string &device : options.devices) {
      progress.begin(device);
      CompileRequest request = wanted;
      request.target.name = device;
      std::unique_ptr<driver::PreparedModel> other =
          driver::PreparedModel::prepare(*model, request, "sweep --devices", problems);
      SweepPoint point;
      point.device = device;
      point.values.resize(result.axes.size());
      if (!other || !measure(*other, other->device(), point)) {
        return false;
      }
      if (point.problem.empty() && point.regions == 0) {
        point.problem = "no op runs on the device";
      }
      result.points.push_back(std::move(point));
    }
    return true;
  }

  /// Adds an error if no combination places an op on the device: all times would be zero.
  bool usesDevice() {
    auto isUsed = [](const SweepPoint &point) { return point.regions > 0; };
    if (llvm::any_of(result.points, isUsed)) {
      return true;
    }
    return refuse(createUnsupported(
        "not supported: `convoy sweep` expects at least one op on the device, found "
        "that " +
        driver::unusedDeviceText(placement, wanted)));
  }

  /// Returns the combination with that number. The last axis changes fastest.
  SweepPoint pointOf(size_t number) const {
    SweepPoint point;
    for (const SweepAxis &axis : llvm::reverse(result.axes)) {
      point.values.insert(point.values.begin(), axis.values[number % axis.values.size()]);
      number /= axis.values.size();
    }
    return point;
  }

  bool measure(driver::PreparedModel &from, const accelerators::Accelerator &device,
               SweepPoint &point) {
    accelerators::Resources resources = device.resources();
    point.multipliers = resources.multipliers;
    point.localBytes = resources.localBytes;
    mlir::FailureOr<driver::DeviceParts> parts = from.split(device);
    problems.append(from.context().log.problems());
    if (failed(parts)) {
      return false;
    }
    placement = parts->placement;
    point.regions = parts->regions;
    point.cpuOps = parts->cpuOps;
    point.cpuNs = parts->cpuNs;
    if (parts->problems.hasErrors()) {
      point.problem = parts->problems.firstError();
      return true;
    }
    if (parts->layers.empty() && parts->regions > 0) {
      return refuse("--target: the simulator of '" + device.name() + "' does not estimate time");
    }
    double busy = 0;
    for (const DeviceLayer &layer : parts->layers) {
      point.cycles += layer.cycles;
      point.stallCycles += layer.stallCycles;
      point.bytesMoved += layer.bytesMoved;
      busy += layer.utilization * layer.cycles;
      ++point.layers;
    }
    point.utilization = point.cycles > 0 ? busy / point.cycles : 0;
    point.deviceNs = point.cycles / device.cyclesPerNs();
    return true;
  }

  bool draw() {
    if (options.report.empty()) {
      return true;
    }
    llvm::Error error = io::writeFile(options.report, report::drawHtml(result));
    return error ? refuse(withPrefix("--report: ", std::move(error))) : true;
  }

  const SweepFlags &options;
  Console &console;
  Problems problems;
  std::optional<Model> model;
  std::unique_ptr<driver::PreparedModel> prepared; // after the stages before placement
  CompileRequest wanted;
  PlacementSummary placement; // of the last point
  SweepResult result;
};

} // namespace

ExitCode sweep(const SweepFlags &options, Console &console) {
  return Sweeper(options, console).run();
}

} // namespace convoy::tool

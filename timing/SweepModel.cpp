// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All combinations of the parameters share the stages before placement. Another device has separate
// arithmetic, so these stages run again for it.

#include "timing/SweepModel.h"
#include "Accelerators/Registry.h"
#include "Driver/AddProblem.h"
#include "Driver/Backends/Device/PlacementText.h"
#include "Driver/Backends/Device/PreparedModel.h"
#include "Driver/ResolveTarget.h"
#include "Support/TypedError.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::timing {
namespace {

using report::SweepAxis;
using report::SweepPoint;
using report::SweepResult;

class Sweeper {
public:
  Sweeper(const Model &model, const SweepRequest &request) : model(model), request(request) {
    result.model = model.name();
    result.target = request.compile.target.name;
    for (const SweepAxis &axis : request.axes) {
      if (!axis.values.empty()) {
        result.axes.push_back(axis);
      }
    }
  }

  Result<SweepResult> run() {
    prepared = driver::PreparedModel::prepare(model, request.compile, "sweep", problems);
    if (!prepared || !checkAxes() || !measureAll() || !usesDevice() || !measureOthers()) {
      return problems;
    }
    report::markOptimal(result);
    return Result<SweepResult>(std::move(result), std::move(problems));
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

  /// Returns why the device does not accept the value of a parameter; empty if it does.
  std::string problemOf(const std::string &key, const std::string &value) const {
    TargetRequest named;
    named.name = result.target + ":" + key + "=" + value;
    llvm::Expected<driver::ResolvedTarget> found =
        driver::resolveTarget(named, /*isForMemory=*/false);
    return found ? "" : llvm::toString(found.takeError());
  }

  static std::string replaced(std::string text, llvm::StringRef from, llvm::StringRef to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      text.replace(at, from.size(), to);
      at += to.size();
    }
    return text;
  }

  /// Checks each value on its own, so that the error names the flag.
  bool checkAxes() {
    for (const SweepAxis &axis : result.axes) {
      for (const std::string &value : axis.values) {
        std::string problem = problemOf(axis.key, value);
        // A device words the errors of all unknown parameters alike.
        constexpr llvm::StringLiteral kUnknown = "no_such_parameter";
        std::string unknown = problemOf(kUnknown.str(), value);
        if (!problem.empty() && llvm::StringRef(unknown).contains(kUnknown) &&
            problem == replaced(unknown, kUnknown, axis.key)) {
          problem = "the device '" + result.target + "' has no parameter " + axis.key +
                    "; compare it with other devices by --devices instead, for example --devices=" +
                    otherDevices();
        }
        if (!problem.empty()) {
          return refuse("--" + axis.flag + ": " + problem);
        }
      }
    }
    return true;
  }

  /// Returns devices whose names begin like the target's, or all other devices.
  std::string otherDevices() const {
    llvm::StringRef target = result.target, family = target.split('-').first;
    std::vector<std::string> same, others;
    std::vector<std::string> names = accelerators::listTargets();
    for (std::string &name : names) {
      if (name != target) {
        (llvm::StringRef(name).starts_with(family) ? same : others).push_back(std::move(name));
      }
    }
    return llvm::join(same.empty() ? others : same, ",");
  }

  /// Reports the next device. Returns false if the sweep ends here.
  bool begin(const std::string &device, size_t count) {
    if (request.isInterrupted && request.isInterrupted()) {
      return refuse("the sweep was interrupted");
    }
    if (request.progress) {
      request.progress(device, static_cast<int>(count));
    }
    return true;
  }

  bool measureAll() {
    size_t count = 1;
    for (const SweepAxis &axis : result.axes) {
      count *= axis.values.size();
    }
    for (size_t number = 0; number < count; ++number) {
      SweepPoint point = pointOf(number);
      point.device = result.target;
      std::string target = result.target;
      for (auto [axis, value] : llvm::zip(result.axes, point.values)) {
        target += ":" + axis.key + "=" + value;
      }
      if (!begin(target, count)) {
        return false;
      }
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
    for (const std::string &device : request.devices) {
      if (!begin(device, request.devices.size())) {
        return false;
      }
      CompileRequest wanted = request.compile;
      wanted.target.name = device;
      std::unique_ptr<driver::PreparedModel> other =
          driver::PreparedModel::prepare(model, wanted, "sweep --devices", problems);
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
        driver::unusedDeviceText(placement, request.compile)));
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

  const Model &model;
  const SweepRequest &request;
  Problems problems;
  std::unique_ptr<driver::PreparedModel> prepared; // after the stages before placement
  PlacementSummary placement;                      // of the last point
  SweepResult result;
};

} // namespace

std::vector<SweepAxis> sweepAxes() {
  return {{"pes", "pes", {}},
          {"memory", "memory_bytes", {}},
          {"parallel", "parallel", {}},
          {"tiling", "tiling", {}},
          {"depthwise", "depthwise", {}}};
}

Result<SweepResult> sweepModel(const Model &model, const SweepRequest &request) {
  return Sweeper(model, request).run();
}

} // namespace convoy::timing

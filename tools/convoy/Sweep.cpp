// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy sweep`: a model on every combination of a device's parameters, timed by the
// device's simulator.

#include "Accelerators/Registry.h"
#include "Calibration.h"
#include "DeviceLayers.h"
#include "DeviceStages.h"
#include "Files.h"
#include "ModelFlags.h"
#include "Progress.h"
#include "SweepReport.h"
#include "Verbs.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::driver {
namespace {

class Sweeper {
public:
  Sweeper(const SweepOptions &options, Console &console) : options(options), console(console) {}

  ExitCode run() {
    result.target = options.target;
    for (const SweepOptions::Axis &axis : options.axes) {
      if (!axis.values.empty()) {
        result.axes.push_back({axis.flag, axis.key, axis.values});
      }
    }
    if (failed(read()) || failed(measureAll()) || failed(draw())) {
      session.log().print(console.err);
      return session.log().failureCode(console.err);
    }
    if (options.isJson) {
      console.out << llvm::formatv("{0:2}", toJson(result)) << "\n";
    } else {
      printTable(console.out, result);
    }
    return kDone;
  }

private:
  LogicalResult fail(const llvm::Twine &text) {
    session.log().addError(text);
    return failure();
  }

  LogicalResult read() {
    llvm::Expected<import::Model> read = import::readModel(options.model.path);
    if (!read) {
      return fail(llvm::toString(read.takeError()));
    }
    model = std::move(*read);
    result.model = model.name;
    import::ImportOptions importOptions = readModelFlags(options.model, model, session.log());
    if (session.log().hasErrors() || failed(find(options.target))) {
      return failure();
    }
    module = importCalibrated(session, model, importOptions, options.calibrate, options.image);
    return failure(!module || failed(prepareForDevice(*module, *device)));
  }

  /// The device of a target, kept in `device`.
  LogicalResult find(const std::string &target) {
    llvm::Expected<std::unique_ptr<accelerators::Accelerator>> found =
        accelerators::findAccelerator(target);
    if (!found) {
      return fail(llvm::toString(found.takeError()));
    }
    device = std::move(*found);
    return device ? success()
                  : fail("no device '" + target + "' to sweep; there is " +
                         llvm::join(accelerators::listTargets(), ", "));
  }

  LogicalResult measureAll() {
    size_t count = 1;
    for (const SweepAxis &axis : result.axes) {
      count *= axis.values.size();
    }
    Progress progress(console, static_cast<int>(count));
    for (size_t number = 0; number < count; ++number) {
      SweepPoint point = pointOf(number);
      std::string target = options.target;
      for (auto [axis, value] : llvm::zip(result.axes, point.values)) {
        target += ":" + axis.key + "=" + value;
      }
      progress.begin(target);
      if (failed(find(target)) || failed(measure(point))) {
        return failure();
      }
      result.points.push_back(std::move(point));
    }
    return success();
  }

  /// The combination of that number; the last axis counts fastest.
  SweepPoint pointOf(size_t number) const {
    SweepPoint point;
    for (const SweepAxis &axis : llvm::reverse(result.axes)) {
      point.values.insert(point.values.begin(), axis.values[number % axis.values.size()]);
      number /= axis.values.size();
    }
    return point;
  }

  LogicalResult measure(SweepPoint &point) {
    OwningOpRef<ModuleOp> copy = module->clone();
    FailureOr<DeviceParts> parts = splitForDevice(*copy, *device);
    if (failed(parts)) {
      return failure();
    }
    point.regions = parts->regions;
    point.cpuOps = parts->cpuOps;
    point.cpuNs = parts->cpuNs;
    llvm::Expected<std::vector<accelerators::LayerReport>> layers = timeLayers(*copy, *device);
    if (!layers) {
      point.problem = llvm::toString(layers.takeError());
      return success();
    }
    if (layers->empty() && parts->regions > 0) {
      return fail("the simulator of '" + device->name() + "' has no model of time");
    }
    double busy = 0;
    for (const accelerators::LayerReport &layer : *layers) {
      point.cycles += layer.cycles;
      point.stallCycles += layer.stallCycles;
      point.bytesMoved += layer.bytesMoved;
      busy += layer.utilization * layer.cycles;
      ++point.layers;
    }
    point.utilization = point.cycles > 0 ? busy / point.cycles : 0;
    return success();
  }

  LogicalResult draw() {
    if (options.html.empty()) {
      return success();
    }
    llvm::Error error = writeFile(options.html, drawHtml(result));
    return error ? fail(llvm::toString(std::move(error))) : success();
  }

  const SweepOptions &options;
  Console &console;
  Session session;
  import::Model model;
  OwningOpRef<ModuleOp> module; // all but the choice of devices is done
  std::unique_ptr<accelerators::Accelerator> device;
  SweepResult result;
};

} // namespace

ExitCode sweep(const SweepOptions &options, Console &console) {
  return Sweeper(options, console).run();
}

} // namespace convoy::driver

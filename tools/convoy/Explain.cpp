// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy explain`: where each node of a model runs, with what it is fused, or why it
// stays on the CPU.

#include "Accelerators/Registry.h"
#include "Calibration.h"
#include "DeviceLayers.h"
#include "Graph/Composite.h"
#include "MachineTarget.h"
#include "ModelFlags.h"
#include "NodeName.h"
#include "Pipeline/Pipeline.h"
#include "Pipeline/TargetOptions.h"
#include "Place/CpuEstimate.h"
#include "Place/DevicePlan.h"
#include "Session.h"
#include "Verbs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace convoy::driver {
namespace {

using place::Placement;

class Explainer {
public:
  Explainer(const ExplainOptions &options, Console &console) : options(options), console(console) {}

  ExitCode run() {
    if (failed(read()) || failed(prepare())) {
      session.log().print(console.err);
      return session.log().failureCode(console.err);
    }
    place::DevicePlan plan(module->lookupSymbol<func::FuncOp>("main"), *device);
    if (failed(findLayers())) {
      session.log().print(console.err);
      return session.log().failureCode(console.err);
    }
    options.isJson ? printJson(plan) : printText(plan);
    return kDone;
  }

private:
  LogicalResult read() {
    llvm::Expected<std::unique_ptr<accelerators::Accelerator>> found =
        accelerators::findAccelerator(options.target);
    if (!found) {
      session.log().add(found.takeError());
      return failure();
    }
    device = std::move(*found);
    if (!device) {
      session.log().addError("no device '" + options.target + "' to explain; there is " +
                             llvm::join(accelerators::listTargets(), ", "));
      return failure();
    }
    llvm::Expected<import::Model> read = import::readModel(options.model.path);
    if (!read) {
      session.log().add(read.takeError());
      return failure();
    }
    model = std::move(*read);
    importOptions = readModelFlags(options.model, model, session.log());
    return failure(session.log().hasErrors());
  }

  /// All stages before placement.
  LogicalResult prepare() {
    module = importCalibrated(session, model, importOptions, options.calibrate, options.image);
    if (!module) {
      return failure();
    }
    stageOptions = compileOptions(targets::detectHost());
    stageOptions.quantize.isInteger = true; // as compile does unless it is told not to
    placeOn(*device, stageOptions);
    PassManager passes(module->getContext());
    for (const Stage &stage : stages()) {
      if (stage.name == "place") {
        break;
      }
      stage.addPasses(passes, stageOptions);
    }
    return passes.run(*module);
  }

  /// Compiles regions of a copy, and asks the device's model of time about them.
  LogicalResult findLayers() {
    OwningOpRef<ModuleOp> copy = module->clone();
    PassManager passes(copy->getContext());
    for (const char *name : {"place", "device"}) {
      findStage(name)->addPasses(passes, stageOptions);
    }
    if (failed(passes.run(*copy))) {
      return failure();
    }
    llvm::Expected<std::vector<accelerators::LayerReport>> found = timeLayers(*copy, *device);
    if (!found) {
      session.log().add(found.takeError());
      return failure();
    }
    layers = std::move(*found);
    return success();
  }

  /// How many ops the line of a placement stands for: the first step of an op that stays
  /// whole on the CPU for all of them, the other steps for none.
  static int64_t stepsAt(const place::DevicePlan &plan, size_t number) {
    const Placement &placement = plan.placements()[number];
    Location loc = placement.op->getLoc();
    if (placement.region >= 0 || graph::wholeOf(loc).empty()) {
      return 1;
    }
    auto isStep = [&](const Placement &other) {
      return other.region < 0 && other.op->getLoc() == loc;
    };
    bool isFirst = llvm::none_of(plan.placements().take_front(number), isStep);
    return isFirst ? llvm::count_if(plan.placements(), isStep) : 0;
  }

  /// The nodes that the device runs as one with a node, itself left out.
  std::vector<std::string> fusedWith(const place::DevicePlan &plan, size_t number) const {
    std::vector<std::string> names;
    for (int64_t other : plan.placements()[number].fusedWith) {
      if (static_cast<size_t>(other) != number) {
        names.push_back(textOf(plan.placements()[other].op));
      }
    }
    return names;
  }

  static std::string textOf(Operation *op) {
    std::string text = nodeText(op->getLoc());
    return text.empty() ? op->getName().getStringRef().str() : text;
  }

  static std::string microseconds(double nanoseconds) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.1f us", nanoseconds / 1000);
    return text;
  }

  void printText(const place::DevicePlan &plan) {
    llvm::raw_ostream &os = console.out;
    double cpuNs = 0;
    double deviceNs = 0;
    size_t placed = 0;
    for (auto [i, placement] : llvm::enumerate(plan.placements())) {
      double onCpu = place::estimateCpuNs(placement.op);
      int64_t steps = stepsAt(plan, i);
      if (steps == 0) {
        continue;
      }
      os << textOf(placement.op) << ": ";
      if (placement.region < 0) {
        os << "CPU: " << placement.refusal.reason
           << (placement.refusal.remedy.empty() ? "" : "; " + placement.refusal.remedy)
           << (steps > 1 ? "; " + std::to_string(steps) + " steps" : "") << "\n";
        continue;
      }
      std::vector<std::string> others = fusedWith(plan, i);
      os << device->name() << ", region " << placement.region
         << (others.empty() ? "" : ", with " + llvm::join(others, ", ")) << "; "
         << microseconds(onCpu) << " -> " << microseconds(placement.deviceNs) << "\n";
      cpuNs += onCpu;
      deviceNs += placement.deviceNs;
      ++placed;
    }
    os << placed << " of " << plan.placements().size() << " ops in " << plan.regionCount()
       << (plan.regionCount() == 1 ? " region" : " regions") << " on " << device->name()
       << "; estimated " << microseconds(cpuNs) << " on one core, " << microseconds(deviceNs)
       << " there\n";
    if (!layers.empty()) {
      printLayers(os << "\n", layers);
    }
  }

  llvm::json::Object toJson(const place::DevicePlan &plan, size_t number) const {
    const Placement &placement = plan.placements()[number];
    llvm::json::Object object{{"node", llvm::json::fixUTF8(textOf(placement.op))},
                              {"op", placement.op->getName().getStringRef()},
                              {"cpuNs", place::estimateCpuNs(placement.op)}};
    if (placement.region >= 0) {
      llvm::json::Array others;
      for (const std::string &name : fusedWith(plan, number)) {
        others.push_back(llvm::json::fixUTF8(name));
      }
      object["where"] = device->name();
      object["region"] = placement.region;
      object["fusedWith"] = std::move(others);
      object["deviceNs"] = placement.deviceNs;
      return object;
    }
    object["where"] = "cpu";
    if (llvm::StringRef whole = graph::wholeOf(placement.op->getLoc()); !whole.empty()) {
      object["op"] = whole;
      object["steps"] = stepsAt(plan, number);
    }
    object["reason"] = llvm::json::fixUTF8(placement.refusal.reason);
    object["remedy"] = placement.refusal.remedy;
    if (placement.refusal.quantity) {
      object["limit"] = accelerators::name(*placement.refusal.quantity);
      object["actual"] = placement.refusal.actual;
      object["most"] = placement.refusal.most;
    }
    return object;
  }

  void printJson(const place::DevicePlan &plan) {
    llvm::json::Array nodes;
    for (size_t i = 0; i < plan.placements().size(); ++i) {
      if (stepsAt(plan, i) > 0) {
        nodes.push_back(toJson(plan, i));
      }
    }
    llvm::json::Object object{{"model", llvm::json::fixUTF8(model.name)},
                              {"target", device->name()},
                              {"regions", plan.regionCount()},
                              {"nodes", std::move(nodes)},
                              {"layers", layersToJson(layers)}};
    console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
  }

  const ExplainOptions &options;
  Console &console;
  Session session;
  std::unique_ptr<accelerators::Accelerator> device;
  import::Model model;
  import::ImportOptions importOptions;
  OwningOpRef<ModuleOp> module;
  convoy::CompileOptions stageOptions;
  std::vector<accelerators::LayerReport> layers;
};

} // namespace

ExitCode explain(const ExplainOptions &options, Console &console) {
  return Explainer(options, console).run();
}

} // namespace convoy::driver

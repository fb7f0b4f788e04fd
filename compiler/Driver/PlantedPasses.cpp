// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plug-in passes as instrumentation, so the pipeline itself stays as it is.

#include "Driver/PlantedPasses.h"
#include "Pipeline/RunStages.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace convoy::driver {
namespace {

struct Plant {
  std::string after; // a pass of the pipeline
  std::string pass;  // what runs after it
};

class Planter : public PassInstrumentation {
public:
  explicit Planter(std::vector<Plant> plants) : plants(std::move(plants)) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    for (const Plant &plant : plants) {
      if (pass->getArgument() == plant.after) {
        run(plant, op);
      }
    }
  }

private:
  static void run(const Plant &plant, Operation *op) {
    PassManager passes(op->getContext(), op->getName().getStringRef());
    auto report = [&](const Twine &text) { return op->emitError(text); };
    if (failed(PassInfo::lookup(plant.pass)->addToPipeline(passes, "", report)) ||
        failed(passes.run(op))) {
      op->emitError("the planted pass '") << plant.pass << "' failed after " << plant.after;
    }
  }

  std::vector<Plant> plants;
};

llvm::Error loadPlugin(const std::string &file) {
  llvm::Expected<PassPlugin> plugin = PassPlugin::load(file);
  if (!plugin) {
    return llvm::createStringError("--load-pass-plugin: " + llvm::toString(plugin.takeError()));
  }
  plugin->registerPassRegistryCallbacks();
  return llvm::Error::success();
}

llvm::Expected<Plant> readPlant(llvm::StringRef text) {
  auto [after, pass] = text.split(':');
  if (after.empty() || pass.empty()) {
    return llvm::createStringError("--plant: '" + text + "' is not AFTER_PASS:PLUGIN_PASS");
  }
  if (!PassInfo::lookup(pass)) {
    return llvm::createStringError("--plant: no plug-in has a pass '" + pass +
                                   "'; load it with --load-pass-plugin");
  }
  return Plant{after.str(), pass.str()};
}

/// Plants in every stage.
class PlantObserver : public StageObserver {
public:
  explicit PlantObserver(std::vector<Plant> plants) : plants(std::move(plants)) {}

  void instrument(PassManager &passes) override {
    passes.addInstrumentation(std::make_unique<Planter>(plants));
  }

private:
  std::vector<Plant> plants;
};

} // namespace

llvm::Expected<std::shared_ptr<StageObserver>> loadPlantedPasses(const PlantedPasses &passes) {
  for (const std::string &file : passes.plugins) {
    if (llvm::Error error = loadPlugin(file)) {
      return error;
    }
  }
  std::vector<Plant> plants;
  for (const std::string &text : passes.plants) {
    llvm::Expected<Plant> plant = readPlant(text);
    if (!plant) {
      return plant.takeError();
    }
    plants.push_back(std::move(*plant));
  }
  return plants.empty() ? nullptr : std::make_shared<PlantObserver>(std::move(plants));
}

} // namespace convoy::driver

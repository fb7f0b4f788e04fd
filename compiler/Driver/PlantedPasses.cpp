// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plug-in passes as instrumentation, so the pipeline itself stays as it is.

#include "Driver/PlantedPasses.h"
#include "Pipeline/RunStages.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::driver {
namespace {

struct Plant {
  std::string after; // a pass of the pipeline
  std::string pass;  // what runs after it
};

class Planter : public PassInstrumentation {
public:
  Planter(std::vector<Plant> plants, bool &hasFailed)
      : plants(std::move(plants)), hasFailed(hasFailed) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    for (const Plant &plant : plants) {
      if (pass->getArgument() == plant.after) {
        run(plant, op);
      }
    }
  }

private:
  void run(const Plant &plant, Operation *op) {
    PassManager passes(op->getContext(), op->getName().getStringRef());
    auto report = [&](const Twine &text) { return op->emitError(text); };
    if (failed(PassInfo::lookup(plant.pass)->addToPipeline(passes, "", report)) ||
        failed(passes.run(op))) {
      hasFailed = true;
      op->emitError("this is a bug in convoy: the planted pass '")
          << plant.pass << "' failed after " << plant.after;
    }
  }

  std::vector<Plant> plants;
  bool &hasFailed;
};

/// Inserts `plant.pass` behind each `plant.after` of a pipeline's text.
void insert(const Plant &plant, std::string &pipeline) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '-' || c == '_' || c == '.'; };
  size_t at = 0;
  while ((at = pipeline.find(plant.after, at)) != std::string::npos) {
    bool isBegin = at == 0 || !isWord(pipeline[at - 1]);
    at += plant.after.size();
    if (!isBegin || (at < pipeline.size() && isWord(pipeline[at]))) {
      continue;
    }
    for (int depth = 0; at < pipeline.size(); ++at) { // over the options
      depth += pipeline[at] == '{' ? 1 : 0;
      if (depth == 0) {
        break;
      }
      depth -= pipeline[at] == '}' ? 1 : 0;
    }
    pipeline.insert(at, "," + plant.pass);
  }
}

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
  PlantObserver(std::vector<Plant> plants, std::vector<std::string> plugins)
      : plants(std::move(plants)), plugins(std::move(plugins)) {}

  void instrument(PassManager &passes) override {
    passes.addInstrumentation(std::make_unique<Planter>(plants, hasFailed));
  }
  bool endStage(ModuleOp, const Stage &) override { return !hasFailed; }
  void describe(std::string &pipeline, std::vector<std::string> &flags) const override {
    for (const Plant &plant : plants) {
      insert(plant, pipeline);
    }
    for (const std::string &file : plugins) {
      flags.push_back("--load-pass-plugin=" + file);
    }
  }

private:
  std::vector<Plant> plants;
  std::vector<std::string> plugins;
  bool hasFailed = false;
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
  return plants.empty() ? nullptr
                        : std::make_shared<PlantObserver>(std::move(plants), passes.plugins);
}

} // namespace convoy::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds a pass instrumentation that runs the plug-in passes. The pipeline itself does not
// change.

#include "Driver/InjectedFaults.h"
#include "Pipeline/RunStages.h"
#include "Support/TypedDiagnostic.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::driver {
namespace {

struct InjectedFault {
  std::string after; // a pass of the pipeline
  std::string pass;  // the plug-in pass that runs after it
};

class FaultInjector : public PassInstrumentation {
public:
  FaultInjector(std::vector<InjectedFault> faults, bool &hasFailed)
      : faults(std::move(faults)), hasFailed(hasFailed) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    for (const InjectedFault &fault : faults) {
      if (pass->getArgument() == fault.after) {
        run(fault, op);
      }
    }
  }

private:
  void run(const InjectedFault &fault, Operation *op) {
    PassManager passes(op->getContext(), op->getName().getStringRef());
    auto report = [&](const Twine &text) { return op->emitError(text); };
    if (failed(PassInfo::lookup(fault.pass)->addToPipeline(passes, "", report)) ||
        failed(passes.run(op))) {
      hasFailed = true;
      emitBug(op->getLoc()) << "this is a bug in convoy: the injected pass '" << fault.pass
                            << "' failed after " << fault.after;
    }
  }

  std::vector<InjectedFault> faults;
  bool &hasFailed;
};

/// Inserts `fault.pass` after each `fault.after` in the text of a pipeline.
void insert(const InjectedFault &fault, std::string &pipeline) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '-' || c == '_' || c == '.'; };
  size_t at = 0;
  while ((at = pipeline.find(fault.after, at)) != std::string::npos) {
    bool isBegin = at == 0 || !isWord(pipeline[at - 1]);
    at += fault.after.size();
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
    pipeline.insert(at, "," + fault.pass);
  }
}

llvm::Error loadPlugin(const std::string &file) {
  llvm::Expected<PassPlugin> plugin = PassPlugin::load(file);
  if (!plugin) {
    return withPrefix("--load-pass-plugin: ", plugin.takeError());
  }
  plugin->registerPassRegistryCallbacks();
  return llvm::Error::success();
}

llvm::Expected<InjectedFault> readFault(llvm::StringRef text) {
  auto [after, pass] = text.split(':');
  if (after.empty() || pass.empty()) {
    return llvm::createStringError("--inject: expected AFTER_PASS:PLUGIN_PASS, got '" + text + "'");
  }
  if (!PassInfo::lookup(pass)) {
    return llvm::createStringError("--inject: no plug-in has a pass '" + pass +
                                   "'; load it with --load-pass-plugin");
  }
  return InjectedFault{after.str(), pass.str()};
}

/// Instruments the pass manager of every stage.
class FaultObserver : public StageObserver {
public:
  FaultObserver(std::vector<InjectedFault> faults, std::vector<std::string> plugins)
      : faults(std::move(faults)), plugins(std::move(plugins)) {}

  void instrument(PassManager &passes) override {
    passes.addInstrumentation(std::make_unique<FaultInjector>(faults, hasFailed));
  }
  bool endStage(ModuleOp, const Stage &) override { return !hasFailed; }
  void describe(std::string &pipeline, std::vector<std::string> &flags) const override {
    for (const InjectedFault &fault : faults) {
      insert(fault, pipeline);
    }
    for (const std::string &file : plugins) {
      flags.push_back("--load-pass-plugin=" + file);
    }
  }

private:
  std::vector<InjectedFault> faults;
  std::vector<std::string> plugins;
  bool hasFailed = false;
};

} // namespace

llvm::Expected<std::shared_ptr<StageObserver>> loadFaults(const FaultInjection &passes) {
  for (const std::string &file : passes.plugins) {
    if (llvm::Error error = loadPlugin(file)) {
      return error;
    }
  }
  std::vector<InjectedFault> faults;
  for (const std::string &text : passes.faults) {
    llvm::Expected<InjectedFault> fault = readFault(text);
    if (!fault) {
      return fault.takeError();
    }
    faults.push_back(std::move(*fault));
  }
  return faults.empty() ? nullptr
                        : std::make_shared<FaultObserver>(std::move(faults), passes.plugins);
}

} // namespace convoy::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy check`: targets against golden outputs, or against the reference.

#include "Accelerators/Registry.h"
#include "Blame.h"
#include "Calibration.h"
#include "CheckRule.h"
#include "DeviceBlame.h"
#include "ExactOutputs.h"
#include "Files.h"
#include "InputData.h"
#include "LayerDistance.h"
#include "Plant.h"
#include "Progress.h"
#include "Verbs.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace convoy::driver {
namespace {

namespace fs = llvm::sys::fs;

/// Inputs, and the outputs they must give.
struct Case {
  std::string name;
  NamedData inputs;
  std::vector<Datum> expected;
};

/// One output of one case on one target.
struct Comparison {
  std::string target, caseName, output, rule;
  Verdict verdict;
};

/// What made a target's outputs wrong in its first wrong case.
struct Finding {
  std::string target, caseName;
  Blame blame;
};

/// The folders that hold a case: the given one, or those in it.
std::vector<std::string> caseFolders(llvm::StringRef folder) {
  auto isCase = [](const llvm::Twine &path) { return fs::exists(path + "/output_0.pb"); };
  std::vector<std::string> result;
  std::error_code error;
  if (!isCase(folder)) {
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      if (isCase(it->path())) {
        result.push_back(it->path());
      }
    }
  }
  llvm::sort(result);
  return result.empty() ? std::vector<std::string>{folder.str()} : result;
}

class Checker {
public:
  Checker(const CheckOptions &options, Console &console)
      : options(options), console(console), log(&context),
        progress(console, 1 + static_cast<int>(options.targets.size())) {}

  ExitCode check() {
    bool isReady = succeeded(prepare());
    for (const std::unique_ptr<Target> &target : targets) {
      if (!isReady) {
        break;
      }
      progress.begin(target->name());
      isReady = succeeded(follow(*target));
      for (const Case &test : cases) {
        if (isReady) {
          runCase(*target, test);
        }
      }
    }
    if (isReady && options.hasLayers && !cases.empty()) {
      progress.begin("layers");
      const Case &test = cases.front();
      layers = layerDistances(model, pinnedOptions(*createReference(), test.inputs),
                              targetOptions.arithmetic, test.inputs, log);
    }
    progress.end();
    log.print(console.err);
    return report();
  }

private:
  LogicalResult prepare() {
    for (const std::string &name : options.targets) {
      llvm::Expected<std::unique_ptr<Target>> target = findTarget(name);
      if (target) {
        targets.push_back(std::move(*target));
      } else {
        log.addError("--target: " + llvm::toString(target.takeError()));
      }
    }
    llvm::Expected<PassHook> plants = loadPlants(options.plants);
    if (plants) {
      targetOptions = TargetOptions{options.threads, std::move(*plants), options.math == "strict",
                                    options.integer == "on"};
      // The reference need not run in another arithmetic first.
      if (!targets.empty()) {
        targetOptions.arithmetic = targets.front()->arithmetic();
      }
    } else {
      log.add(plants.takeError());
    }
    progress.begin("read");
    llvm::Expected<import::Model> read = import::readModel(options.model.path);
    if (!read) {
      log.add(read.takeError());
      return failure();
    }
    model = std::move(*read);
    arithmetic = arithmeticOf(model);
    importOptions = readModelFlags(options.model, model, log);
    if (log.hasErrors()) {
      return failure();
    }
    return options.goldens.empty() ? readReferenceCase() : readGoldenCases();
  }

  LogicalResult readGoldenCases() {
    for (const std::string &golden : options.goldens) {
      for (const std::string &folder : caseFolders(golden)) {
        llvm::Expected<NamedData> inputs = readGoldenInputs(folder, model);
        llvm::Expected<std::vector<Datum>> outputs = readGoldenOutputs(folder, model);
        if (inputs && outputs) {
          cases.push_back(
              {llvm::sys::path::filename(folder).str(), std::move(*inputs), std::move(*outputs)});
        } else {
          log.add(llvm::joinErrors(inputs.takeError(), outputs.takeError()));
        }
      }
    }
    return failure(log.hasErrors());
  }

  /// Integer layers in the target's arithmetic from here on. What the reference gave in
  /// another one is expected no longer; goldens are.
  LogicalResult follow(const Target &target) {
    if (targetOptions.arithmetic == target.arithmetic()) {
      return success();
    }
    targetOptions.arithmetic = target.arithmetic();
    if (!options.goldens.empty() || !targetOptions.isInteger) {
      return success();
    }
    Case &test = cases.front();
    FailureOr<std::vector<Datum>> outputs = runOn(*createReference(), test.inputs);
    if (succeeded(outputs)) {
      test.expected = std::move(*outputs);
    }
    return outputs;
  }

  /// Takes what the reference gives for given or random inputs as expected.
  LogicalResult readReferenceCase() {
    Case test{options.input.inputs.empty() ? "random" : "given", {}, {}};
    test.inputs = readInputs(options.input, dataInputs(model, importOptions),
                             /*isRandomByDefault=*/true, log);
    if (log.hasErrors()) {
      return failure();
    }
    FailureOr<std::vector<Datum>> outputs = runOn(*createReference(), test.inputs);
    if (failed(outputs)) {
      return failure();
    }
    test.expected = std::move(*outputs);
    cases.push_back(std::move(test));
    return success();
  }

  import::ImportOptions pinnedOptions(const Target &target, const NamedData &inputs) const {
    import::ImportOptions pinned = importOptions;
    pinned.allowDynamicInputs = target.allowsDynamicShapes();
    pinShapes(pinned, inputs);
    return pinned;
  }

  /// Whether floats behind the integers of a model are not compared; goldens have them.
  bool comparesIntegers() const { return options.isExact && options.goldens.empty(); }

  /// Compiles and runs; problems go to the checker's log.
  FailureOr<std::vector<Datum>> runOn(const Target &target, const NamedData &inputs) {
    Session session;
    import::ImportOptions pinned = pinnedOptions(target, inputs);
    FailureOr<std::vector<Datum>> outputs = failure();
    OwningOpRef<ModuleOp> module =
        importCalibrated(session, model, pinned, options.calibrate, options.input.image);
    if (module && comparesIntegers()) {
      returnExactValues(module->lookupSymbol<func::FuncOp>("main"));
    }
    if (module && succeeded(session.compile(std::move(module), target, targetOptions))) {
      outputs = session.run(inputs);
      names = session.outputNames().vec();
    }
    log.append(session.log());
    if (failed(outputs) && !log.hasErrors()) {
      hasSilentFailure = true;
    }
    return outputs;
  }

  void runCase(const Target &target, const Case &test) {
    FailureOr<std::vector<Datum>> outputs = runOn(target, test.inputs);
    if (failed(outputs)) {
      return;
    }
    if (outputs->size() < test.expected.size()) {
      log.addError("case '" + test.name + "' expects " + llvm::Twine(test.expected.size()) +
                   " outputs, the model has " + llvm::Twine(outputs->size()));
      return;
    }
    bool isNarrow = arithmetic == Arithmetic::Float && target.floatType() != ElementType::F32;
    if (!compare(target, test, *outputs, isNarrow ? Arithmetic::Narrow : arithmetic)) {
      explain(target, test);
    }
    std::unique_ptr<Target> layers = isNarrow ? target.createLayers() : nullptr;
    if (!layers) {
      return;
    }
    // What the f32 reference hides in its tolerance, the same layers show.
    FailureOr<std::vector<Datum>> expected = runOn(*layers, test.inputs);
    if (succeeded(expected)) {
      compare(target, {test.name + " layers", {}, std::move(*expected)}, *outputs,
              Arithmetic::Layers);
    }
  }

  /// Judges each output; whether all are right.
  bool compare(const Target &target, const Case &test, ArrayRef<Datum> outputs, Arithmetic rule) {
    bool isRight = true;
    for (size_t i = 0; i < test.expected.size(); ++i) {
      const Datum &expected = test.expected[i];
      ElementType type = expected.isTensor() ? expected.tensor.type() : ElementType::Undefined;
      bool isExact = options.isExact && expected.isTensor() && rule != Arithmetic::Narrow;
      comparisons.push_back(
          {target.name().str(), test.name, names[i], isExact ? "equal bytes" : ruleText(rule, type),
           isExact ? judgeBytes(outputs[i], expected) : judge(outputs[i], expected, rule)});
      isRight &= comparisons.back().verdict.isRight;
    }
    return isRight;
  }

  /// Looks for the first wrong op of the first wrong case. The search runs kernels as
  /// the host's, or layers as a device's, so it says nothing about other machines.
  void explain(const Target &target, const Case &test) {
    auto isKnown = [&](const Finding &finding) { return finding.target == target.name(); };
    llvm::Expected<std::unique_ptr<accelerators::Accelerator>> device =
        accelerators::findAccelerator(target.name());
    if (!device) {
      return llvm::consumeError(device.takeError()); // it was found before
    }
    if ((target.name() != "host" && !*device) || llvm::any_of(findings, isKnown)) {
      return;
    }
    progress.begin("blame");
    WrongModel wrong{model,
                     pinnedOptions(target, test.inputs),
                     test.inputs,
                     test.expected,
                     arithmetic,
                     targetOptions,
                     options.calibrate,
                     options.input.image,
                     comparesIntegers()};
    findings.push_back({target.name().str(), test.name,
                        *device ? findDeviceBlame(wrong, **device) : findBlame(wrong)});
  }

  ExitCode report() {
    size_t wrong =
        llvm::count_if(comparisons, [](const Comparison &c) { return !c.verdict.isRight; });
    if (options.isJson) {
      printJson(wrong);
    } else {
      printText(wrong);
    }
    if (log.hasErrors() || hasSilentFailure) {
      return log.failureCode(console.err);
    }
    // Goldens are the user's; differing from our own reference is our fault.
    return wrong == 0 ? kDone : options.goldens.empty() ? kBug : kUserError;
  }

  void printText(size_t wrong) {
    std::string rule;
    for (const Comparison &c : comparisons) {
      if (c.rule != rule) {
        console.out << "rule: " << c.rule << "\n";
        rule = c.rule;
      }
      console.out << (c.verdict.isRight ? "ok    " : "WRONG ") << c.target << " " << c.caseName
                  << " '" << c.output << "': " << c.verdict.text << "\n";
    }
    for (const Finding &finding : findings) {
      console.out << finding.blame.text() << "\n";
    }
    for (const LayerDistance &layer : layers) {
      console.out << "layer " << layer.node << ": " << layer.differing << " of " << layer.elements
                  << " elements differ from ONNX's arithmetic, at most " << layer.maxSteps
                  << " steps\n";
    }
    if (log.hasErrors() || hasSilentFailure) {
      console.out << "check of " << options.model.path << " not completed\n";
      return;
    }
    console.out << "check of " << model.name << (wrong ? " FAILED: " : " passed: ")
                << comparisons.size() - wrong << " of " << comparisons.size()
                << " outputs agree with " << baseline() << "\n";
  }

  llvm::StringRef baseline() const {
    return options.goldens.empty() ? "the reference" : "the golden data";
  }

  void printJson(size_t wrong) {
    llvm::json::Array list;
    for (const Comparison &c : comparisons) {
      list.push_back(llvm::json::Object{{"target", c.target},
                                        {"case", llvm::json::fixUTF8(c.caseName)},
                                        {"output", llvm::json::fixUTF8(c.output)},
                                        {"rule", c.rule},
                                        {"right", c.verdict.isRight},
                                        {"measured", llvm::json::fixUTF8(c.verdict.text)}});
    }
    llvm::json::Object object{{"model", llvm::json::fixUTF8(model.name)},
                              {"passed", wrong == 0 && !log.hasErrors() && !hasSilentFailure},
                              {"baseline", baseline()},
                              {"outputs", std::move(list)}};
    if (options.hasLayers) {
      llvm::json::Array rows;
      for (const LayerDistance &layer : layers) {
        rows.push_back(llvm::json::Object{{"node", llvm::json::fixUTF8(layer.node)},
                                          {"elements", layer.elements},
                                          {"differing", layer.differing},
                                          {"maxSteps", layer.maxSteps}});
      }
      object["layers"] = std::move(rows);
    }
    if (!findings.empty()) {
      object["firstWrong"] = findingsToJson();
    }
    console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
  }

  llvm::json::Array findingsToJson() const {
    llvm::json::Array list;
    for (const Finding &finding : findings) {
      const Blame &blame = finding.blame;
      list.push_back(llvm::json::Object{{"target", finding.target},
                                        {"case", llvm::json::fixUTF8(finding.caseName)},
                                        {"op", llvm::json::fixUTF8(blame.op)},
                                        {"pass", blame.pass},
                                        {"measured", llvm::json::fixUTF8(blame.measured)},
                                        {"note", blame.note}});
    }
    return list;
  }

  const CheckOptions &options;
  Console &console;
  MLIRContext context; // for the log only; each run has its own
  DiagnosticLog log;
  Progress progress;
  std::vector<std::unique_ptr<Target>> targets;
  import::Model model;
  Arithmetic arithmetic = Arithmetic::Float;
  import::ImportOptions importOptions;
  std::vector<Case> cases;
  std::vector<Comparison> comparisons;
  std::vector<LayerDistance> layers;
  std::vector<Finding> findings;
  TargetOptions targetOptions;
  std::vector<std::string> names;
  bool hasSilentFailure = false;
};

} // namespace

ExitCode check(const CheckOptions &options, Console &console) {
  return Checker(options, console).check();
}

} // namespace convoy::driver

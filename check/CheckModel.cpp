// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the model for each target with the options of the user, runs each case and compares
// the outputs.

#include "check/CheckModel.h"
#include "Driver/AddProblem.h"
#include "Driver/Backends/Device/PlacementText.h"
#include "Driver/CompileModel.h"
#include "Driver/ImportRequested.h"
#include "Driver/ResolveTarget.h"
#include "check/ExactOutputs.h"
#include "check/locate/DeviceFault.h"
#include "io/InputData.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::check {
namespace {

class Checker {
public:
  Checker(const Model &model, const CheckRequest &request)
      : model(model), request(request), arithmetic(arithmeticOf(model)), cases(request.cases) {}

  CheckReport run() {
    bool isReady = findTargets() && (request.isGolden || askReference());
    for (const driver::ResolvedTarget &target : targets) {
      if (!isReady) {
        break;
      }
      begin(target.name);
      isReady = follow(target);
      for (const CheckCase &test : cases) {
        if (isReady) {
          runCase(target, test);
        }
      }
    }
    if (isReady && request.hasLayers && !cases.empty()) {
      begin("layers");
      const CheckCase &test = cases.front();
      report.layers =
          layerErrors(model, requestFor(reference(), test.inputs), test.inputs, report.problems);
      if (report.layers.empty() && !report.problems.hasErrors()) {
        report.problems.add({ProblemKind::Warning, noLayersText(), {}});
      }
    }
    return std::move(report);
  }

private:
  void begin(llvm::StringRef step) {
    if (request.progress) {
      request.progress(step);
    }
  }

  bool findTargets() {
    for (const std::string &name : request.targets) {
      TargetRequest wanted = request.compile.target;
      wanted.name = name;
      llvm::Expected<driver::ResolvedTarget> target =
          driver::resolveTarget(wanted, /*isForMemory=*/true);
      if (target) {
        targets.push_back(std::move(*target));
      } else {
        addError(report.problems, withPrefix("--target: ", target.takeError()));
      }
    }
    auto hasDevice = [](const driver::ResolvedTarget &target) { return target.device != nullptr; };
    std::string flag = driver::deviceFlag(request.compile.placement);
    if (!flag.empty() && llvm::none_of(targets, hasDevice)) {
      addError(report.problems, flag + " expects a device among --target, got '" +
                                    llvm::join(request.targets, ",") +
                                    "'; `convoy targets` lists the devices");
    }
    // The first target determines the arithmetic in which the reference runs first.
    followed = targets.empty() ? "" : targets.front().arithmeticOf;
    return !report.problems.hasErrors();
  }

  std::string noLayersText() const {
    return "--layer-errors compares integer layers with ONNX's arithmetic, and the model has "
           "none; " +
           std::string(request.compile.numerics.isInteger
                           ? "add --calibrate DIR to quantize a float model"
                           : "remove --integer=off");
  }

  /// Returns the reference in the arithmetic of the current target.
  TargetRequest reference() const {
    TargetRequest target;
    target.name = driver::kReferenceTarget.str();
    target.arithmeticOf = followed;
    return target;
  }

  CompileRequest requestFor(const TargetRequest &target, const NamedData &inputs) const {
    CompileRequest wanted = request.compile;
    wanted.target = target;
    bool hasDevice = llvm::any_of(
        targets, [&](const auto &known) { return known.device && known.requested == target.name; });
    wanted.placement.requiresDevice &= hasDevice;
    if (!hasDevice && target.layersOf.empty()) {
      wanted.placement = {};
    }
    wanted.output.emit = Emit::Memory;
    io::pinShapes(wanted.inputs, inputs);
    return wanted;
  }

  TargetRequest requestOf(const driver::ResolvedTarget &target) const {
    TargetRequest wanted = request.compile.target;
    wanted.name = target.requested;
    return wanted;
  }

  /// Stores the outputs of the reference as the expected outputs.
  bool askReference() {
    for (CheckCase &test : cases) {
      std::optional<std::vector<Datum>> outputs = runOn(reference(), test.inputs);
      if (!outputs) {
        return false;
      }
      test.expected = std::move(*outputs);
    }
    return true;
  }

  /// Selects the integer arithmetic of the target. If it differs from the previous arithmetic, the
  /// reference computes the expected outputs again. Golden outputs stay.
  bool follow(const driver::ResolvedTarget &target) {
    quantize::Arithmetic before = arithmeticOfDevice(followed);
    followed = target.arithmeticOf;
    bool isSame = before == target.arithmetic();
    return isSame || request.isGolden || !request.compile.numerics.isInteger || askReference();
  }

  quantize::Arithmetic arithmeticOfDevice(const std::string &name) const {
    for (const driver::ResolvedTarget &target : targets) {
      if (target.arithmeticOf == name) {
        return target.arithmetic();
      }
    }
    return {};
  }

  bool isFloatModel() const {
    return arithmetic != Arithmetic::Quantized && arithmetic != Arithmetic::Dynamic;
  }

  /// Returns whether the check compares the last integers of the model instead of the floats that
  /// follow them. Golden data holds these floats.
  bool comparesIntegers() const { return request.isExact && !request.isGolden; }

  /// Runs the model. Returns nothing after an error.
  std::optional<std::vector<Datum>> runOn(const TargetRequest &target, const NamedData &inputs) {
    std::shared_ptr<InMemoryModel> memory = compileFor(target, inputs);
    if (!memory) {
      return std::nullopt;
    }
    outputNames = memory->outputNames();
    Result<std::vector<Datum>> outputs = memory->program().run(inputs);
    report.problems.append(outputs.problems());
    return outputs ? std::optional(std::move(*outputs)) : std::nullopt;
  }

  /// Compiles the model. A case with the same shapes as the case before uses its model. Returns
  /// null after an error.
  std::shared_ptr<InMemoryModel> compileFor(const TargetRequest &target, const NamedData &inputs) {
    InputPins pins;
    io::pinShapes(pins, inputs);
    CompiledCase &last =
        compiled[target.name + "\n" + target.arithmeticOf + "\n" + target.layersOf];
    if (!last.memory || last.shapes != pins.shapes) {
      last = {pins.shapes, compileNow(target, inputs)};
    }
    return last.memory;
  }

  std::shared_ptr<InMemoryModel> compileNow(const TargetRequest &target, const NamedData &inputs) {
    driver::CompileHooks hooks;
    hooks.observer = request.injected.get();
    if (comparesIntegers()) {
      hooks.imported = [](ModuleOp module) { returnExactValues(driver::mainOf(module)); };
    }
    CompileRequest wanted = requestFor(target, inputs);
    if (request.openMeasurements && target.name != driver::kReferenceTarget) {
      auto opened = request.openMeasurements(wanted);
      report.problems.append(opened.problems());
      if (!opened) {
        return nullptr;
      }
      wanted.measurements = std::move(*opened);
    }
    Result<Artifact> artifact = driver::compileModel(model, wanted, hooks);
    report.problems.append(artifact.problems());
    if (!artifact) {
      return nullptr;
    }
    if (target.name != driver::kReferenceTarget) {
      report.built.push_back(artifact->report);
    }
    return artifact->memory;
  }

  void runCase(const driver::ResolvedTarget &target, const CheckCase &test) {
    std::optional<std::vector<Datum>> outputs = runOn(requestOf(target), test.inputs);
    if (!outputs) {
      return;
    }
    if (outputs->size() < test.expected.size()) {
      addError(report.problems, "case '" + test.name + "' expects " +
                                    llvm::Twine(test.expected.size()) + " outputs, the model has " +
                                    llvm::Twine(outputs->size()));
      return;
    }
    bool isNarrow = isFloatModel() && target.floatType() != ElementType::F32;
    bool widens = isNarrow && arithmetic == Arithmetic::Float;
    if (!compare(target, test, *outputs, widens ? Arithmetic::Narrow : arithmetic)) {
      explain(target, test);
    }
    if (isNarrow) {
      compareLayers(target, test, *outputs);
    }
  }

  /// Compares with the reference in the device's float type. The bound is narrower than the bound
  /// against f32.
  void compareLayers(const driver::ResolvedTarget &target, const CheckCase &test,
                     ArrayRef<Datum> outputs) {
    TargetRequest layers = reference();
    layers.layersOf = target.requested;
    if (std::optional<std::vector<Datum>> expected = runOn(layers, test.inputs)) {
      compare(target, {test.name + " layers", {}, std::move(*expected)}, outputs,
              Arithmetic::Layers);
    }
  }

  /// Compares each output. Returns whether all outputs are right.
  bool compare(const driver::ResolvedTarget &target, const CheckCase &test, ArrayRef<Datum> outputs,
               Arithmetic rule) {
    bool isRight = true;
    for (size_t i = 0; i < test.expected.size(); ++i) {
      const Datum &expected = test.expected[i];
      ElementType type = expected.isTensor() ? expected.tensor.type() : ElementType::Undefined;
      // A device that computes in a narrower type than the model rounds differently.
      bool hasModelsType = rule == arithmetic || rule == Arithmetic::Layers;
      bool isExact = request.isExact && expected.isTensor() && hasModelsType;
      Comparison &comparison = report.comparisons.emplace_back();
      comparison.target = target.name;
      comparison.caseName = test.name;
      comparison.output = outputNames[i];
      comparison.rule = isExact ? "equal bytes" : ruleText(rule, type);
      comparison.verdict =
          isExact ? judgeBytes(outputs[i], expected) : judge(outputs[i], expected, rule);
      isRight &= comparison.verdict.isRight;
    }
    return isRight;
  }

  /// Locates the first wrong op of the first wrong case. The search runs kernels on the host or
  /// layers on a device's simulator, so it cannot locate faults on other targets.
  void explain(const driver::ResolvedTarget &target, const CheckCase &test) {
    auto isKnown = [&](const Finding &finding) { return finding.target == target.name; };
    if ((target.name != "host" && !target.device) || llvm::any_of(report.findings, isKnown)) {
      return;
    }
    begin("locate");
    WrongModel wrong{model,
                     requestFor(requestOf(target), test.inputs),
                     test.inputs,
                     test.expected,
                     arithmetic,
                     request.injected.get(),
                     comparesIntegers()};
    report.findings.push_back(
        {target.name, test.name,
         target.device ? locateDeviceFault(wrong, *target.device) : locateFault(wrong)});
  }

  /// The model of the last case on a target.
  struct CompiledCase {
    std::map<std::string, std::vector<int64_t>> shapes;
    std::shared_ptr<InMemoryModel> memory;
  };

  const Model &model;
  const CheckRequest &request;
  std::map<std::string, CompiledCase> compiled; // by target, arithmetic and layers
  Arithmetic arithmetic;
  std::vector<CheckCase> cases;
  std::vector<driver::ResolvedTarget> targets;
  std::string followed; // the device whose arithmetic the reference uses; empty: none
  std::vector<std::string> outputNames;
  CheckReport report;
};

} // namespace

size_t CheckReport::wrongCount() const {
  return llvm::count_if(comparisons, [](const Comparison &c) { return !c.verdict.isRight; });
}

CheckReport checkModel(const Model &model, const CheckRequest &request) {
  return Checker(model, request).run();
}

} // namespace convoy::check

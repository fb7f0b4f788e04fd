// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the steps of a quantization in order. Each step reads only its part of the data.

#include "quantizer/QuantizeModel.h"
#include "Driver/AddProblem.h"
#include "Import/OnnxProto.h"
#include "QuantizePlan/Initializers.h"
#include "QuantizePlan/PlanJson.h"
#include "QuantizePlan/WriteQdq.h"
#include "quantizer/Metadata.h"
#include "quantizer/evaluate/WorkflowOf.h"
#include "quantizer/search/Narrowings.h"
#include "quantizer/weights/FitWeights.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <cmath>
#include <numeric>

namespace convoy::quantizer {
namespace {

constexpr size_t kShownSamples = 12; // changed samples in the report

/// Returns the first node that computes on quantized tensors; null: the model is float.
const onnx::NodeProto *quantizedNode(const onnx::ModelProto &model) {
  for (const onnx::NodeProto &node : model.graph().node()) {
    if (node.op_type() == "QuantizeLinear" || node.op_type() == "DynamicQuantizeLinear" ||
        llvm::StringRef(node.op_type()).starts_with("QLinear")) {
      return &node;
    }
  }
  return nullptr;
}

/// One quantization. Each step adds its problems and returns whether it succeeded.
class Quantization {
public:
  explicit Quantization(const QuantizeRequest &request)
      : request(request), options(request.options), pins(request.pins),
        calibration(request.calibration ? *request.calibration : *request.data) {}

  Result<QuantizeResult> run() {
    bool isDone = prepare() && split() && checkLedger() && findDataMistakes() && observeRanges() &&
                  makeStart() && rankTensors() && search() && prove() && finish();
    if (!isDone) {
      return problems;
    }
    return Result<QuantizeResult>(std::move(result), problems);
  }

private:
  /// Notes the time of the last step and begins the next one.
  void begin(const std::string &name) {
    auto now = std::chrono::steady_clock::now();
    if (!step.empty()) {
      result.times.push_back({step, std::chrono::duration<double>(now - started).count()});
    }
    step = name;
    started = now;
    report(0, 0);
  }

  void report(size_t done, size_t total) {
    if (request.progress && !step.empty()) {
      request.progress(step, done, total);
    }
  }

  std::function<void(size_t, size_t)> reporter() {
    return [this](size_t done, size_t total) { report(done, total); };
  }

  bool fail(const llvm::Twine &text) {
    addError(problems, text);
    return false;
  }
  bool fail(llvm::Error error) {
    addError(problems, std::move(error));
    return false;
  }

  /// Takes the value of a result or its problems.
  template <typename T>
  bool take(Result<T> from, T &to) {
    problems.append(from.problems());
    if (from) {
      to = std::move(*from);
    }
    return static_cast<bool>(from);
  }

  bool prepare() {
    begin("prepare");
    const onnx::ModelProto &proto = *request.model.file().proto;
    if (const onnx::NodeProto *node = quantizedNode(proto)) {
      return fail("the model is quantized already: node '" + node->name() + "' is a " +
                  node->op_type() + "; expected a float model");
    }
    llvm::Expected<TargetTypes> found = typesOf(options.target);
    if (!found) {
      return fail(withPrefix("--target: ", found.takeError()));
    }
    types = *found;
    prepared = plan::prepareModel(proto);
    points = plan::findPoints(prepared);
    if (hasIntegerEnds()) {
      plan::addOutputPoints(prepared, points);
    }
    if (points.layers.empty()) {
      return fail("the model has no float convolution or matmul with constant weights, so there is "
                  "nothing to quantize");
    }
    if (!pinShapes()) {
      return false;
    }
    if (!checkWeights()) {
      return false;
    }
    result.hasLabels = request.data->hasLabels();
    result.floatBytes = static_cast<int64_t>(proto.ByteSizeLong());
    result.hashes.model = sha256(proto.SerializeAsString());
    computation = computationHash(proto);
    floatModel = std::make_shared<Workflow>(
        Workflow(Result<Model>(request.model)).with([&](CompileRequest &compile) {
          compile.inputs = pins;
        }));
    return true;
  }

  /// Refuses layers whose weights or biases are not numbers.
  bool checkWeights() {
    std::map<std::string, const onnx::TensorProto *> constants;
    for (const onnx::TensorProto &tensor : prepared.graph().initializer()) {
      constants[tensor.name()] = &tensor;
    }
    for (const plan::Layer &layer : points.layers) {
      for (const std::string &name : {layer.weight, layer.bias}) {
        auto found = constants.find(name);
        if (found != constants.end() && !checkNumbers(*found->second, layer)) {
          return false;
        }
      }
    }
    return true;
  }

  bool checkNumbers(const onnx::TensorProto &proto, const plan::Layer &layer) {
    std::optional<Tensor> tensor = plan::decode(proto);
    int64_t wrong = 0;
    for (int64_t i = 0; tensor && i < tensor->size(); ++i) {
      wrong += !std::isfinite(tensor->asDouble(i));
    }
    return wrong == 0 || fail("layer '" + layer.node + "': weight '" + proto.name() + "' has " +
                              llvm::Twine(wrong) + " of " + llvm::Twine(tensor->size()) +
                              " elements that are NaN or infinite; expected numbers; export the "
                              "model again");
  }

  /// Gives the open dimensions of inputs the sizes of the first sample.
  bool pinShapes() {
    NamedTensors sample;
    if (request.data->size() == 0 || !take(request.data->read(0), sample)) {
      return request.data->size() > 0 || fail("--data: expected samples, got none");
    }
    for (const auto &[name, tensor] : sample) {
      if (!pins.constants.count(name)) {
        pins.shapes.try_emplace(name, tensor.shape);
      }
    }
    return true;
  }

  bool split() {
    double share = request.calibration ? 0 : options.calibrateShare;
    parts = io::splitDataset(*request.data, share, options.selectShare);
    calibrate = parts.calibrate;
    if (request.calibration) {
      calibrate.resize(request.calibration->size());
      std::iota(calibrate.begin(), calibrate.end(), size_t(0));
    }
    takeEvenly(calibrate, static_cast<size_t>(options.calibrationSamples));
    result.calibrateSamples = calibrate.size();
    result.selectSamples = parts.select.size();
    result.proveSamples = parts.prove.size();
    if (calibrate.empty() || parts.select.empty() || parts.prove.empty()) {
      return fail(llvm::formatv(
                      "--data: {0} samples are too few for three parts (calibrate {1}, select {2}, "
                      "prove {3}); expected at least one sample in each part; add samples",
                      request.data->size(), calibrate.size(), parts.select.size(),
                      parts.prove.size())
                      .str());
    }
    return true;
  }

  /// Refuses a proof that the ledger does not allow, before any sample runs.
  bool checkLedger() {
    result.hashes.data = io::contentHash(*request.data, parts.prove);
    if (!options.proves) {
      return true;
    }
    llvm::Expected<Ledger> ledger = Ledger::open(options.ledger);
    if (!ledger) {
      return fail(withPrefix("--ledger: ", ledger.takeError()));
    }
    // An accuracy bound is about one float model on one target, so models and targets do not share
    // attempts. The keys of version 0.2 have no target; their attempts count for every target.
    // Earlier keys have the hash of the whole file.
    std::string target = " target " + options.target.name + " cpu " + options.target.cpu;
    ledgerKey = sha256(computation + result.hashes.data + target);
    for (const std::string &earlier : {sha256(result.hashes.model + result.hashes.data),
                                       sha256(result.hashes.model + result.hashes.data + target)}) {
      llvm::Expected<bool> isKnown = ledger->knows(earlier);
      if (!isKnown) {
        return fail(withPrefix("--ledger: ", isKnown.takeError()));
      }
      if (*isKnown) {
        ledgerKey = earlier;
        break;
      }
    }
    if (llvm::Error error = ledger->check(ledgerKey, options.attempts)) {
      return fail(std::move(error));
    }
    return true;
  }

  /// Keeps at most `most` samples, those with the smallest content hashes, so that the order of the
  /// files does not matter.
  void takeEvenly(std::vector<size_t> &samples, size_t most) const {
    llvm::sort(samples, [&](size_t a, size_t b) {
      return std::pair(calibration.hashOf(a), a) < std::pair(calibration.hashOf(b), b);
    });
    samples.resize(std::min(samples.size(), most));
  }

  /// Looks for mistakes of preprocessing on the select split, before the data is used.
  bool findDataMistakes() {
    if (!options.findsMistakes) {
      return true;
    }
    begin("check data");
    MistakeOptions finding;
    finding.threads = options.threads;
    finding.progress = reporter();
    if (!take(findMistakes(request.model, pins, *request.data, parts.select, finding),
              result.mistakes)) {
      return false;
    }
    warnOf(result.mistakes);
    return true;
  }

  void warnOf(const std::vector<Mistake> &mistakes) {
    for (const Mistake &mistake : mistakes) {
      if (mistake.severity == Severity::Warning) {
        problems.add({ProblemKind::Warning, nameOf(mistake.kind) + ": " + mistake.text, {}});
      }
    }
  }

  /// Adds dead channels, saturation and outliers.
  void findObservedMistakes() {
    std::vector<std::string> inputs;
    for (const TensorInfo &input : request.model.inputs()) {
      inputs.push_back(input.name);
    }
    std::vector<Mistake> found = findActivationMistakes(result.statistics, inputs);
    warnOf(found);
    llvm::append_range(result.mistakes, found);
  }

  bool observeRanges() {
    begin("observe");
    ObserveOptions observing{options.threads, reporter()};
    if (!take(observe(prepared, points, pins, calibration, calibrate, observing),
              result.statistics)) {
      return false;
    }
    if (options.findsMistakes) {
      findObservedMistakes();
    }
    return true;
  }

  ElementType startType() const {
    return options.weights == WeightBits::Four ? ElementType::I4 : ElementType::I8;
  }

  bool makeStart() {
    if (startType() == ElementType::I4 && !types.hasI4) {
      return fail(createUnsupported("--weight-bits 4: not supported on target '" +
                                    options.target.name +
                                    "', which has 8-bit weights; use --weight-bits 8"));
    }
    if (request.plan) {
      start.plan = *request.plan;
      std::vector<std::string> errors = plan::checkPlan(start.plan, points, prepared);
      llvm::append_range(errors, checkForTarget(start.plan, types));
      for (const std::string &error : errors) {
        addError(problems, "--plan: " + error);
      }
      return errors.empty() && fit(start);
    }
    start.plan = basePlan(prepared, points, result.statistics, startType(), options.base, types);
    return fit(start);
  }

  /// Fits the weights of a candidate to the inputs of its layers.
  bool fit(FittedPlan &candidate) {
    bool needsProducts = llvm::any_of(candidate.plan.weights, [](const plan::WeightPlan &weights) {
      return weights.rounding == plan::Rounding::Fitted || weights.correctsBias;
    });
    if (needsProducts && products.empty()) {
      begin("observe products");
      ObserveOptions observing{options.threads, reporter()};
      if (!take(observeProducts(prepared, points, pins, &candidate.plan, calibration, calibrate,
                                observing),
                products)) {
        return false;
      }
    }
    begin("fit weights");
    llvm::Expected<plan::FittedWeights> fitted =
        fitWeights(prepared, points, products, candidate.plan);
    if (!fitted) {
      return fail(fitted.takeError());
    }
    candidate.fitted = std::move(*fitted);
    return true;
  }

  bool rankTensors() {
    if (options.sensitivitySamples == 0) {
      return true;
    }
    begin("rank tensors");
    // Weights with a switch are not constant, so their layers run in slow kernels. Only the search
    // for 4-bit weights needs their errors, and findNarrowings measures them.
    plan::Plan activationsOnly = start.plan;
    activationsOnly.weights.clear();
    return rank(activationsOnly, {}, result.sensitivity);
  }

  /// Ranks the tensors of a plan on a few samples.
  bool rank(const plan::Plan &plan, const plan::FittedWeights &fitted,
            std::vector<TensorSensitivity> &ranked) {
    std::vector<size_t> few = calibrate;
    few.resize(std::min(few.size(), static_cast<size_t>(options.sensitivitySamples)));
    SensitivityOptions ranking{options.threads, reporter()};
    return take(measureSensitivity(prepared, points, plan, fitted, pins, calibration, few, ranking),
                ranked);
  }

  static std::map<std::string, double> errorsOf(const std::vector<TensorSensitivity> &ranked) {
    std::map<std::string, double> errors;
    for (const TensorSensitivity &tensor : ranked) {
      errors[tensor.tensor] = tensor.relativeError;
    }
    return errors;
  }

  /// Returns the changes of 8-bit to 4-bit weights, with the error of each one at the output.
  bool findNarrowings(std::vector<Narrowing> &narrowings) {
    FittedPlan four;
    four.plan = fourBitPlan(start.plan, prepared, points);
    if (!fit(four)) {
      return false;
    }
    begin("rank 4-bit weights");
    plan::Plan weightsOnly = four.plan;
    weightsOnly.activations.clear();
    std::vector<TensorSensitivity> ranked;
    if (!rank(weightsOnly, four.fitted, ranked)) {
      return false;
    }
    narrowings = narrowingsOf(four, prepared, points, errorsOf(ranked));
    llvm::append_range(result.sensitivity, ranked);
    return true;
  }

  /// Returns the model of a candidate. With float ends it reads the samples as the float model does
  /// and computes the same integers.
  llvm::Expected<onnx::ModelProto> write(const FittedPlan &candidate, bool hasIntegerEnds) const {
    llvm::Expected<onnx::ModelProto> written =
        plan::writeQdq(prepared, points, candidate.plan, candidate.fitted);
    if (written && hasIntegerEnds) {
      plan::makeEndsInteger(*written);
    }
    return written;
  }

  bool hasIntegerEnds() const {
    return options.ends == Ends::Integer || (options.ends == Ends::Auto && types.hasIntegerEnds);
  }

  Result<Model> modelFor(const FittedPlan &candidate, bool hasIntegerEnds) const {
    llvm::Expected<onnx::ModelProto> written = write(candidate, hasIntegerEnds);
    if (!written) {
      Problems list;
      addError(list, written.takeError());
      return list;
    }
    return modelOf(std::move(*written), request.model.name(), request.model.file().directory);
  }

  /// Runs a candidate with the arithmetic of the target.
  Result<std::vector<Answer>> answersOf(const FittedPlan &candidate,
                                        const std::vector<size_t> &samples, bool comparesOutputs) {
    Result<Model> model = modelFor(candidate, /*hasIntegerEnds=*/false);
    if (!model) {
      return model.problems();
    }
    Workflow workflow = Workflow(model).with([&](CompileRequest &compile) {
      compile.inputs = pins;
      compile.target = measuredTarget(types);
    });
    return evaluate(workflow, *request.data, samples, evaluateOptions(comparesOutputs));
  }

  EvaluateOptions evaluateOptions(bool comparesOutputs) {
    EvaluateOptions evaluation;
    evaluation.topK = options.topK;
    evaluation.threads = options.threads;
    evaluation.reference = comparesOutputs ? floatModel : nullptr;
    evaluation.progress = reporter();
    return evaluation;
  }

  int64_t mostWide() const {
    int64_t most = types.hasWideTemplates ? kMaxWide : 0;
    return request.plan ? 0 : options.maxWide < 0 ? most : options.maxWide;
  }

  bool search() {
    std::vector<Narrowing> narrowings;
    if (options.weights == WeightBits::Auto && types.hasI4 && !request.plan &&
        !findNarrowings(narrowings)) {
      return false;
    }
    begin("select");
    if (!take(evaluate(*floatModel, *request.data, parts.select, evaluateOptions(false)),
              selectFloats)) {
      return false;
    }
    if (llvm::all_of(selectFloats, [](const Answer &answer) { return answer.isNaN; })) {
      return fail("the output of the float model has a NaN on each of " +
                  llvm::Twine(selectFloats.size()) +
                  " samples, so there is no accuracy to keep; check the weights of the model and "
                  "the preprocessing of the data");
    }
    SearchLimits limits;
    limits.maxDrop = options.maxDrop;
    limits.alpha = kPromiseAlpha / static_cast<double>(options.attempts);
    limits.proveSamples = static_cast<int64_t>(parts.prove.size());
    limits.maxWide = mostWide();
    limits.minNarrowShare = options.minFourBitShare;
    limits.workspaceBytes = options.maxWorkspaceBytes;
    limits.nanoseconds = options.maxNanoseconds;
    SearchFunctions functions;
    functions.measure = [&](const FittedPlan &candidate) -> Result<Measurement> {
      Result<std::vector<Answer>> answers = answersOf(candidate, parts.select, true);
      if (!answers) {
        return answers.problems();
      }
      return compare(selectFloats, *answers, result.hasLabels);
    };
    functions.cost = [&](const FittedPlan &candidate) -> Result<TargetCost> {
      Result<Model> model = modelFor(candidate, hasIntegerEnds());
      return model ? costOf(*model, pins, options.target) : Result<TargetCost>(model.problems());
    };
    SearchOutcome outcome;
    std::vector<Widening> widenings =
        limits.maxWide > 0
            ? wideningsOf(start.plan, points, result.statistics, errorsOf(result.sensitivity),
                          options.allows16 && types.hasI16)
            : std::vector<Widening>();
    if (!take(searchPlan(start, std::move(widenings), std::move(narrowings), limits, functions),
              outcome)) {
      return false;
    }
    best = std::move(outcome.best);
    result.select = outcome.measurement;
    result.searchSteps = std::move(outcome.steps);
    result.quantizedCost = outcome.cost;
    return true;
  }

  /// Reads the proof split once, after the ledger has noted the attempt.
  bool prove() {
    result.hashes.plan = sha256(plan::toJson(best.plan));
    if (!options.proves) {
      return true;
    }
    begin("prove");
    llvm::Expected<Ledger> ledger = Ledger::open(options.ledger);
    if (!ledger) {
      return fail(withPrefix("--ledger: ", ledger.takeError()));
    }
    Proof &proof = result.proof;
    std::string description = "model " + result.hashes.model + " plan " + result.hashes.plan;
    llvm::Expected<double> alpha = ledger->begin(ledgerKey, options.attempts, description);
    if (!alpha) {
      return fail(alpha.takeError());
    }
    proof.alpha = *alpha;
    std::vector<Answer> floats, quantized;
    if (!take(evaluate(*floatModel, *request.data, parts.prove, evaluateOptions(false)), floats) ||
        !take(answersOf(best, parts.prove, !result.hasLabels), quantized)) {
      return false;
    }
    proof.measurement = compare(floats, quantized, result.hasLabels);
    proof.bound = boundOf(proof.measurement, proof.alpha);
    proof.isPromised = proof.bound <= options.maxDrop;
    proof.samplesNeeded = samplesNeeded(proof.measurement, options.maxDrop, proof.alpha);
    proof.classes = changesByClass(*request.data, parts.prove, floats, quantized);
    proof.isDone = true;
    result.changed = changedSamples(*request.data, parts.prove, floats, quantized, kShownSamples);
    if (llvm::Error error = ledger->finish(ledgerKey, proof.measurement.counts, proof.bound)) {
      return fail(withPrefix("--ledger: ", std::move(error)));
    }
    return true;
  }

  bool finish() {
    begin("write");
    llvm::Expected<onnx::ModelProto> written = write(best, hasIntegerEnds());
    if (!written) {
      return fail(written.takeError());
    }
    result.hashes.quantized = sha256(written->SerializeAsString());
    addMetadata(*written, result, options);
    result.quantizedBytes = static_cast<int64_t>(written->ByteSizeLong());
    result.model = std::make_shared<onnx::ModelProto>(std::move(*written));
    result.weights = weightBytesOf(best.plan, prepared);
    if (!take(costOf(request.model, pins, options.target), result.floatCost)) {
      return false;
    }
    warnOfLoops(modelFor(best, hasIntegerEnds()));
    result.plan = std::move(best.plan);
    begin(""); // notes the time of the last step
    return true;
  }

  void warnOfLoops(const Result<Model> &model) {
    std::string text = model ? loopsWarningOf(*model, pins, options.target) : "";
    if (!text.empty()) {
      problems.add({ProblemKind::Warning, text, {}});
    }
  }

  const QuantizeRequest &request;
  const QuantizeOptions &options;
  InputPins pins; // with the shapes of the samples
  const io::Dataset &calibration;
  TargetTypes types;
  onnx::ModelProto prepared;
  plan::Points points;
  std::shared_ptr<const Workflow> floatModel;
  io::Split parts;
  std::vector<size_t> calibrate; // samples of `calibration`
  std::string computation;       // its hash
  std::string ledgerKey;
  std::map<std::string, InputProducts> products;
  FittedPlan start, best;
  std::vector<Answer> selectFloats;
  QuantizeResult result;
  Problems problems;
  std::string step;
  std::chrono::steady_clock::time_point started;
};

} // namespace

std::vector<plan::ActivationPlan> QuantizeResult::wideActivations() const {
  std::vector<plan::ActivationPlan> wide;
  llvm::copy_if(plan.activations, std::back_inserter(wide), [](const plan::ActivationPlan &entry) {
    return entry.type == ElementType::I16 || entry.type == ElementType::F32;
  });
  return wide;
}

Result<QuantizeResult> quantizeModel(const QuantizeRequest &request) {
  return Quantization(request).run();
}

} // namespace convoy::quantizer

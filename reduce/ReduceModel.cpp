// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders the steps of a reduction. A step that is cheap and removes much comes first: the nodes
// that the failure names, then bisection, delta debugging, connections, and values last, because
// they only pay off on few nodes.

#include "reduce/ReduceModel.h"
#include "Driver/AddProblem.h"
#include "Driver/ModelInputs.h"
#include "Driver/TensorConversion.h"
#include "QuantizePlan/Initializers.h"
#include "reduce/CollectFacts.h"
#include "reduce/ShrinkValues.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::reduce {
namespace {

// A smaller value can make another node superfluous, but not often.
constexpr int kMaxRounds = 3;
// A candidate may need more time than the original model, which can fail early.
constexpr double kLimitFactor = 10;
constexpr double kLimitSeconds = 30;

class Reduction {
public:
  explicit Reduction(ReduceRequest request)
      : request(std::move(request)), test(this->request.test),
        trials(test, this->request.test.folder + "/" + this->request.candidateName,
               this->request.inputFiles, this->request.limits) {}

  Result<ReduceResult> run() {
    bool isDone = testOriginal() && prepare() && findPart();
    if (isDone) {
      shrink();
    }
    if (!trials.problem().empty()) {
      addError(problems, "cannot test a candidate: " + trials.problem());
    }
    if (problems.hasErrors()) {
      return problems;
    }
    finish();
    return Result<ReduceResult>(std::move(result), problems);
  }

private:
  void begin(const char *step) {
    if (request.progress) {
      request.progress(step);
    }
  }

  bool fails(const onnx::ModelProto &candidate) { return trials.fails(candidate); }

  bool testOriginal() {
    begin("test the model");
    llvm::Expected<Symptom> symptom = test.testOriginal(request.path, request.inputFlags);
    if (!symptom) {
      addError(problems, symptom.takeError());
      return false;
    }
    result.failure = std::move(*symptom);
    if (!result.failure.fails()) {
      addError(problems, notFailing());
      return false;
    }
    double limit = kLimitSeconds + kLimitFactor * result.failure.cpuSeconds;
    double given = request.test.limits.cpuSeconds;
    test.setCpuLimit(given > 0 ? given : limit);
    return true;
  }

  std::string notFailing() const {
    std::string why = result.failure.problem.empty() ? "" : " (" + result.failure.problem + ")";
    switch (request.test.goal) {
    case Goal::Check:
      return "--check: expects a model whose outputs differ from the reference, and `convoy check` "
             "finds no difference" +
             why + "; give the flags with which `convoy check` fails";
    case Goal::Crash:
      return request.test.message.empty()
                 ? "--crash: expects a model that crashes `convoy compile` or `convoy run`, and "
                   "both end without a crash" +
                       why + "; give the flags with which they crash, or --message TEXT"
                 : "--message: expects a text that `convoy compile` or `convoy run` prints when it "
                   "fails, and neither prints '" +
                       request.test.message + "'" + why + "; copy the text from the error";
    case Goal::Slow:
      return "--slow: expects a model that `convoy compile` compiles" + why +
             "; use --crash for a model that fails";
    }
    return "";
  }

  /// Makes the graph whose cuts are candidates, and learns the types of its values.
  bool prepare() {
    begin("infer types");
    const import::Model &file = request.model.file();
    result.nodesBefore = static_cast<size_t>(file.proto->graph().node_size());
    llvm::Expected<onnx::ModelProto> normal = normalize(*file.proto, file.directory);
    if (!normal) {
      addError(problems, normal.takeError());
      return false;
    }
    facts = collectFacts(*normal, request.pins);
    graph.emplace(std::move(*normal));
    return bakePins();
  }

  /// Moves the sizes and constants of the flags into the candidates, which may lack the inputs that
  /// the flags name.
  bool bakePins() {
    for (const auto &[name, data] : request.pins.constants) {
      llvm::Expected<Tensor> tensor = driver::toTensor(data);
      if (!tensor) {
        addError(problems, withPrefix("--const: ", tensor.takeError()));
        return false;
      }
      facts[name].constant = plan::encode(name, *tensor);
    }
    test.dropFlags({"--const"});
    bool areKnown = llvm::all_of(
        driver::freeInputs(request.model.file()),
        [&](const onnx::ValueInfoProto *input) { return facts.count(input->name()) > 0; });
    if (areKnown) {
      test.dropFlags({"--input-shape", "--dim"});
      request.pins.shapes.clear();
      request.pins.dims.clear();
    }
    request.pins.constants.clear();
    return true;
  }

  bool subsetFails(llvm::ArrayRef<size_t> nodes) {
    std::optional<onnx::ModelProto> candidate = graph->cut(nodes, facts);
    return candidate && fails(*candidate);
  }

  /// Finds a small failing part of the model.
  bool findPart() {
    auto subset = [&](llvm::ArrayRef<size_t> nodes) { return subsetFails(nodes); };
    begin("cut at the named nodes");
    std::set<size_t> named;
    for (const std::string &name : result.failure.nodes) {
      NodeSet nodes = graph->named(name);
      named.insert(nodes.begin(), nodes.end());
    }
    std::optional<NodeSet> part =
        growUntilFailure(*graph, NodeSet(named.begin(), named.end()), subset);
    if (!part) {
      begin("bisect");
      if (!subsetFails(graph->all())) {
        return keepWhole();
      }
      part = bisect(graph->all(), subset);
    }
    begin("remove nodes");
    NodeSet least = minimizeSet(std::move(*part), subset);
    model = *graph->cut(least, facts);
    return true;
  }

  /// The model fails only in its original form, so nothing can be removed.
  bool keepWhole() {
    if (trials.problem().empty() && !trials.isStopped()) {
      addError(problems,
               "the model fails, but a copy with the same nodes does not, so no part of it "
               "can be tested; attach the model itself to the report");
    } else if (trials.isStopped()) {
      addError(problems, "the search ended by " + trials.stopReason() +
                             " before it found a smaller model; raise the limit");
    }
    return false;
  }

  void shrink() {
    auto failing = [&](const onnx::ModelProto &candidate) { return fails(candidate); };
    begin("generate inputs");
    dropFiles();
    for (int round = 0; round < kMaxRounds && !trials.isStopped(); ++round) {
      begin("connect nodes");
      facts = collectFacts(model, request.pins);
      bool isChanged = bypassNodes(model, facts, failing);
      isChanged |= dropOutputs(model, failing);
      if (round > 0 || isChanged) {
        isChanged |= removeNodes();
      }
      begin("shrink sizes");
      isChanged |= shrinkSizes(model, failing);
      begin("generate weights");
      isChanged |= generateWeights(model, failing);
      begin("remove attributes");
      isChanged |= dropAttributes(model, failing);
      if (!isChanged) {
        break;
      }
    }
  }

  void dropFiles() {
    if (!trials.hasFilesFor(model)) {
      return;
    }
    trials.dropFiles();
    if (!fails(model)) {
      trials.restoreFiles();
    }
  }

  bool removeNodes() {
    NodeGraph small(model);
    NodeSet least = minimizeSet(small.all(), [&](llvm::ArrayRef<size_t> nodes) {
      std::optional<onnx::ModelProto> candidate = small.cut(nodes, facts);
      return candidate && fails(*candidate);
    });
    bool isChanged = least.size() < small.size();
    if (isChanged) {
      model = *small.cut(least, facts);
    }
    return isChanged;
  }

  void finish() {
    result.model = model.SerializeAsString();
    result.command = test.command(request.candidateName, trials.inputFlags(model));
    for (const onnx::NodeProto &node : model.graph().node()) {
      result.ops.push_back(node.op_type());
    }
    result.nodesAfter = result.ops.size();
    result.trials = trials.count();
    result.cached = trials.cachedCount();
    result.cpuSeconds = result.failure.cpuSeconds + trials.cpuSeconds();
    result.stopReason = trials.stopReason();
    std::tie(result.generatedWeights, result.floatWeights) = countGenerated(model);
  }

  ReduceRequest request;
  FailureTest test;
  Trials trials;
  Problems problems;
  ValueFacts facts;
  std::optional<NodeGraph> graph;
  onnx::ModelProto model; // the smallest model that fails
  ReduceResult result;
};

} // namespace

Result<ReduceResult> reduceModel(ReduceRequest request) {
  return Reduction(std::move(request)).run();
}

} // namespace convoy::reduce

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests compileModel: properties that all outputs share, and errors for invalid requests.

#include "Driver/CompileModel.h"
#include "Driver/LoadedProgram.h"
#include "Driver/Operators.h"
#include "Pipeline/RunStages.h"
#include "convoy/convoy.h"
#include "io/test/TestModel.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace convoy;

namespace {

Model conv() { return driver::operatorModel("ConvWithBias", /*isQuantized=*/false); }

std::string problemOf(const CompileRequest &request) {
  Result<Artifact> artifact = compileModel(conv(), request);
  return artifact ? "" : artifact.problems().firstError();
}

TEST(CompileModel, RunsInMemoryWhatItWritesAsALibrary) {
  test::TemporaryFolder folder;
  CompileRequest request;
  request.output.folder = folder.file("out");
  Result<Artifact> library = compileModel(conv(), request);
  request.output.emit = Emit::Memory;
  Result<Artifact> memory = compileModel(conv(), request);
  ASSERT_TRUE(library && memory);
  EXPECT_EQ(library->report.hash.size(), 32U);
  EXPECT_EQ(library->report.hash, memory->report.hash);
  EXPECT_EQ(library->report.inputs.front().bytes, memory->report.inputs.front().bytes);
  EXPECT_TRUE(llvm::sys::fs::exists(library->files.library));
}

TEST(CompileModel, FollowsTheTargetInVectorsAndDotProducts) {
  CompileRequest request;
  request.debugging.stopAfter = "layout";
  request.target.name = "x86-64-v3";
  Result<Artifact> narrow = compileModel(conv(), request);
  request.target.name = "x86-64-v4";
  Result<Artifact> wide = compileModel(conv(), request);
  ASSERT_TRUE(narrow && wide);
  EXPECT_NE(narrow->ir.find("#graph.blocked<c = 8>"), std::string::npos) << narrow->ir;
  EXPECT_NE(wide->ir, narrow->ir);
}

/// y = Conv(x, w): 3 x 3 filters on 32 channels, the case for which Winograd pays.
Model winogradConv() {
  onnx::ModelProto proto = test::unaryModel("Conv", {"1", "32", "34", "34"});
  onnx::GraphProto &graph = *proto.mutable_graph();
  graph.mutable_node(0)->add_input("w");
  test::setType(*graph.mutable_output(0), "y", onnx::TensorProto::FLOAT, {"1", "32", "32", "32"});
  onnx::TensorProto &weight = *graph.add_initializer();
  weight.set_name("w");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t size : {32, 32, 3, 3}) {
    weight.add_dims(size);
  }
  for (int i = 0; i < 32 * 32 * 9; ++i) {
    weight.add_float_data(0.01F * static_cast<float>(i % 7));
  }
  return test::loaded(std::move(proto));
}

TEST(CompileModel, ReportsKernelsAndMemory) {
  CompileRequest request;
  request.debugging.stopAfter = "memory";
  Result<Artifact> artifact = compileModel(winogradConv(), request);
  ASSERT_TRUE(artifact);
  const CompileReport &report = artifact->report;
  EXPECT_EQ(report.flops, 2.0 * 32 * 32 * 32 * 32 * 9);
  ASSERT_FALSE(report.kernels.empty());
  EXPECT_EQ(report.memory.calls.size(), report.kernels.size());
  double flops = 0;
  for (const auto &[kernel, call] : llvm::zip(report.kernels, report.memory.calls)) {
    EXPECT_EQ(kernel.kernel, call.kernel);
    EXPECT_EQ(kernel.nodes, call.nodes);
    EXPECT_GT(kernel.steps.most, 0);
    EXPECT_GT(kernel.predictedNs, 0);
    EXPECT_TRUE(kernel.refusals.empty());
    flops += kernel.flops;
  }
  EXPECT_EQ(flops, report.flops);
  ASSERT_EQ(report.memory.arenas.size(), 1U);
  int64_t end = 0;
  for (const MemoryTensor &tensor : report.memory.tensors) {
    EXPECT_LE(tensor.first, tensor.last);
    end = std::max(end, tensor.offset + tensor.bytes.most);
  }
  EXPECT_LE(end, report.memory.arenas.front().bytes.most);
  EXPECT_LE(report.memory.peakBytes.most, report.memory.arenas.front().bytes.most);
  EXPECT_EQ(report.memory.inputBytes.most, 4 * 32 * 34 * 34);
}

TEST(CompileModel, ExplainsWeightsThatGrew) {
  CompileRequest request;
  request.output.emit = Emit::Memory;
  Result<Artifact> fast = compileModel(winogradConv(), request);
  request.numerics.math = Math::Strict;
  Result<Artifact> strict = compileModel(winogradConv(), request);
  ASSERT_TRUE(fast && strict);
  constexpr int64_t kModelBytes = int64_t{32} * 32 * 9 * 4;
  for (const Artifact *artifact : {&*fast, &*strict}) {
    const WeightsSummary &weights = artifact->report.memory.weights;
    EXPECT_EQ(weights.modelBytes, kModelBytes);
    EXPECT_EQ(weights.modelBytes + weights.foldingBytes + weights.winogradBytes +
                  weights.paddingBytes + weights.alignmentBytes,
              artifact->report.weightsBytes);
  }
  EXPECT_GT(fast->report.memory.weights.winogradBytes, 0);
  EXPECT_EQ(strict->report.memory.weights.winogradBytes, 0);
}

TEST(CompileModel, TellsItsSteps) {
  std::vector<std::string> names;
  int total = 0;
  CompileRequest request;
  request.output.emit = Emit::Memory;
  request.progress = [&](const CompileStep &step) {
    names.push_back(step.name);
    total = step.total;
    EXPECT_EQ(step.number, static_cast<int>(names.size()));
  };
  ASSERT_TRUE(compileModel(conv(), request));
  EXPECT_EQ(names.front(), "import");
  EXPECT_EQ(names.back(), "load");
  EXPECT_EQ(static_cast<int>(names.size()), total);
}

TEST(CompileModel, SaysWhatDoesNotGoTogether) {
  CompileRequest request;
  request.target.name = "nothing";
  EXPECT_NE(problemOf(request).find("unknown target 'nothing'; expected one of host"),
            std::string::npos);
  request = {};
  request.output.emit = Emit::Program;
  EXPECT_EQ(problemOf(request), "--emit=program expects a device as --target, got 'host'; `convoy "
                                "targets` lists the devices");
  request = {};
  request.debugging.stopAfter = "landing";
  EXPECT_NE(
      problemOf(request).find("unknown stage 'landing'; expected one of graph, quantize, place"),
      std::string::npos);
  request = {};
  request.schedule.deadlineMs = 5;
  EXPECT_NE(problemOf(request).find("--deadline chooses among power states"), std::string::npos);
  request = {};
  request.inputs.constants["x"] = {ElementType::F32, {2}, nullptr, {}};
  EXPECT_EQ(problemOf(request), "constant 'x': a tensor of 2 elements has no bytes");
}

TEST(CompileModel, ListsEveryProblemWithItsKind) {
  onnx::ModelProto proto = test::unaryModel("NoSuchOp", {"1"});
  Result<Artifact> artifact = compileModel(test::loaded(proto), {});
  ASSERT_FALSE(artifact);
  ASSERT_EQ(artifact.problems().all().size(), 1U);
  EXPECT_EQ(artifact.problems().all().front().kind, ProblemKind::Unsupported);
}

/// Observes all stages and stops after fusion.
class StopAfterFusion : public StageObserver {
public:
  void beginStage(const Stage &stage) override { seen.push_back(stage.name.str()); }
  bool endStage(mlir::ModuleOp, const Stage &stage) override { return stage.name != "fusion"; }

  std::vector<std::string> seen;
};

TEST(CompileModel, ObserversSeeAndEndTheStages) {
  StopAfterFusion observer;
  driver::CompileHooks hooks;
  hooks.observer = &observer;
  CompileRequest request;
  request.debugging.stopAfter = "layout";
  Result<Artifact> artifact = driver::compileModel(conv(), request, hooks);
  ASSERT_TRUE(artifact);
  EXPECT_EQ(observer.seen,
            (std::vector<std::string>{"graph", "quantize", "place", "device", "fusion"}));
  EXPECT_EQ(artifact->ir.find("config = #kernel."), std::string::npos) << artifact->ir;
}

/// Runs a model through its table on zeros and returns the first output.
std::vector<float> runTable(const convoy_model &model) {
  std::vector<std::vector<char>> buffers;
  auto pointer = [&](size_t bytes) -> void * {
    buffers.emplace_back(bytes + 64);
    char *data = buffers.back().data();
    return data + (64 - reinterpret_cast<uintptr_t>(data) % 64) % 64;
  };
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  for (uint32_t i = 0; i < model.input_count; ++i) {
    inputs.push_back(pointer(model.inputs[i].bytes));
  }
  for (uint32_t i = 0; i < model.output_count; ++i) {
    outputs.push_back(pointer(model.outputs[i].bytes));
  }
  int32_t code = model.run(inputs.data(), outputs.data(), pointer(model.workspace_bytes));
  EXPECT_EQ(code, CONVOY_OK) << model.error_text(code);
  const float *first = static_cast<const float *>(outputs[0]);
  return {first, first + model.outputs[0].bytes / sizeof(float)};
}

TEST(InMemoryModel, HasATableOnEachTargetThatRunsInThisProcess) {
  std::vector<float> expected;
  for (const char *target : {"host", "c", "abstract"}) {
    CompileRequest request;
    request.output.emit = Emit::Memory;
    request.target.name = target;
    Result<Artifact> artifact = compileModel(conv(), request);
    ASSERT_TRUE(artifact) << target << ": " << artifact.problems().firstError();
    const convoy_model *table = artifact->memory->table();
    ASSERT_TRUE(table) << target;
    EXPECT_EQ(table->abi_version, 2u);
    EXPECT_EQ(table->struct_bytes, sizeof(convoy_model));
    EXPECT_EQ(table->hash, artifact->report.hash);
    EXPECT_STREQ(table->weights_hash + 32, "");
    ASSERT_EQ(table->input_count, 1u);
    EXPECT_STREQ(table->inputs[0].name, "x");
    EXPECT_EQ(table->inputs[0].rank, 4);
    EXPECT_EQ(table->inputs[0].alias, -1);
    EXPECT_EQ(table->symbol_count + table->extent_count, 0u);
    std::vector<float> outputs = runTable(*table);
    expected = expected.empty() ? outputs : expected;
    ASSERT_EQ(outputs.size(), expected.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_NEAR(outputs[i], expected[i], 1e-4);
    }
  }
}

TEST(InMemoryModel, HasNoTableInTheReference) {
  CompileRequest request;
  request.output.emit = Emit::Memory;
  request.target.name = "reference";
  Result<Artifact> artifact = compileModel(conv(), request);
  ASSERT_TRUE(artifact) << artifact.problems().firstError();
  EXPECT_EQ(artifact->memory->table(), nullptr);
}

TEST(InMemoryModel, TakesAndGivesTensorsOfTheInterface) {
  CompileRequest request;
  request.output.emit = Emit::Memory;
  Result<Artifact> artifact = compileModel(conv(), request);
  ASSERT_TRUE(artifact);
  const TensorInfo &input = artifact->report.inputs.front();
  auto data = std::make_shared<std::vector<float>>(elementCountOf(input.shape), 0.5F);
  NamedTensors inputs;
  Result<std::vector<TensorData>> missing = artifact->memory->run(inputs);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.problems().firstError(), "no data for input 'x'; give it with --input x=FILE");
  inputs[input.name] = {input.type, input.shape, std::shared_ptr<void>(data, data->data()), {}};
  Result<std::vector<TensorData>> outputs = artifact->memory->run(inputs);
  ASSERT_TRUE(outputs) << outputs.problems().firstError();
  EXPECT_EQ((*outputs)[0].shape, artifact->report.outputs.front().shape);
}

/// q = SequenceInsert(s, x): both are sequences, and s has tensors of any shape.
Model sequenceModel() {
  onnx::ModelProto proto = test::unaryModel("SequenceInsert", {"2"});
  onnx::GraphProto &graph = *proto.mutable_graph();
  for (onnx::ValueInfoProto *value : {graph.add_input(), graph.mutable_output(0)}) {
    value->set_name(value == graph.mutable_output(0) ? "q" : "s");
    auto *element = value->mutable_type()->mutable_sequence_type()->mutable_elem_type();
    element->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  }
  onnx::NodeProto &node = *graph.mutable_node(0);
  node.set_input(0, "s");
  node.add_input("x");
  node.set_output(0, "q");
  return test::loaded(std::move(proto));
}

driver::Datum zeros(const Shape &shape) { return driver::Datum(Tensor(ElementType::F32, shape)); }

TEST(CompileModel, TakesTheTensorsOfASequence) {
  CompileRequest request;
  request.output.emit = Emit::Memory;
  request.inputs.shapes = {{"s[0]", {3}}, {"s[1]", {4, 5}}};
  Result<Artifact> artifact = compileModel(sequenceModel(), request);
  ASSERT_TRUE(artifact) << artifact.problems().firstError();
  EXPECT_EQ(artifact->report.inputs.size(), 3U);
  LoadedProgram &program = artifact->memory->program();
  EXPECT_TRUE(program.isConverted());
  EXPECT_EQ(program.inputNames(), (std::vector<std::string>{"x", "s"}));
  EXPECT_EQ(program.outputNames(), std::vector<std::string>{"q"});

  driver::NamedData data{{"x", zeros({2})},
                         {"s", driver::Datum::sequence({zeros({3}), zeros({4, 5})})}};
  Result<std::vector<driver::Datum>> outputs = program.run(data);
  ASSERT_TRUE(outputs) << outputs.problems().firstError();
  ASSERT_TRUE((*outputs)[0].isSequence());
  ASSERT_EQ((*outputs)[0].elements.size(), 3U);
  EXPECT_EQ((*outputs)[0].elements[1].tensor.shape(), llvm::ArrayRef<int64_t>({4, 5}));
  EXPECT_EQ((*outputs)[0].elements[2].tensor.shape(), llvm::ArrayRef<int64_t>({2}));

  data["s"].elements.push_back(zeros({1}));
  Result<std::vector<driver::Datum>> longer = program.run(data);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.problems().firstError(), "input 's' contains 3 tensors, but the model was "
                                            "compiled for 2; compile it for this data, or "
                                            "give --target=reference");
}

TEST(CompileModel, AsksForTheLengthOfASequence) {
  CompileRequest request;
  request.output.emit = Emit::Memory;
  Result<Artifact> artifact = compileModel(sequenceModel(), request);
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.problems().firstError(),
            "input 's' is a sequence, and the compiled code has a fixed number of tensors; set the "
            "shape of each with --input-shape 's[0]:2x3', or --input-shape 's[]:0' for an empty "
            "sequence; --target=reference runs any length");
  request.inputs.shapes = {{"s[]", {0}}};
  artifact = compileModel(sequenceModel(), request);
  ASSERT_TRUE(artifact) << artifact.problems().firstError();
  EXPECT_EQ(artifact->report.inputs.size(), 1U);
}

} // namespace

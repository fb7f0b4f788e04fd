// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the chainable interface: results, reuse of an object, and the problems of each step.

#include "Driver/Operators.h"
#include "convoy/compiler.h"
#include "convoy/workflow.h"
#include "io/InputData.h"
#include "io/Npy.h"
#include "io/test/TestModel.h"
#include <gtest/gtest.h>

using namespace convoy;

namespace {

/// y = Relu(x) on three elements, as a file.
class WorkflowCase : public ::testing::Test {
protected:
  std::string relu() { return write(test::unaryModel("Relu", {"1", "3"})); }

  std::string write(const onnx::ModelProto &proto) {
    return folder.write("relu.onnx", proto.SerializeAsString());
  }

  test::TemporaryFolder folder;
};

std::vector<std::string> textsOf(const Problems &problems) {
  std::vector<std::string> texts;
  for (const Problem &problem : problems.all()) {
    texts.push_back(problem.text);
  }
  return texts;
}

std::vector<float> floatsOf(const TensorData &tensor) {
  const auto *first = static_cast<const float *>(tensor.bytes.get());
  return {first, first + elementCountOf(tensor.shape)};
}

TEST_F(WorkflowCase, LoadsCompilesAndRunsInOneExpression) {
  Result<NamedTensors> outputs =
      load(relu()).target("host").threads(1).compile().run({{"x", tensorOf({1, 3}, {-1, 0, 2})}});
  ASSERT_TRUE(outputs) << outputs.problems().firstError();
  EXPECT_EQ(floatsOf(outputs->at("y")), (std::vector<float>{0, 0, 2}));
}

TEST_F(WorkflowCase, OneModelCompilesForSeveralTargets) {
  Workflow loaded = load(relu());
  NamedTensors inputs = {{"x", tensorOf({1, 3}, {-1, 0, 2})}};
  for (const char *target : {"host", "reference"}) {
    Result<NamedTensors> outputs = loaded.target(target).compile().run(inputs);
    ASSERT_TRUE(outputs) << outputs.problems().firstError();
    EXPECT_EQ(floatsOf(outputs->at("y")), (std::vector<float>{0, 0, 2}));
  }
  // A step that fails does not change the object before it.
  EXPECT_FALSE(loaded.target("nothing"));
  EXPECT_TRUE(loaded);
  CompiledModel compiled = loaded.compile();
  EXPECT_TRUE(compiled.run(inputs));
  EXPECT_TRUE(compiled.run(inputs));
}

TEST_F(WorkflowCase, WritesTheSameCodeAsCompileModel) {
  CompileRequest request;
  request.output.folder = folder.file("plain");
  Result<Artifact> plain = compileModel(*Model::read(relu()), request);
  Result<Artifact> chained = load(relu()).write(folder.file("chained"));
  ASSERT_TRUE(plain && chained) << chained.problems().firstError();
  EXPECT_EQ(chained->report.hash, plain->report.hash);
  EXPECT_EQ(chained->files.library, folder.file("chained") + "/relu.so");
}

TEST_F(WorkflowCase, SetsAnyMemberOfTheRequest) {
  Result<ModelRequest> wanted =
      load(relu())
          .threads(2)
          .with([](CompileRequest &request) { request.numerics.math = Math::Strict; })
          .request(Emit::Source);
  ASSERT_TRUE(wanted);
  EXPECT_EQ(wanted->request.schedule.threads, 2);
  EXPECT_EQ(wanted->request.numerics.math, Math::Strict);
  EXPECT_EQ(wanted->request.output.emit, Emit::Source);
}

TEST_F(WorkflowCase, FixesTheShapeOfAnInput) {
  std::string path = write(test::unaryModel("Relu", {"rows", "columns"}));
  Workflow loaded = load(path);
  EXPECT_FALSE(loaded.compile());
  Result<NamedTensors> outputs =
      loaded.shape("x", {2, 3}).compile().run({{"x", tensorOf({2, 3}, {-1, 0, 2, 3, -4, 5})}});
  ASSERT_TRUE(outputs) << outputs.problems().firstError();
  EXPECT_EQ(floatsOf(outputs->at("y")), (std::vector<float>{0, 0, 2, 3, 0, 5}));
  EXPECT_EQ(loaded.shape("q", {1}).problems().firstError(),
            "the model has no input 'q'; it has 'x'");
}

TEST_F(WorkflowCase, ListsTheProblemsOfAllSteps) {
  Result<NamedTensors> outputs =
      load("missing.onnx").target("nothing").compile().run({{"x", tensorOf({1, 3}, {-1, 0, 2})}});
  ASSERT_FALSE(outputs);
  std::vector<std::string> texts = textsOf(outputs.problems());
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_NE(texts[0].find("missing.onnx"), std::string::npos) << texts[0];
  EXPECT_NE(texts[1].find("unknown target 'nothing'; expected one of host"), std::string::npos)
      << texts[1];
}

TEST_F(WorkflowCase, NamesTheNodeThatDoesNotCompile) {
  std::string path = write(test::unaryModel("NoSuchOp", {"1", "3"}));
  Result<NamedTensors> outputs = load(path).compile().run({});
  ASSERT_EQ(outputs.problems().all().size(), 1U);
  EXPECT_EQ(outputs.problems().all().front().kind, ProblemKind::Unsupported);
  EXPECT_NE(outputs.problems().firstError().find("the_node"), std::string::npos)
      << outputs.problems().firstError();
}

TEST_F(WorkflowCase, NamesWrongAndMissingInputs) {
  CompiledModel compiled = load(relu()).compile();
  EXPECT_EQ(
      textsOf(compiled.run({{"z", tensorOf({1, 3}, {1, 2, 3})}}).problems()),
      (std::vector<std::string>{"the model has no input 'z'; it has 'x'",
                                "no data for input 'x'; pass a tensor with this name to run"}));
  EXPECT_EQ(compiled.run({{"x", tensorOf({1, 3}, {1, 2})}}).problems().firstError(),
            "input 'x': a tensor of 3 elements has no bytes");
  // The model is still usable.
  EXPECT_TRUE(compiled.run({{"x", tensorOf({1, 3}, {1, 2, 3})}}));
}

/// Samples in memory: each one fills the input of `conv` with one value.
class FilledSamples : public SampleSource {
public:
  explicit FilledSamples(TensorInfo input) : input(std::move(input)) {}

  size_t size() const override { return 3; }
  std::string nameOf(size_t index) const override { return "sample " + std::to_string(index); }
  Result<NamedTensors> read(size_t index) const override {
    std::vector<float> values(elementCountOf(input.shape), 0.5F * static_cast<float>(index));
    return NamedTensors{{input.name, tensorOf(input.shape, std::move(values))}};
  }

private:
  TensorInfo input;
};

TEST_F(WorkflowCase, CalibratesOnSamples) {
  Model conv = driver::operatorModel("ConvWithBias", /*isQuantized=*/false);
  Workflow loaded(conv);
  CompiledModel plain = loaded.compile();
  CompiledModel integer =
      loaded.calibrate(std::make_shared<FilledSamples>(conv.inputs().front())).compile();
  ASSERT_TRUE(plain && integer) << integer.problems().firstError();
  EXPECT_NE(integer.artifact().report.hash, plain.artifact().report.hash);
}

TEST_F(WorkflowCase, CalibratesOnAFolder) {
  Model conv = driver::operatorModel("ConvWithBias", /*isQuantized=*/false);
  TensorInfo input = conv.inputs().front();
  Tensor sample = io::randomTensor(input.type, input.shape, /*seed=*/1);
  ASSERT_FALSE(static_cast<bool>(io::writeNpy(folder.file("sample.npy"), sample)));
  CompiledModel integer = Workflow(conv).calibrate(folder.path()).compile();
  ASSERT_TRUE(integer) << integer.problems().firstError();
  EXPECT_NE(integer.artifact().report.hash, Workflow(conv).compile().artifact().report.hash);
}

/// Returns records that note the target for which they are opened and that contain nothing.
RecordsOpener notingRecords(std::vector<std::string> &targets) {
  return [&targets](const CompileRequest &request) {
    targets.push_back(request.target.name);
    return Result<std::shared_ptr<const Measurements>>(nullptr);
  };
}

TEST_F(WorkflowCase, OpensRecordsForTheFinalTarget) {
  std::vector<std::string> targets;
  Workflow loaded = load(relu()).target("x86-64-v3").records(notingRecords(targets));
  EXPECT_TRUE(targets.empty());
  EXPECT_TRUE(loaded.target("x86-64-v4").request(Emit::Library));
  EXPECT_TRUE(loaded.request(Emit::Library));
  EXPECT_EQ(targets, (std::vector<std::string>{"x86-64-v4", "x86-64-v3"}));
}

/// A tuner outside of this repository: notes its calls and measures nothing.
class NotingTuner : public Tuner {
public:
  Result<TuneReport> tune(const Model &model, const CompileRequest &request,
                          const TuneBudget &budget) override {
    tuned.push_back(model.name() + " on " + request.target.name);
    if (budget.trials == 0) {
      Problems problems;
      problems.addError("no trial is allowed");
      return problems;
    }
    TuneReport report;
    report.trials = budget.trials;
    return report;
  }
  RecordsOpener records() const override { return notingRecords(opened); }

  std::vector<std::string> tuned;
  mutable std::vector<std::string> opened;
};

TEST_F(WorkflowCase, CompilesWithTheRecordsOfItsTuner) {
  auto tuner = std::make_shared<NotingTuner>();
  TuneBudget budget;
  budget.trials = 5;
  // The tuner's records replace the earlier records, whose file may not exist.
  std::vector<std::string> unopened;
  Workflow tuned = load(relu()).target("host").records(notingRecords(unopened)).tune(tuner, budget);
  ASSERT_TRUE(tuned) << tuned.problems().firstError();
  EXPECT_EQ(tuned.tuneReport()->trials, 5);
  EXPECT_EQ(tuner->tuned, std::vector<std::string>{"relu on host"});
  EXPECT_TRUE(tuner->opened.empty() && unopened.empty());
  EXPECT_TRUE(tuned.compile());
  EXPECT_EQ(tuner->opened, std::vector<std::string>{"host"});
}

TEST_F(WorkflowCase, DoesNotTuneAfterAnError) {
  auto tuner = std::make_shared<NotingTuner>();
  EXPECT_FALSE(load(relu()).target("nothing").tune(tuner));
  EXPECT_FALSE(load("missing.onnx").tune(tuner));
  EXPECT_TRUE(tuner->tuned.empty());
  Result<Artifact> library = load(relu()).tune(tuner).write(folder.file("out"));
  ASSERT_FALSE(library);
  EXPECT_EQ(textsOf(library.problems()), std::vector<std::string>{"no trial is allowed"});
  EXPECT_EQ(load(relu()).tune(nullptr).problems().firstError(),
            "tune expects a tuner, got null; pass for example localTuner(FILE)");
}

TEST_F(WorkflowCase, NamesAFolderOfSamplesThatIsMissing) {
  EXPECT_EQ(load(relu()).calibrate(folder.file("none")).compile().problems().firstError(),
            "--calibrate: cannot read '" + folder.file("none") +
                "': No such file or directory; expected a folder of samples, a .npy file or a "
                ".json file");
}

} // namespace

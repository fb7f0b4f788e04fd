// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the whole path: candidates from a whole space are built, run in the measuring process
// and found right; candidates of a different task are found wrong.

#include "Pipeline/TargetOptions.h"
#include "Support/test/TestFolder.h"
#include "tuning/build/BuildCandidate.h"
#include "tuning/measure/LocalMeasurer.h"
#include "tuning/measure/TaskData.h"
#include "tuning/space/TaskSpace.h"
#include "tuning/space/test/TestKernels.h"
#include "llvm/Support/FileSystem.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

using testing::HasSubstr;

class TaskDataTest : public testing::Test {
protected:
  void SetUp() override {
    LocalOptions options;
    options.program = MEASURE_PROGRAM;
    options.watch.cpus = usableCpus();
    options.watch.maxWaitSeconds = 0;
    measurer = std::make_unique<LocalMeasurer>(options);
  }

  /// Returns configurations evenly spaced in the order of a task's space.
  std::vector<Configuration> configurations(const Task &task, size_t count) const {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    TaskModule module = llvm::cantFail(readTask(task, &context));
    SpaceOptions options;
    options.machine = machineOf(target);
    TaskSpace space = llvm::cantFail(spaceOf(module.kernel(), options));
    std::vector<Configuration> result;
    for (size_t i = 0; i < count; ++i) {
      size_t last = space.entries.size() - 1;
      result.push_back(space.entries[count > 1 ? i * last / (count - 1) : 0].configuration);
    }
    return result;
  }

  RunnableCandidate build(const Task &task, const Configuration &configuration) {
    std::string name = "c" + std::to_string(built++);
    BuiltCandidate files =
        llvm::cantFail(buildCandidate(task, configuration, {target, folder}, name));
    RunnableCandidate candidate;
    candidate.id = configuration.text;
    candidate.library = files.files.library;
    candidate.symbol = name;
    candidate.workspaceBytes = files.files.interface.workspaceBytes;
    return candidate;
  }

  Measurement measure(const RunnableCandidate &candidate) {
    return llvm::cantFail(measurer->measure({candidate}, {})).front();
  }

  void expectRight(const Task &task, size_t count) {
    TaskData data = llvm::cantFail(TaskData::compute(task, folder));
    for (const Configuration &configuration : configurations(task, count)) {
      RunnableCandidate candidate = build(task, configuration);
      llvm::cantFail(data.fill(candidate, configuration));
      Measurement result = measure(candidate);
      bool isRight = result.outcome == Outcome::Ok ||
                     llvm::StringRef(result.message).contains("the machine is too busy");
      EXPECT_TRUE(isRight) << configuration.text << ": " << result.message;
    }
  }

  targets::Target target = targets::detectHost();
  convoy::test::TemporaryFolder temporary;
  std::string folder = temporary.path();
  std::unique_ptr<LocalMeasurer> measurer;
  int built = 0;
};

TEST_F(TaskDataTest, RightCandidatesAreFoundRight) {
  expectRight(test::convTask({32, 10, 96, 3, 1}), 5);
  expectRight(test::convTask({40, 9, 72, 1, 1}), 3);
  expectRight(test::convTask({40, 11, 40, 3, 1, 40}), 3);
}

TEST_F(TaskDataTest, RightCandidatesOfOtherTypesAreFoundRight) {
  expectRight(test::taskFrom(test::kByteProduct), 2);
  expectRight(test::taskFrom(test::kHalfProduct), 1);
}

TEST_F(TaskDataTest, IntegersAreComparedExactly) {
  // Another zero point makes another task with other weights.
  std::string other = test::kByteProduct;
  size_t at = other.find("zeroPoint = 128");
  other.replace(at, 15, "zeroPoint = 129");
  Task right = test::taskFrom(test::kByteProduct);
  Configuration configuration = configurations(right, 2).front();
  TaskData data = llvm::cantFail(TaskData::compute(right, folder));
  RunnableCandidate candidate = build(test::taskFrom(other), configuration);
  llvm::cantFail(data.fill(candidate, configuration));
  Measurement result = measure(candidate);
  EXPECT_EQ(result.outcome, Outcome::WrongResult);
  EXPECT_THAT(result.message, HasSubstr(" within 0, got "));
}

TEST_F(TaskDataTest, OtherWeightsAreFoundWrong) {
  // The shapes are equal but the weights differ, because they depend on the key, which
  // includes the math mode.
  test::ConvShape shape{32, 10, 96, 3, 1};
  Task right = test::convTask(shape, {/*isStrictMath=*/true, 1}), wrong = test::convTask(shape);
  Configuration configuration = configurations(right, 2).front();
  TaskData data = llvm::cantFail(TaskData::compute(right, folder));
  RunnableCandidate candidate = build(wrong, configuration);
  llvm::cantFail(data.fill(candidate, configuration));
  Measurement result = measure(candidate);
  EXPECT_EQ(result.outcome, Outcome::WrongResult);
  EXPECT_THAT(result.message, HasSubstr("output 0, element "));
}

TEST_F(TaskDataTest, TolerancesAreTight) {
  EXPECT_DOUBLE_EQ(mathTolerance(false, 100), 1e-4);
  EXPECT_DOUBLE_EQ(mathTolerance(true, 100), 2.5e-5);
}

} // namespace
} // namespace convoy::tuning

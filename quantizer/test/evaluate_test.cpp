// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests answers, accuracy, agreement of threads and targets, and metrics that are commands.

#include "io/test/DatasetCase.h"
#include "quantizer/evaluate/MetricCommand.h"
#include <cmath>
#include <numeric>

using namespace convoy;
using namespace convoy::quantizer;

namespace {

struct EvaluateTest : convoy::test::DatasetCase {
  /// Opens 40 rows; the largest element of row i is at i % 3 and its label is i % 4 < 3 ? i % 3 :
  /// 0.
  void SetUp() override {
    Tensor rows(ElementType::F32, {40, 3});
    std::vector<int64_t> labels;
    for (int64_t i = 0; i < 40; ++i) {
      rows.setDouble(3 * i + i % 3, 2);
      rows.setDouble(3 * i + (i + 1) % 3, 1);
      labels.push_back(i % 4 < 3 ? i % 3 : 0);
      samples.push_back(static_cast<size_t>(i));
    }
    data = open(flagsOf(folder.write("rows.npy", io::encodeNpy(rows)),
                        npyOf("labels.npy", ElementType::U8, labels)));
    ASSERT_TRUE(data) << error;
  }

  Workflow workflow(const std::string &op = "Relu",
                    const std::vector<std::string> &dims = {"1", "3"}) {
    return Workflow(convoy::test::loaded(convoy::test::unaryModel(op, dims)));
  }

  std::shared_ptr<const io::Dataset> data;
  std::vector<size_t> samples;
};

TEST_F(EvaluateTest, AnswersAreTheLargestElements) {
  EvaluateOptions options;
  options.topK = 2;
  size_t calls = 0, last = 0;
  options.progress = [&](size_t done, size_t total) {
    EXPECT_EQ(done, ++last);
    EXPECT_EQ(total, 40U);
    ++calls;
  };
  Result<std::vector<Answer>> answers = evaluate(workflow(), *data, samples, options);
  ASSERT_TRUE(answers) << answers.problems().firstError();
  EXPECT_EQ(calls, 40U);
  for (int64_t i = 0; i < 40; ++i) {
    const Answer &answer = (*answers)[i];
    int64_t label = *data->label(i);
    EXPECT_EQ(answer.top, i % 3);
    EXPECT_EQ(answer.isRight, label == i % 3);
    EXPECT_EQ(answer.isInTopK, label == i % 3 || label == (i + 1) % 3);
    EXPECT_EQ(answer.relativeL2, 0);
  }
  Accuracy accuracy = accuracyOf(*answers);
  EXPECT_EQ(accuracy.samples, 40U);
  EXPECT_EQ(accuracy.right, 34U);
  EXPECT_EQ(accuracy.rightInTopK, 37U);
  EXPECT_DOUBLE_EQ(accuracy.top1(), 0.85);
}

TEST_F(EvaluateTest, ANaNIsNoClass) {
  Tensor rows(ElementType::F32, {4, 3});
  for (int64_t i : {0, 5, 6, 9}) { // the largest elements: 0, 2, 0, 0
    rows.setDouble(i, 2);
  }
  rows.setDouble(1, std::nan(""));
  rows.setDouble(9, std::nan("")); // with the first class as only candidate
  data = open(flagsOf(folder.write("nan.npy", io::encodeNpy(rows)),
                      npyOf("nan_labels.npy", ElementType::U8, {0, 2, 0, 0})));
  ASSERT_TRUE(data) << error;
  Result<std::vector<Answer>> answers = evaluate(workflow("Identity"), *data, {0, 1, 2, 3}, {});
  ASSERT_TRUE(answers) << answers.problems().firstError();
  for (size_t i : {0, 3}) {
    EXPECT_EQ((*answers)[i].top, -1);
    EXPECT_TRUE((*answers)[i].isNaN);
    EXPECT_FALSE((*answers)[i].isRight || (*answers)[i].isInTopK);
  }
  EXPECT_EQ(accuracyOf(*answers).right, 2U);
  ASSERT_EQ(answers.problems().all().size(), 2U);
  EXPECT_EQ(answers.problems().all()[0].text,
            "the data has a NaN in 2 of 4 samples, first in '" + data->nameOf(0) +
                "'; a NaN usually is a missing value; replace it or remove these samples");
  EXPECT_EQ(answers.problems().all()[1].text,
            "the output has a NaN on 2 of 4 samples, first on '" + data->nameOf(0) +
                "'; a NaN is no class and counts as a wrong answer; check the values of these "
                "samples and their preprocessing");
}

TEST_F(EvaluateTest, EveryTargetAndNumberOfThreadsGivesTheSameAnswers) {
  for (const char *target : {"host", "reference"}) {
    for (int64_t threads : {1, 3, 100}) {
      EvaluateOptions options;
      options.threads = threads;
      Result<std::vector<Answer>> answers =
          evaluate(workflow().target(target), *data, samples, options);
      ASSERT_TRUE(answers) << answers.problems().firstError();
      EXPECT_EQ(accuracyOf(*answers).right, 34U) << target << " " << threads;
    }
  }
}

TEST_F(EvaluateTest, ComparesWithAReference) {
  EvaluateOptions options;
  options.reference = std::make_shared<Workflow>(workflow("Sqrt"));
  Result<std::vector<Answer>> answers = evaluate(workflow(), *data, {0, 1}, options);
  ASSERT_TRUE(answers) << answers.problems().firstError();
  // The outputs are 2, 1, 0; the reference gives sqrt(2), 1, 0.
  EXPECT_NEAR((*answers)[0].relativeL2, (2 - std::sqrt(2)) / std::sqrt(3), 1e-6);
}

TEST_F(EvaluateTest, AnOpenBatchIsOne) {
  Result<std::vector<Answer>> answers =
      evaluate(workflow("Relu", {"batch", "3"}), *data, samples, {});
  ASSERT_TRUE(answers) << answers.problems().firstError();
  EXPECT_EQ(accuracyOf(*answers).right, 34U);
}

TEST_F(EvaluateTest, NoSamplesGiveNoAnswers) {
  Result<std::vector<Answer>> answers = evaluate(workflow(), *data, {}, {});
  ASSERT_TRUE(answers);
  EXPECT_TRUE(answers->empty());
  EXPECT_EQ(accuracyOf(*answers).top1(), 0);
}

TEST_F(EvaluateTest, NamesTheFirstSampleThatFails) {
  convoy::test::TemporaryFolder files;
  Tensor good(ElementType::F32, {1, 3}), bad(ElementType::F32, {1, 4});
  files.write("a.npy", io::encodeNpy(good));
  files.write("b.npy", io::encodeNpy(bad));
  files.write("c.npy", io::encodeNpy(bad));
  auto mixed = open(flagsOf(files.path()), {"1", "n"});
  ASSERT_TRUE(mixed) << error;
  for (const char *target : {"host", "reference"}) {
    Result<std::vector<Answer>> answers =
        evaluate(workflow("Relu", {"1", "n"}).target(target), *mixed, {0, 1, 2}, {});
    ASSERT_FALSE(answers);
    std::string text = answers.problems().firstError();
    EXPECT_EQ(text.find("sample '" + files.file("b.npy") + "': "), 0U) << text;
  }
  EXPECT_EQ(evaluate(workflow("Relu", {"1", "n"}), *mixed, {0, 1, 2}, {}).problems().firstError(),
            "sample '" + files.file("b.npy") +
                "': input 'x' expects float 1x3, got float 1x4; all samples must have the same "
                "shape");
}

struct MetricTest : EvaluateTest {
  llvm::Expected<double> metric(const std::string &text) {
    MetricCommand command(text);
    EvaluateOptions options;
    llvm::cantFail(command.collect(options, samples.size()));
    Result<std::vector<Answer>> answers = evaluate(workflow(), *data, samples, options);
    EXPECT_TRUE(answers) << answers.problems().firstError();
    return command.run(*data, samples);
  }
  std::string errorOf(const std::string &text) {
    llvm::Expected<double> value = metric(text);
    return value ? "no error" : llvm::toString(value.takeError());
  }
};

TEST_F(MetricTest, ACommandReadsOutputsAndLabels) {
  std::string copy = folder.file("copy.npy");
  llvm::Expected<double> value = metric("f() { cp \"$1\" " + copy + "; wc -c < \"$2\"; }; f");
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  EXPECT_EQ(*value, 128 + 40 * 8);
  llvm::Expected<Tensor> outputs = io::readNpy(copy), rows = io::readNpy(folder.file("rows.npy"));
  ASSERT_TRUE(bool(outputs) && bool(rows));
  EXPECT_EQ(outputs->shape(), rows->shape());
  EXPECT_EQ(std::memcmp(outputs->raw(), rows->raw(), rows->bytes()), 0);
}

TEST_F(MetricTest, SaysWhatACommandDidWrong) {
  EXPECT_EQ(errorOf("echo much #"),
            "--metric: expected that 'echo much #' prints one number, got 'much'");
  EXPECT_EQ(errorOf("echo no >&2; exit 3; :"),
            "--metric: 'echo no >&2; exit 3; :' ended with exit code 3: no");
}

} // namespace

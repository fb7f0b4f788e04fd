// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests --data, --labels, --samples and --metric of run, check and bench.

#include "io/Npy.h"
#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/JSON.h"
#include <gmock/gmock.h>

using namespace convoy;
using namespace convoy::tool;
using ::testing::HasSubstr;

namespace {

struct DataFlagsTest : tool::test::DriverCase {
  DataFlagsTest() {
    Tensor tensor(ElementType::F32, {8, 3});
    Tensor classes(ElementType::U8, {8});
    for (int64_t i = 0; i < 8; ++i) {
      tensor.setDouble(3 * i + i % 3, 1);
      classes.setInt(i, i < 6 ? i % 3 : (i + 1) % 3);
    }
    rows = folder.write("rows.npy", io::encodeNpy(tensor));
    labels = folder.write("labels.npy", io::encodeNpy(classes));
    relu = model(convoy::test::unaryModel("Relu", {"1", "3"}), "relu.onnx");
  }

  std::string rows, labels, relu;
};

TEST_F(DataFlagsTest, RunPrintsTheAccuracy) {
  EXPECT_EQ(convoy({"run", relu, "--data", rows, "--labels", labels, "--top", "3"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("top 1: 75.00 % (6 of 8)\ntop 3: 100.00 % (8 of 8)\nran relu on "
                             "host: 8 samples in "));
  EXPECT_THAT(out, HasSubstr(" samples/s\n"));
  for (const char *flag : {"--threads=1", "--target=reference", "--target=c"}) {
    EXPECT_EQ(convoy({"run", relu, "--data", rows, "--labels", labels, flag}), kDone) << err;
    EXPECT_THAT(out, HasSubstr("top 1: 75.00 % (6 of 8)\n")) << flag;
  }
}

TEST_F(DataFlagsTest, RunCountsAnswersWithoutLabels) {
  EXPECT_EQ(convoy({"run", relu, "--data", rows}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("class 0: 3 of 8 samples (37.50 %)\nclass 1: 3 of 8 samples (37.50 "
                             "%)\nclass 2: 2 of 8 samples (25.00 %)\nran "));
}

TEST_F(DataFlagsTest, RunReadsAJsonFileAndALimit) {
  std::string json =
      folder.write("set.json", R"({"data": "rows.npy", "labels": "labels.npy", "samples": 6})");
  EXPECT_EQ(convoy({"run", relu, "--data", json, "--samples", "5", "--json"}), kDone) << err;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(out);
  ASSERT_TRUE(bool(value)) << out;
  const llvm::json::Object &object = *value->getAsObject();
  EXPECT_EQ(object.getInteger("samples"), 5);
  EXPECT_EQ(object.getString("target"), "host");
  EXPECT_EQ(object.getString("data_hash")->size(), 64U);
  ASSERT_TRUE(object.getObject("accuracy"));
  EXPECT_EQ(object.getObject("accuracy")->getInteger("right_in_top_k"), 5);
  EXPECT_EQ(object.getInteger("metric"), std::nullopt);
}

TEST_F(DataFlagsTest, RunComputesAMetric) {
  EXPECT_EQ(convoy({"run", relu, "--data", rows, "--metric", "wc -c <"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("metric: 224\n"));
  EXPECT_EQ(convoy({"run", relu, "--data", rows, "--metric", "false"}), kUserError);
  EXPECT_EQ(err, "error: --metric: 'false' ended with exit code 1\n");
}

TEST_F(DataFlagsTest, RunRefusesFlagsOfOneInference) {
  EXPECT_EQ(convoy({"run", relu, "--data", rows, "--input", "random", "-o", folder.file("out")}),
            kUserError);
  EXPECT_THAT(err, HasSubstr("error: --input is for one inference and cannot be combined with "
                             "--data\nerror: --output is for one inference and cannot be "
                             "combined with --data\n"));
  EXPECT_EQ(convoy({"run", relu, "--input", "random", "--samples", "3"}), kUserError);
  EXPECT_THAT(err, HasSubstr("error: --samples needs a data set; add --data DATA\n"));
  EXPECT_EQ(convoy({"run", relu, "--input", "random", "--metric", "true"}), kUserError);
  EXPECT_THAT(err, HasSubstr("error: --metric needs a data set; add --data DATA\n"));
  EXPECT_EQ(convoy({"run", relu, "--data", folder.file("none")}), kUserError);
  EXPECT_THAT(err, HasSubstr("error: --data: cannot read '" + folder.file("none") + "': "));
}

TEST_F(DataFlagsTest, LabelsAreNamesOfClassesWithoutDataUntil04) {
  std::string names = folder.write("names.txt", "cat\ndog\nfox\n");
  EXPECT_EQ(convoy({"run", relu, "--input", "random", "--labels", names}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("fox"));
  EXPECT_THAT(err, HasSubstr("warning: --labels without --data is deprecated and ends with version "
                             "0.4; write --class-names\n"));
}

TEST_F(DataFlagsTest, CheckComparesOnSamples) {
  EXPECT_EQ(convoy({"check", relu, "--data", rows, "--samples", "4", "--target", "host,c"}), kDone)
      << err;
  EXPECT_THAT(out, HasSubstr("check of relu passed: 8 of 8 outputs agree with the reference\n"));
  EXPECT_THAT(out, HasSubstr("rows.npy["));
  EXPECT_EQ(convoy({"check", relu, "--data", rows, "--json"}), kDone) << err;
  EXPECT_EQ(convoy({"check", quantizedConv(), "--data", rows}), kUserError);
  EXPECT_THAT(err, HasSubstr("error: --data: '" + rows + "' "));
  EXPECT_EQ(convoy({"check", relu, "--data", rows, "--input", "random"}), kUserError);
  EXPECT_EQ(err, "error: --data cannot be combined with --input or --golden\n");
  EXPECT_EQ(convoy({"check", relu, "--samples", "3"}), kUserError);
  EXPECT_EQ(err, "error: --samples needs a data set; add --data DATA\n");
}

TEST_F(DataFlagsTest, BenchMeasuresTheFirstSample) {
  EXPECT_EQ(convoy({"bench", relu, "--data", rows, "--repetitions", "2"}), kDone) << err;
  EXPECT_EQ(convoy({"bench", relu, relu, "--data", rows}), kUserError);
  EXPECT_THAT(err, HasSubstr("error: --data is the data of one model and cannot be combined with "
                             "--input, got 2 models\n"));
  EXPECT_EQ(convoy({"bench", relu, "--data", labels}), kUserError);
  EXPECT_THAT(err,
              HasSubstr("error: --data: '" + labels + "' contains uint8 8, input 'x' expects "));
}

TEST_F(DataFlagsTest, ImageFlagsApplyToData) {
  EXPECT_EQ(convoy({"run", relu, "--mean", "0.5"}), kUserError);
  EXPECT_EQ(err, "error: --mean: expects images, and no flag names an image; add --calibrate or "
                 "--input or --data\nsee `convoy run --help`\n");
  std::string images =
      folder.write("images.npy", io::encodeNpy(Tensor(ElementType::U8, {2, 1, 1, 3})));
  std::string image = model(convoy::test::unaryModel("Identity", {"1", "3", "1", "1"}), "id.onnx");
  EXPECT_EQ(convoy({"run", image, "--data", images, "--mean", "0,-1,0", "--scale", "1"}), kDone)
      << err;
  EXPECT_THAT(out, HasSubstr("class 1: 2 of 2 samples (100.00 %)\n"));
}

} // namespace

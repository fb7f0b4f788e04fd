// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the forms of a data set, its labels, its JSON file and its parts.

#include "io/test/DatasetCase.h"
#include <algorithm>
#include <set>

using namespace convoy;
using namespace convoy::io;

namespace {

using DatasetTest = convoy::test::DatasetCase;
using Values = std::vector<double>;

TEST_F(DatasetTest, ReadsRowsAndAddsTheBatch) {
  auto data = open(flagsOf(npy("rows.npy", ElementType::F32, {4, 3})));
  ASSERT_TRUE(data) << error;
  EXPECT_EQ(data->size(), 4U);
  EXPECT_EQ(data->nameOf(2), folder.file("rows.npy") + "[2]");
  EXPECT_EQ(read(*data, 2), (Values{6, 7, 8})) << error;
  EXPECT_EQ(shape, (std::vector<int64_t>{1, 3}));
  EXPECT_FALSE(data->hasLabels());
  EXPECT_EQ(data->label(0), std::nullopt);
}

TEST_F(DatasetTest, ReadsRowsThatHaveABatch) {
  auto data = open(flagsOf(npy("rows.npy", ElementType::F32, {4, 1, 3})));
  ASSERT_TRUE(data) << error;
  EXPECT_EQ(read(*data, 3), (Values{9, 10, 11}));
  EXPECT_EQ(shape, (std::vector<int64_t>{1, 3}));
}

TEST_F(DatasetTest, AnOpenBatchIsOne) {
  auto data = open(flagsOf(npy("rows.npy", ElementType::F32, {4, 3})), {"batch", "3"});
  ASSERT_TRUE(data) << error;
  EXPECT_EQ(read(*data, 1), (Values{3, 4, 5}));
  EXPECT_EQ(shape, (std::vector<int64_t>{1, 3}));
}

TEST_F(DatasetTest, RowsOfBytesAreImages) {
  DatasetFlags flags = flagsOf(npy("images.npy", ElementType::U8, {2, 1, 2, 3}));
  flags.image.scale = {1};
  flags.image.mean = {1, 2, 3};
  auto data = open(flags, {"1", "3", "1", "2"});
  ASSERT_TRUE(data) << error;
  // Pixels (6, 7, 8) and (9, 10, 11), planar, minus the mean of the channel.
  EXPECT_EQ(read(*data, 1), (Values{5, 8, 5, 8, 5, 8})) << error;
  flags.image.color = Color::Bgr;
  data = open(flags, {"1", "3", "1", "2"});
  EXPECT_EQ(read(*data, 1), (Values{7, 10, 5, 8, 3, 6})) << error;
}

TEST_F(DatasetTest, RowsOfGrayBytesFillAllChannels) {
  DatasetFlags flags = flagsOf(npy("images.npy", ElementType::U8, {3, 1, 2}));
  flags.image.scale = {1};
  auto gray = open(flags, {"1", "1", "1", "2"});
  ASSERT_TRUE(gray) << error;
  EXPECT_EQ(read(*gray, 2), (Values{4, 5})) << error;
  auto color = open(flags, {"1", "3", "1", "2"});
  ASSERT_TRUE(color) << error;
  EXPECT_EQ(read(*color, 2), (Values{4, 5, 4, 5, 4, 5})) << error;
}

TEST_F(DatasetTest, ReadsAFolderOfFilesWithNamedLabels) {
  npy("b.npy", ElementType::F32, {1, 3});
  npy("a.npy", ElementType::F32, {3});
  folder.write(".hidden", "x");
  folder.write("set.json", "{}");
  std::string labels = folder.write("labels.txt", "# name, class\nb.npy 2\na.npy, 1\n\n");
  auto data = open(flagsOf(folder.path(), labels));
  ASSERT_TRUE(data) << error;
  ASSERT_EQ(data->size(), 2U);
  EXPECT_EQ(data->nameOf(0), folder.file("a.npy"));
  EXPECT_EQ(data->label(0), 1);
  EXPECT_EQ(data->label(1), 2);
  EXPECT_EQ(read(*data, 0), (Values{0, 1, 2})) << error;
  EXPECT_EQ(shape, (std::vector<int64_t>{1, 3}));
}

TEST_F(DatasetTest, ReadsLabelsOfEveryForm) {
  std::string rows = npy("rows.npy", ElementType::F32, {3, 3});
  for (const std::string &labels : {npyOf("labels.npy", ElementType::I64, {2, 0, 1}),
                                    npyOf("bytes.npy", ElementType::U8, {2, 0, 1}),
                                    folder.write("labels.u8", llvm::StringRef("\2\0\1", 3)),
                                    folder.write("labels.txt", "2\n0\n1\n")}) {
    auto data = open(flagsOf(rows, labels));
    ASSERT_TRUE(data) << error;
    EXPECT_TRUE(data->hasLabels());
    EXPECT_EQ(data->label(0), 2) << labels;
    EXPECT_EQ(data->label(1), 0) << labels;
    EXPECT_EQ(data->label(2), 1) << labels;
  }
}

TEST_F(DatasetTest, TheJsonFileIsReadAndWritten) {
  npy("images.npy", ElementType::U8, {2, 4, 4, 3});
  npyOf("labels.npy", ElementType::U8, {1, 0});
  DatasetFlags flags = flagsOf(folder.file("images.npy"), folder.file("labels.npy"));
  flags.image.resize = *parseResize("2x2");
  flags.image.crop = Crop::None;
  flags.image.color = Color::Bgr;
  flags.image.layout = DimOrder::Nchw;
  flags.image.mean = {0.5};
  flags.image.std = {1, 2, 4};
  flags.image.scale = {0.25};
  flags.samples = 1;
  std::string path = folder.file("set.json");
  ASSERT_FALSE(bool(writeDatasetJson(flags, path)));
  auto data = open(flagsOf(path), {"1", "3", "2", "2"});
  ASSERT_TRUE(data) << error;
  const DatasetFlags &back = data->flags();
  EXPECT_EQ(back.data, flags.data);
  EXPECT_EQ(back.labels, flags.labels);
  EXPECT_EQ(back.image.resize.text(), "2x2");
  EXPECT_EQ(back.image.crop, Crop::None);
  EXPECT_EQ(back.image.color, Color::Bgr);
  EXPECT_EQ(back.image.layout, DimOrder::Nchw);
  EXPECT_EQ(back.image.mean, flags.image.mean);
  EXPECT_EQ(back.image.std, flags.image.std);
  EXPECT_EQ(back.image.scale, flags.image.scale);
  EXPECT_EQ(data->size(), 1U);
}

TEST_F(DatasetTest, FlagsTakePrecedenceOverTheJsonFile) {
  npy("images.npy", ElementType::U8, {2, 2, 2, 3});
  std::string path =
      folder.write("set.json", R"({"data": "images.npy", "mean": 1, "std": [2, 3, 4]})");
  DatasetFlags flags = flagsOf(path);
  flags.image.mean = {7};
  auto data = open(flags, {"1", "3", "2", "2"});
  ASSERT_TRUE(data) << error;
  EXPECT_EQ(data->flags().image.mean, Values{7});
  EXPECT_EQ(data->flags().image.std, (Values{2, 3, 4}));
}

/// Returns a data set of 1,000 rows in which row i + 500 equals row i.
std::shared_ptr<const Dataset> twice(DatasetTest &test, int64_t samples = 0) {
  Tensor rows(ElementType::F32, {1000, 3});
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < 3000; ++i) {
    rows.setInt(i, i % 1500);
  }
  for (int64_t i = 0; i < 1000; ++i) {
    labels.push_back(i % 3); // copies have other labels, because 500 % 3 is not 0
  }
  DatasetFlags flags = DatasetTest::flagsOf(test.folder.write("rows.npy", encodeNpy(rows)),
                                            test.npyOf("labels.npy", ElementType::I32, labels));
  flags.samples = samples;
  return test.open(flags);
}

TEST_F(DatasetTest, ASplitKeepsCopiesInOnePartWhateverTheirLabels) {
  auto data = twice(*this);
  ASSERT_TRUE(data) << error;
  Split split = splitDataset(*data, 0.2, 0.3);
  EXPECT_EQ(split.calibrate.size() + split.select.size() + split.prove.size(), 1000U);
  EXPECT_NEAR(static_cast<double>(split.calibrate.size()), 200, 60);
  EXPECT_NEAR(static_cast<double>(split.select.size()), 300, 70);
  for (const std::vector<size_t> &part : {split.calibrate, split.select, split.prove}) {
    std::set<size_t> numbers(part.begin(), part.end());
    for (size_t i : part) {
      EXPECT_TRUE(numbers.count((i + 500) % 1000)) << i;
    }
  }
  EXPECT_NE(data->hashOf(0), data->hashOf(500)) << "the labels differ";
  EXPECT_EQ(splitDataset(*data, 1, 0).calibrate.size(), 1000U);
}

TEST_F(DatasetTest, TheContentHashDoesNotDependOnTheOrder) {
  auto data = twice(*this);
  ASSERT_TRUE(data) << error;
  EXPECT_EQ(contentHash(*data, {1, 2, 3}), contentHash(*data, {3, 1, 2}));
  EXPECT_NE(contentHash(*data, {1, 2, 3}), contentHash(*data, {1, 2, 4}));
  EXPECT_EQ(contentHash(*data, {1, 2}).size(), 64U);
}

TEST_F(DatasetTest, ALimitSpreadsTheSamplesOverTheHashes) {
  auto data = twice(*this, 100);
  ASSERT_TRUE(data) << error;
  ASSERT_EQ(data->size(), 100U);
  Split split = splitDataset(*data, 0.2, 0.3);
  EXPECT_NEAR(static_cast<double>(split.calibrate.size()), 20, 8);
  EXPECT_NEAR(static_cast<double>(split.select.size()), 30, 8);
  auto all = twice(*this, 5000);
  ASSERT_TRUE(all) << error;
  EXPECT_EQ(all->size(), 1000U);
}

} // namespace

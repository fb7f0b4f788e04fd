// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the words of the errors about data sets, labels and their JSON file.

#include "io/test/DatasetCase.h"

using namespace convoy;
using namespace convoy::io;

namespace {

struct DatasetErrors : convoy::test::DatasetCase {
  /// Returns the error of a data set with these labels.
  std::string errorOf(const std::string &data, const std::string &labels = "",
                      const std::vector<std::string> &dims = {"1", "3"}) {
    EXPECT_FALSE(open(flagsOf(data, labels), dims));
    return error;
  }
  std::string labelError(const std::string &file, const std::string &rest) {
    return "--labels: labels '" + file + "': " + rest;
  }
  std::string jsonError(const std::string &text) {
    std::string path = folder.write("set.json", text);
    std::string full = errorOf(path);
    std::string prefix = "--data: '" + path + "'";
    EXPECT_EQ(full.substr(0, prefix.size()), prefix);
    return full.substr(std::min(full.size(), prefix.size()));
  }
};

TEST_F(DatasetErrors, NamesMissingAndEmptySources) {
  EXPECT_EQ(errorOf(folder.file("none")),
            "--data: cannot read '" + folder.file("none") +
                "': No such file or directory; expected a folder of samples, a .npy file or a "
                ".json file");
  EXPECT_EQ(errorOf(folder.path()),
            "--data: folder '" + folder.path() +
                "' contains no samples; add inputs of the model, one file or one folder of "
                "input_N.pb each");
  std::string text = folder.write("data.txt", "1");
  EXPECT_EQ(errorOf(text), "--data: '" + text +
                               "' is not a data set; expected a folder of samples, a .npy file "
                               "whose first dimension counts the samples, or a .json file");
}

TEST_F(DatasetErrors, NamesRowsThatAreNoSamples) {
  std::string none = npy("none.npy", ElementType::F32, {0, 3});
  EXPECT_EQ(errorOf(none), "--data: '" + none +
                               "' of shape 0x3 holds no samples; expected an array whose first "
                               "dimension counts the samples");
  std::string wide = npy("wide.npy", ElementType::F32, {2, 4});
  EXPECT_EQ(errorOf(wide), "--data: '" + wide +
                               "' has samples of shape 4, input 'x' expects 1x3; reshape the array "
                               "so that its first dimension counts the samples");
  std::string doubles = npy("doubles.npy", ElementType::F64, {2, 3});
  EXPECT_EQ(errorOf(doubles),
            "--data: '" + doubles +
                "' contains double 2x3, input 'x' expects float; convert the array "
                "with numpy.astype");
  std::string planar = npy("planar.npy", ElementType::U8, {2, 3, 4, 4});
  EXPECT_EQ(errorOf(planar, "", {"1", "3", "4", "4"}),
            "--data: '" + planar +
                "' contains uint8 2x3x4x4, input 'x' expects float; images are samples x rows x "
                "columns x channels of u8, with 1 or 3 channels");
  std::string images = npy("images.npy", ElementType::U8, {2, 4, 4, 3});
  EXPECT_EQ(errorOf(images, "", {"1", "5", "4", "4"}),
            "--data: input 'x' cannot be an image: its shape 1x5x4x4 has no dimension of 1 or 3 "
            "channels");
}

TEST_F(DatasetErrors, NamesColumnMajorAndTruncatedFiles) {
  std::string bytes = encodeNpy(Tensor(ElementType::F32, {2, 3}));
  size_t at = bytes.find("False");
  std::string column =
      folder.write("column.npy", bytes.substr(0, at) + "True " + bytes.substr(at + 5));
  EXPECT_EQ(errorOf(column), "--data: '" + column +
                                 "' is in column-major order, and samples are read row by row; "
                                 "save numpy.ascontiguousarray of the array");
  std::string cut = folder.write("cut.npy", bytes.substr(0, bytes.size() - 1));
  EXPECT_EQ(errorOf(cut),
            "--data: '" + cut + "' contains 23 bytes of data, which does not fit its shape");
}

TEST_F(DatasetErrors, NamesSamplesThatCannotBeRead) {
  folder.write("a.png", "no image");
  auto data = open(flagsOf(folder.path()));
  ASSERT_TRUE(data) << error;
  EXPECT_TRUE(read(*data, 0).empty());
  EXPECT_EQ(error, "--data: '" + folder.file("a.png") +
                       "' has an unknown format; expected .npy, .pb, .raw, .bin, or a PNG, JPEG "
                       "or BMP image");
  convoy::test::TemporaryFolder folders;
  ASSERT_FALSE(llvm::sys::fs::create_directory(folders.file("case")));
  data = open(flagsOf(folders.path()));
  ASSERT_TRUE(data) << error;
  EXPECT_TRUE(read(*data, 0).empty());
  EXPECT_EQ(error, "--data: '" + folders.file("case") + "' has no data for input 'x'");
}

TEST_F(DatasetErrors, NamesLabelsThatDoNotMatch) {
  std::string rows = npy("rows.npy", ElementType::F32, {2, 3});
  std::string few = npyOf("few.npy", ElementType::U8, {1});
  EXPECT_EQ(errorOf(rows, few),
            labelError(few, "expected one label for each of the 2 samples, got 1; check that the "
                            "file belongs to the data"));
  std::string high = npyOf("high.npy", ElementType::U8, {1, 3});
  EXPECT_EQ(errorOf(rows, high),
            labelError(high, "label 3 of sample '" + rows +
                                 "[1]' is not a class of the model, expected 0 to 2; if the "
                                 "labels start at 1, subtract 1"));
  std::string negative = folder.write("negative.txt", "-1\n0\n");
  EXPECT_EQ(errorOf(rows, negative),
            labelError(negative, "label -1 of sample '" + rows +
                                     "[0]' is not a class of the model, expected 0 to 2; if the "
                                     "labels start at 1, subtract 1"));
  std::string floats = npy("floats.npy", ElementType::F32, {2});
  EXPECT_EQ(errorOf(rows, floats),
            labelError(floats, "expected one integer per sample, got float 2"));
  EXPECT_EQ(errorOf(rows, folder.file("no.txt")),
            labelError(folder.file("no.txt"),
                       "cannot read '" + folder.file("no.txt") + "': No such file or directory"));
}

TEST_F(DatasetErrors, NamesLinesOfLabels) {
  std::string rows = npy("rows.npy", ElementType::F32, {2, 3});
  std::string words = folder.write("words.txt", "0\ncat\n");
  EXPECT_EQ(errorOf(rows, words), labelError(words, "line 2 is 'cat', expected LABEL or NAME "
                                                    "LABEL with an integer label"));
  std::string mixed = folder.write("mixed.txt", "0\na.png 1\n");
  EXPECT_EQ(errorOf(rows, mixed),
            labelError(mixed, "some lines have a name and others do not; expected NAME LABEL on "
                              "every line or LABEL on every line"));
  std::string named = folder.write("named.txt", "a.png 1\n");
  EXPECT_EQ(errorOf(rows, named),
            labelError(named, "the lines have names, and the samples of a .npy file have no "
                              "names; write one LABEL per line in the order of the samples"));
  convoy::test::TemporaryFolder files;
  files.write("b.npy", encodeNpy(Tensor(ElementType::F32, {1, 3})));
  EXPECT_EQ(errorOf(files.path(), named),
            labelError(named, "no label for 1 of 1 samples, the first is '" + files.file("b.npy") +
                                  "'; add a line 'b.npy LABEL'"));
}

TEST_F(DatasetErrors, NamesKeysOfTheJsonFile) {
  EXPECT_EQ(jsonError("[]"), " is not a JSON object; expected {\"data\": \"FOLDER\", ...}");
  EXPECT_EQ(jsonError("{").substr(0, 14), " is not JSON: ");
  EXPECT_EQ(
      jsonError("{\"size\": 3}"),
      " has an unknown key 'size'; known keys are data, labels, preprocess, resize, crop, color, "
      "layout, mean, std, scale, samples");
  EXPECT_EQ(jsonError("{}"),
            ": the key 'data' is missing; add the folder or .npy file of the samples");
  EXPECT_EQ(jsonError("{\"data\": 3}"), ": key 'data': expected a path, got 3");
  EXPECT_EQ(jsonError("{\"data\": \"a\", \"crop\": \"middle\"}"),
            ": key 'crop': expected \"center\" or \"none\", got \"middle\"");
  EXPECT_EQ(jsonError("{\"data\": \"a\", \"mean\": [1, \"2\"]}"),
            ": key 'mean': expected a number or a list of numbers, one per channel, got [1,\"2\"]");
  EXPECT_EQ(jsonError("{\"data\": \"a\", \"resize\": \"big\"}"),
            ": key 'resize': expected a short side such as 256, a size such as \"320x240\", "
            "\"none\" or \"auto\", got \"big\"");
  EXPECT_EQ(jsonError("{\"data\": \"a\", \"samples\": 0}"),
            ": key 'samples': expected a positive number of samples, got 0");
}

TEST_F(DatasetErrors, NamesModelsOfSeveralInputs) {
  onnx::ModelProto two = convoy::test::unaryModel("Add", {"1", "3"});
  two.mutable_graph()->mutable_node(0)->add_input("b");
  convoy::test::setType(*two.mutable_graph()->add_input(), "b", onnx::TensorProto::FLOAT,
                        {"1", "3"});
  Problems rows, files;
  std::string path = npy("rows.npy", ElementType::F32, {2, 3});
  EXPECT_FALSE(openDataset(flagsOf(path), convoy::test::loaded(two), {}, "--data", rows));
  EXPECT_EQ(rows.firstError(), "--data: '" + path +
                                   "' has one tensor per sample, and the model has 2 inputs; make "
                                   "one folder of input_N.pb per sample");
  EXPECT_FALSE(
      openDataset(flagsOf(folder.path()), convoy::test::loaded(two), {}, "--calibrate", files));
  EXPECT_EQ(files.firstError(), "--calibrate: '" + path +
                                    "' is one file, and the model has 2 inputs: 'x', 'b'; make "
                                    "one folder of input_N.pb per sample");
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy run`: files of outputs, names of classes, times, compiled libraries and the hint about
// the values of pixels. model_cache_test.cpp tests the cache.

#include "io/Npy.h"
#include "tools/convoy/output/Progress.h"
#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/FileSystem.h"
#include <gmock/gmock.h>

using namespace convoy;
using namespace convoy::tool;
using testing::HasSubstr;
using testing::Not;

namespace {

struct RunTest : tool::test::DriverCase {
  std::string relu() { return model(convoy::test::unaryModel("Relu", {"1", "3"})); }

  std::string npy(const std::vector<float> &values) {
    Tensor tensor(ElementType::F32, {1, static_cast<int64_t>(values.size())});
    for (size_t i = 0; i < values.size(); ++i) {
      tensor.setDouble(static_cast<int64_t>(i), values[i]);
    }
    return folder.write("x.npy", io::encodeNpy(tensor));
  }

  /// Returns a model with one Relu, Neg or Abs of its input per output.
  std::string outputsNamed(const std::vector<std::string> &names) {
    onnx::ModelProto proto = convoy::test::unaryModel("Relu", {"1", "3"});
    onnx::GraphProto &graph = *proto.mutable_graph();
    graph.clear_node();
    graph.clear_output();
    const char *const ops[] = {"Relu", "Neg", "Abs"};
    for (size_t i = 0; i < names.size(); ++i) {
      onnx::NodeProto &node = *graph.add_node();
      node.set_op_type(ops[i % 3]);
      node.add_input(graph.input(0).name());
      node.add_output(names[i]);
      convoy::test::setType(*graph.add_output(), names[i], onnx::TensorProto::FLOAT, {"1", "3"});
    }
    return model(proto, "named.onnx");
  }

  float first(const std::string &file) {
    llvm::Expected<Tensor> tensor = io::readNpy(folder.file(file));
    EXPECT_TRUE(bool(tensor)) << file;
    return tensor ? tensor->data<float>()[0] : 0;
  }

  /// Returns a BMP file of one pixel with 24 bits.
  static std::string pixel() {
    std::string file("BM", 2);
    for (uint32_t word : {58U, 0U, 54U, 40U, 1U, 1U, 1U | 24U << 16, 0U, 4U, 0U, 0U, 0U, 0U, 0U}) {
      file.append(reinterpret_cast<const char *>(&word), sizeof(word));
    }
    return file;
  }

  /// Returns a model of an image with the classes of ImageNet. `op` reads the image.
  std::string imagenet(const std::string &op) {
    onnx::ModelProto proto = convoy::test::unaryModel(op, {"1", "3", "8", "8"});
    onnx::GraphProto &graph = *proto.mutable_graph();
    std::string last = graph.output(0).name();
    graph.clear_output();
    onnx::NodeProto &node = *graph.add_node();
    node.set_op_type("Slice");
    for (const std::string &input : {last, std::string("starts"), std::string("ends")}) {
      node.add_input(input);
    }
    node.add_output("scores");
    convoy::test::setType(*graph.add_output(), "scores", onnx::TensorProto::FLOAT, {"1", "1000"});
    return model(proto, "imagenet.onnx");
  }
};

TEST_F(RunTest, OutputsWithEqualFileNamesKeepTheirOwnFiles) {
  std::string path = outputsNamed({"out/0", "out:0", "Out_0"});
  EXPECT_EQ(convoy({"run", path, "--input", npy({-1, 2, 3}), "-o", folder.file("out")}), kDone)
      << err;
  EXPECT_EQ(first("out/out_0_0.npy"), 0); // Relu
  EXPECT_EQ(first("out/out_0_1.npy"), 1); // Neg
  EXPECT_EQ(first("out/Out_0_2.npy"), 1); // Abs
  EXPECT_THAT(out, HasSubstr("wrote " + folder.file("out") + "/out_0_0.npy\n"));
}

TEST_F(RunTest, ANewNameIsNoNameOfTheModel) {
  std::string path = outputsNamed({"a/b", "a:b", "a_b_0"});
  EXPECT_EQ(convoy({"run", path, "--input", npy({-1, 2, 3}), "-o", folder.file("out")}), kDone)
      << err;
  EXPECT_EQ(first("out/a_b_0_0.npy"), 0);
  EXPECT_EQ(first("out/a_b_1.npy"), 1);
  EXPECT_EQ(first("out/a_b_0.npy"), 1);
}

TEST_F(RunTest, WarnsOfAnotherNumberOfNames) {
  std::string names = folder.write("names.txt", "background\ncat\ndog\nfox\n");
  EXPECT_EQ(convoy({"run", relu(), "--input", npy({1, 2, 3}), "--class-names", names}), kDone);
  EXPECT_EQ(err, "warning: --class-names has 4 lines, output 'y' has 3 classes, so names may be "
                 "wrong or missing; use the file of the model's training (a background class takes "
                 "one line)\n");
  std::string right = folder.write("right.txt", "cat\ndog\nfox\n");
  EXPECT_EQ(convoy({"run", relu(), "--input", npy({1, 2, 3}), "--class-names", right}), kDone);
  EXPECT_EQ(err, "");
  EXPECT_EQ(convoy({"run", relu(), "--input", npy({1, 2, 3}), "--class-names", "none.txt"}),
            kUserError);
  EXPECT_THAT(err, HasSubstr("error: --class-names: "));
}

TEST_F(RunTest, TimesHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(durationText(7.95e-8), "79.5 ns");
  EXPECT_EQ(durationText(2.1e-6), "2.1 us");
  EXPECT_EQ(durationText(9.996e-4), "1 ms");
  EXPECT_EQ(durationText(0.0251), "25.1 ms");
  EXPECT_EQ(durationText(0.9999), "1.00 s");
}

TEST_F(RunTest, SaysWhichRunTheTimeIsOf) {
  EXPECT_EQ(convoy({"run", relu(), "--input=random"}), kDone) << err;
  EXPECT_THAT(out, testing::ContainsRegex("ran model on host in [0-9.]+ .?s \\(median of [0-9]+ "
                                          "runs; the first took [0-9.]+ .?s\\), 1 thread\n"));
  EXPECT_EQ(convoy({"run", relu(), "--input=random", "--target=reference"}), kDone) << err;
  EXPECT_THAT(out, testing::ContainsRegex("ran model on reference in [0-9.]+ .?s \\(first run\\)"));
  EXPECT_EQ(convoy({"run", relu(), "--input=random", "--json"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("\"median_seconds\": "));
}

TEST_F(RunTest, RunsACompiledLibrary) {
  ASSERT_EQ(convoy({"compile", relu(), "-o", folder.file("lib")}), kDone) << err;
  std::string library = folder.file("lib/model.so");
  EXPECT_EQ(convoy({"run", library, "--input", npy({-1, 2, 3})}), kDone) << err;
  EXPECT_THAT(out, testing::StartsWith("y: float 1x3\n  0 2 3\nran model on host in "));
  EXPECT_EQ(convoy({"run", library}), kUserError);
  EXPECT_THAT(err, HasSubstr("error: no data for input 'x' (float 1x3); "));
  EXPECT_EQ(convoy({"run", library, "--input", npy({1, 2})}), kUserError);
  EXPECT_THAT(err, HasSubstr("1x3"));
  EXPECT_EQ(convoy({"run", library, "--input=random", "--threads=2"}), kUserError);
  EXPECT_EQ(err, "error: --threads has no effect on a compiled library; give it to `convoy "
                 "compile`, or give `convoy run` the ONNX model\n");
  EXPECT_EQ(convoy({"run", library, "--data", "x.npy"}), kUserError);
  EXPECT_THAT(err, HasSubstr("error: --data expects an ONNX model, got the library '"));
  EXPECT_EQ(convoy({"check", library}), kUserError);
  EXPECT_THAT(err, HasSubstr("' is a compiled library; `convoy run`"));
}

TEST_F(RunTest, HintsAtThePreprocessingOfImagenet) {
  std::string photo = folder.write("photo.bmp", pixel());
  std::string hint = "add --preprocess imagenet, or --preprocess unit if the values are correct";
  convoy({"run", imagenet("Relu"), "--input", photo});
  EXPECT_THAT(err, HasSubstr(hint));
  convoy({"run", imagenet("Relu"), "--input", photo, "--preprocess=unit"});
  EXPECT_THAT(err, Not(HasSubstr(hint)));
  convoy({"run", imagenet("Relu"), "--input", photo, "--mean=0.5"});
  EXPECT_THAT(err, Not(HasSubstr(hint)));
  convoy({"run", relu(), "--input", photo});
  EXPECT_THAT(err, Not(HasSubstr(hint)));
  // The values of an image that cannot be read are no problem.
  convoy({"run", imagenet("Relu"), "--input", folder.file("missing.bmp")});
  EXPECT_THAT(err, AllOf(HasSubstr("missing.bmp"), Not(HasSubstr(hint))));
}

} // namespace

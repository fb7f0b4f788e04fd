// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests `--calibrate` on images: the scales equal the scales from the tensors that `run --input`
// makes of the same images with the same flags.

#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace convoy;
using namespace convoy::tool;

namespace {

using Flags = std::vector<std::string>;

/// Returns a 24-bit image whose pixels and channels all differ.
std::string bmp(uint32_t width, uint32_t height) {
  std::string file(54, '\0');
  auto put = [&](size_t at, uint32_t value) { std::memcpy(&file[at], &value, 4); };
  file.replace(0, 2, "BM");
  put(10, 54);
  put(14, 40);
  put(18, width);
  put(22, height);
  put(26, 1 | 24 << 16);
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t i = 0; i < 3 * width; ++i) {
      file += static_cast<char>((37 * y * y + 23 * i + 11 * (i % 3)) % 251);
    }
    file.append((4 - 3 * width % 4) % 4, '\0');
  }
  return file;
}

struct CalibrationTest : tool::test::DriverCase {
  CalibrationTest() { image = images.write("photo.bmp", bmp(9, 7)); }

  /// Writes a convolution of an input that may be NCHW or NHWC; each output channel reads all input
  /// channels.
  std::string conv() {
    onnx::ModelProto proto = convoy::test::unaryModel("Conv", {"1", "3", "3", "3"});
    proto.mutable_graph()->mutable_node(0)->add_input("w");
    onnx::TensorProto &weights = *proto.mutable_graph()->add_initializer();
    weights.set_name("w");
    weights.set_data_type(onnx::TensorProto::FLOAT);
    for (int64_t size : {3, 3, 1, 1}) {
      weights.add_dims(size);
    }
    for (float value : {0.9F, -0.1F, 0.2F, 0.3F, 0.5F, -0.8F, -0.4F, 0.6F, 0.1F}) {
      weights.add_float_data(value);
    }
    return model(proto);
  }

  ExitCode convoyWith(Flags arguments, const Flags &flags) {
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return convoy(std::move(arguments));
  }

  /// Returns the quantized graph of the convolution, with its scales.
  std::string calibrated(const std::string &samples, const Flags &flags = {}) {
    EXPECT_EQ(
        convoyWith({"compile", conv(), "--stop-after=quantize", "--calibrate", samples}, flags),
        kDone)
        << err;
    return out;
  }

  /// Writes the tensor that `run` makes of the image into a separate folder.
  std::string prepared(const Flags &flags) {
    std::string identity = folder.write(
        "identity.onnx",
        convoy::test::unaryModel("Identity", {"1", "3", "3", "3"}).SerializeAsString());
    EXPECT_EQ(convoyWith({"run", identity, "--target=reference", "--input", image, "--output",
                          folder.file("prepared")},
                         flags),
              kDone)
        << err;
    return folder.file("prepared");
  }

  convoy::test::TemporaryFolder images;
  std::string image;
};

TEST_F(CalibrationTest, EveryFlagOfImagesGivesTheScalesOfThePreparedTensor) {
  std::string plain = calibrated(images.file("."));
  EXPECT_NE(plain.find("graph.quantize_linear"), std::string::npos) << plain;
  EXPECT_EQ(plain, calibrated(prepared({})));
  for (const Flags &flags :
       {Flags{"--mean", "0.4,0.5,0.6"}, Flags{"--std", "0.25"}, Flags{"--scale", "1"},
        Flags{"--color", "bgr"}, Flags{"--resize", "5"}, Flags{"--crop", "none"},
        Flags{"--image-layout", "nhwc"}, Flags{"--mean", "0.4,0.5,0.6", "--std", "0.2,0.3,0.4"}}) {
    std::string text = calibrated(images.file("."), flags);
    EXPECT_EQ(text, calibrated(prepared(flags))) << flags[0];
    EXPECT_NE(text, plain) << flags[0];
  }
}

TEST_F(CalibrationTest, RunUsesTheFlagsForSamplesToo) {
  Flags flags{"--mean", "0.4,0.5,0.6", "--std", "0.2,0.3,0.4"};
  std::string input = prepared(flags) + "/y.npy";
  auto outputOf = [&](const std::string &samples, const Flags &given) {
    EXPECT_EQ(convoyWith({"run", conv(), "--target=reference", "--input", input, "--calibrate",
                          samples, "--output", folder.file("out")},
                         given),
              kDone)
        << err;
    auto buffer = llvm::MemoryBuffer::getFile(folder.file("out/y.npy"));
    return buffer ? (*buffer)->getBuffer().str() : "";
  };
  std::string expected = outputOf(folder.file("prepared"), {});
  EXPECT_NE(expected, "");
  EXPECT_EQ(outputOf(images.file("."), flags), expected);
  EXPECT_NE(outputOf(images.file("."), {}), expected);
}

TEST_F(CalibrationTest, EveryVerbPassesTheFlagsOn) {
  for (const Flags &verb : {Flags{"compile", conv(), "-o", folder.file("out")},
                            Flags{"run", conv(), "--input", "random"}, Flags{"check", conv()},
                            Flags{"explain", conv(), "--target=abstract"},
                            Flags{"sweep", conv(), "--target=abstract", "--pes=4"}}) {
    EXPECT_EQ(convoyWith(verb, {"--calibrate", images.file("."), "--mean", "1,2"}), kUserError)
        << verb[0];
    EXPECT_EQ(
        err.find("error: --calibrate: --mean has 2 values, expected 1 or 3, one per channel\n"), 0U)
        << verb[0] << ": " << err;
  }
}

TEST_F(CalibrationTest, AModelWithoutLayersIsAnError) {
  std::string relu = model(convoy::test::unaryModel("Relu", {"1", "3", "3", "3"}));
  EXPECT_EQ(convoy({"compile", relu, "--stop-after=quantize", "--calibrate", images.file(".")}),
            kUserError);
  EXPECT_EQ(err, "error: --calibrate: the model has no float convolution or matmul with constant "
                 "weights, so there is nothing to quantize; omit --calibrate\n");
}

TEST_F(CalibrationTest, FlagsOfImagesWithoutImagesAreErrors) {
  EXPECT_EQ(convoy({"compile", conv(), "--mean", "0.5"}), kUserError);
  EXPECT_EQ(err, "error: --mean: expects images, and no flag names an image; add --calibrate "
                 "or --input\nsee `convoy compile --help`\n");
  EXPECT_EQ(convoy({"explain", conv(), "--target=abstract", "--resize", "5"}), kUserError);
  EXPECT_EQ(err, "error: --resize: expects images, and no flag names an image; add "
                 "--calibrate\nsee `convoy explain --help`\n");
  EXPECT_EQ(convoy({"sweep", conv(), "--target=abstract", "--color", "bgr"}), kUserError);
  EXPECT_EQ(err, "error: --color: expects images, and no flag names an image; add "
                 "--calibrate\nsee `convoy sweep --help`\n");
}

} // namespace

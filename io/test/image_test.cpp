// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests resizing against values computed by hand, the decoders, and the conversion to tensors.

#include "io/ImageInput.h"
#include "io/test/TestModel.h"
#include <cstddef>
#include <cstdio>
#include <gtest/gtest.h>
#include <jpeglib.h>
#include <png.h>

using namespace convoy;
using namespace convoy::io;

namespace {

Image gray(int64_t width, int64_t height, std::vector<uint8_t> pixels) {
  return {width, height, 1, std::move(pixels)};
}

using Bytes = std::vector<uint8_t>;

TEST(ImageResize, ShrinksUnderATriangleOfTwoOutputPixels) {
  // Centers 1 and 3, half width 2: weights 3/4 3/4 1/4 and 1/4 3/4 3/4, over
  // their sum 7/4: 125 / 1.75 = 71.4 and 205 / 1.75 = 117.1.
  EXPECT_EQ(resize(gray(4, 1, {0, 100, 200, 40}), {2, 1}).pixels, (Bytes{71, 117}));
  EXPECT_EQ(resize(gray(1, 4, {0, 100, 200, 40}), {1, 2}).pixels, (Bytes{71, 117}));
}

TEST(ImageResize, EnlargesBetweenTwoPixels) {
  EXPECT_EQ(resize(gray(2, 1, {0, 100}), {4, 1}).pixels, (Bytes{0, 25, 75, 100}));
  EXPECT_EQ(resize(gray(1, 2, {0, 100}), {1, 4}).pixels, (Bytes{0, 25, 75, 100}));
}

TEST(ImageResize, RoundsBetweenThePasses) {
  Image source = gray(2, 2, {0, 6, 0, 0});
  // Rows: 6 * 0.25 = 1.5 rounds to 2. Columns: 2 * 0.75 = 1.5 rounds to 2; in
  // one step 6 * 0.25 * 0.75 = 1.125 would round to 1.
  EXPECT_EQ(resize(source, {4, 4}).at(1, 1, 0), 2);
}

TEST(ImageResize, KeepsAnImageOfTheSameSize) {
  Bytes pixels{9, 8, 7, 6, 5, 4};
  EXPECT_EQ(resize(gray(3, 2, pixels), {3, 2}).pixels, pixels);
}

TEST(Image, CropsTheMiddle) {
  Image source = gray(4, 3, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
  EXPECT_EQ(cropCenter(source, {2, 1}).pixels, (Bytes{11, 12}));
  // If the difference of the widths is odd, the crop drops one more column on the right.
  EXPECT_EQ(cropCenter(source, {3, 3}).pixels, (Bytes{0, 1, 2, 10, 11, 12, 20, 21, 22}));
}

TEST(Image, WeighsColorsForGray) {
  Image source{4, 1, 3, {255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255}};
  EXPECT_EQ(toGray(source).pixels, (Bytes{255, 76, 150, 29}));
}

/// A 2x2 BMP of 24 bits: red, green over blue, white; rows padded to 8 bytes.
std::string bmp24() {
  std::string file(54, '\0');
  auto put = [&](size_t at, uint32_t value) { std::memcpy(&file[at], &value, 4); };
  file.replace(0, 2, "BM");
  put(10, 54);
  put(14, 40);
  put(18, 2);
  put(22, 2);
  put(26, 1 | 24 << 16);
  for (std::initializer_list<int> row : {std::initializer_list<int>{255, 0, 0, 255, 255, 255, 0, 0},
                                         std::initializer_list<int>{0, 0, 255, 0, 255, 0, 0, 0}}) {
    for (int byte : row) {
      file += static_cast<char>(byte);
    }
  }
  return file;
}

/// A BMP of one pixel with 32 bits, whose three masks define the order of its bytes.
std::string bmp32(uint32_t red, uint32_t green, uint32_t blue, uint32_t pixel) {
  std::string file(70, '\0');
  auto put = [&](size_t at, uint32_t value) { std::memcpy(&file[at], &value, 4); };
  file.replace(0, 2, "BM");
  for (auto [at, value] : std::initializer_list<std::pair<size_t, uint32_t>>{{10, 66},
                                                                             {14, 40},
                                                                             {18, 1},
                                                                             {22, 1},
                                                                             {26, 1 | 32 << 16},
                                                                             {30, 3},
                                                                             {54, red},
                                                                             {58, green},
                                                                             {62, blue},
                                                                             {66, pixel}}) {
    put(at, value);
  }
  return file;
}

/// A BMP of two pixels of 8 bits with a palette of one color, which is green.
std::string bmpWithShortPalette() {
  std::string file(62, '\0');
  auto put = [&](size_t at, uint32_t value) { std::memcpy(&file[at], &value, 4); };
  file.replace(0, 2, "BM");
  for (auto [at, value] : std::initializer_list<std::pair<size_t, uint32_t>>{{10, 58},
                                                                             {14, 40},
                                                                             {18, 2},
                                                                             {22, 1},
                                                                             {26, 1 | 8 << 16},
                                                                             {46, 1},
                                                                             {54, 0xFF00},
                                                                             {58, 0x0100}}) {
    put(at, value);
  }
  return file;
}

const Bytes kFourColors{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255};

TEST(ImageBmp, ReadsRowsFromTheBottom) {
  llvm::Expected<Image> image = decodeImage(bmp24(), "a.bmp");
  ASSERT_TRUE(bool(image));
  EXPECT_EQ(image->pixels, kFourColors);
}

TEST(ImageBmp, ReadsMasksOfTheUsualOrder) {
  llvm::Expected<Image> image = decodeImage(bmp32(0xFF0000, 0xFF00, 0xFF, 0x010203), "a.bmp");
  ASSERT_TRUE(bool(image));
  EXPECT_EQ(image->pixels, (Bytes{1, 2, 3}));
}

TEST(ImageBmp, RejectsMasksOfAnotherOrder) {
  llvm::Expected<Image> image = decodeImage(bmp32(0xFF, 0xFF00, 0xFF0000, 0x010203), "a.bmp");
  ASSERT_FALSE(bool(image));
  EXPECT_EQ(llvm::toString(image.takeError()),
            "'a.bmp': not supported: BMP of 32 bits, compression 3; save it with 8, 24 or 32 bits, "
            "uncompressed");
}

TEST(ImageBmp, ReadsAnIndexBeyondThePaletteAsBlack) {
  llvm::Expected<Image> image = decodeImage(bmpWithShortPalette(), "a.bmp");
  ASSERT_TRUE(bool(image));
  EXPECT_EQ(image->pixels, (Bytes{0, 255, 0, 0, 0, 0}));
}

TEST(ImageBmp, SaysWhatIsBroken) {
  auto errorOf = [](const std::string &bytes) {
    llvm::Expected<Image> image = decodeImage(bytes, "a.bmp");
    return image ? "no error" : llvm::toString(image.takeError());
  };
  std::string file = bmp24();
  EXPECT_EQ(errorOf(file.substr(0, file.size() - 1)), "'a.bmp': BMP: the data is truncated");
  EXPECT_EQ(errorOf(file.substr(0, 20)), "'a.bmp': BMP: the data is truncated");
  file[28] = 16;
  EXPECT_EQ(errorOf(file), "'a.bmp': not supported: BMP of 16 bits, "
                           "compression 0; save it with 8, 24 or 32 bits, uncompressed");
}

std::string encodePng(const Bytes &rgb, uint32_t width, uint32_t height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  png_image_write_to_memory(&image, nullptr, &size, 0, rgb.data(), 0, nullptr);
  std::string bytes(size, '\0');
  png_image_write_to_memory(&image, bytes.data(), &size, 0, rgb.data(), 0, nullptr);
  return bytes;
}

TEST(ImagePng, ReadsRgb) {
  llvm::Expected<Image> image = decodeImage(encodePng(kFourColors, 2, 2), "a.png");
  ASSERT_TRUE(bool(image));
  EXPECT_EQ(image->width, 2);
  EXPECT_EQ(image->pixels, kFourColors);
}

TEST(ImagePng, SaysThatAFileIsTruncated) {
  std::string bytes = encodePng(kFourColors, 2, 2);
  llvm::Expected<Image> image = decodeImage(bytes.substr(0, bytes.size() / 2), "a.png");
  ASSERT_FALSE(bool(image));
  EXPECT_EQ(llvm::toString(image.takeError()), "'a.png': PNG: the data is truncated");
}

std::string encodeJpeg(const Bytes &rgb, unsigned width, unsigned height) {
  jpeg_compress_struct encoder;
  jpeg_error_mgr errors;
  encoder.err = jpeg_std_error(&errors);
  jpeg_create_compress(&encoder);
  unsigned char *bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&encoder, &bytes, &size);
  encoder.image_width = width;
  encoder.image_height = height;
  encoder.input_components = 3;
  encoder.in_color_space = JCS_RGB;
  jpeg_set_defaults(&encoder);
  jpeg_set_quality(&encoder, 100, TRUE);
  jpeg_start_compress(&encoder, TRUE);
  for (unsigned y = 0; y < height; ++y) {
    JSAMPROW row = const_cast<JSAMPROW>(rgb.data() + size_t(y) * width * 3);
    jpeg_write_scanlines(&encoder, &row, 1);
  }
  jpeg_finish_compress(&encoder);
  std::string result(reinterpret_cast<char *>(bytes), size);
  jpeg_destroy_compress(&encoder);
  free(bytes); // NOLINT: libjpeg allocates with malloc
  return result;
}

TEST(ImageJpeg, ReadsAFlatColor) {
  Bytes pixels;
  for (int i = 0; i < 64; ++i) {
    pixels.insert(pixels.end(), {200, 100, 50});
  }
  llvm::Expected<Image> image = decodeImage(encodeJpeg(pixels, 8, 8), "a.jpg");
  ASSERT_TRUE(bool(image));
  EXPECT_EQ(image->height, 8);
  for (size_t i = 0; i < pixels.size(); ++i) {
    EXPECT_NEAR(image->pixels[i], pixels[i], 2);
  }
}

TEST(ImageJpeg, SaysThatAFileIsBroken) {
  llvm::Expected<Image> image = decodeImage("\xff\xd8\xff\xd9", "a.jpg");
  ASSERT_FALSE(bool(image));
  EXPECT_EQ(llvm::toString(image.takeError()).rfind("'a.jpg': JPEG: ", 0), 0u);
}

TEST(ImageJpeg, SaysThatAFileIsTruncated) {
  Bytes pixels(size_t(64) * 64 * 3);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(i * 37 + i / 64);
  }
  std::string bytes = encodeJpeg(pixels, 64, 64);
  ASSERT_TRUE(bool(decodeImage(bytes, "a.jpg")));
  for (size_t kept : {bytes.size() - 2, bytes.size() * 9 / 10, bytes.size() / 2}) {
    llvm::Expected<Image> image = decodeImage(bytes.substr(0, kept), "a.jpg");
    ASSERT_FALSE(bool(image)) << kept;
    EXPECT_EQ(llvm::toString(image.takeError()), "'a.jpg': JPEG: Premature end of JPEG file");
  }
}

// Conversion to tensors.

struct ImageInputTest : ::testing::Test {
  InputInfo input(std::vector<std::string> dims, int32_t type = onnx::TensorProto::FLOAT) {
    model = convoy::test::loaded(convoy::test::unaryModel("Relu", dims, type));
    return dataInputs(*model, {}).front();
  }
  std::string colors() { return folder.write("a.bmp", bmp24()); }

  convoy::test::TemporaryFolder folder;
  std::optional<Model> model; // owns the data that infos point to
};

TEST_F(ImageInputTest, FloatsArePlanarAndFrom0To1) {
  llvm::Expected<Tensor> tensor = readImageInput(colors(), input({"1", "3", "2", "2"}), {});
  ASSERT_TRUE(bool(tensor));
  std::vector<float> expected{1, 0, 0, 1, /*green*/ 0, 1, 0, 1, /*blue*/ 0, 0, 1, 1};
  EXPECT_EQ(std::vector<float>(tensor->data<float>(), tensor->data<float>() + 12), expected);
}

TEST_F(ImageInputTest, PreprocessImagenetNormalizesEachChannel) {
  ImageFlags options;
  options.preprocess = Preprocess::Imagenet;
  llvm::Expected<Tensor> tensor = readImageInput(colors(), input({"1", "3", "2", "2"}), options);
  ASSERT_TRUE(bool(tensor));
  // The first pixel is red.
  EXPECT_NEAR(tensor->data<float>()[0], (1 - 0.485) / 0.229, 1e-6);
  EXPECT_NEAR(tensor->data<float>()[4], (0 - 0.456) / 0.224, 1e-6);
  EXPECT_NEAR(tensor->data<float>()[8], (0 - 0.406) / 0.225, 1e-6);
  options.color = Color::Bgr;
  tensor = readImageInput(colors(), input({"1", "3", "2", "2"}), options);
  ASSERT_TRUE(bool(tensor));
  EXPECT_NEAR(tensor->data<float>()[8], (1 - 0.485) / 0.229, 1e-6);
}

TEST_F(ImageInputTest, PreprocessHasThreeOtherRanges) {
  auto first = [&](Preprocess preprocess, int32_t type = onnx::TensorProto::FLOAT) {
    ImageFlags options;
    options.preprocess = preprocess;
    llvm::Expected<Tensor> tensor =
        readImageInput(colors(), input({"1", "3", "2", "2"}, type), options);
    return tensor ? std::to_string(tensor->asDouble(0)) + " " + std::to_string(tensor->asDouble(4))
                  : llvm::toString(tensor.takeError());
  };
  EXPECT_EQ(first(Preprocess::Symmetric), "1.000000 -1.000000");
  EXPECT_EQ(first(Preprocess::Unit), "1.000000 0.000000");
  EXPECT_EQ(first(Preprocess::Bytes), "255.000000 0.000000");
  EXPECT_EQ(first(Preprocess::Bytes, onnx::TensorProto::INT8), "127.000000 -128.000000");
  EXPECT_EQ(first(Preprocess::Imagenet, onnx::TensorProto::UINT8),
            "--preprocess gives fractions, and the input has integers; use --preprocess bytes, or "
            "--scale, --mean and --std");
}

TEST_F(ImageInputTest, PreprocessImagenetNeedsThreeChannels) {
  ImageFlags options;
  options.preprocess = Preprocess::Imagenet;
  llvm::Expected<Tensor> tensor = readImageInput(colors(), input({"1", "1", "2", "2"}), options);
  ASSERT_FALSE(bool(tensor));
  EXPECT_EQ(llvm::toString(tensor.takeError()), "--preprocess imagenet is about 3 channels, the "
                                                "input has 1; use --preprocess unit");
}

TEST_F(ImageInputTest, MeanAndStdFollowTheChannelOrder) {
  ImageFlags options;
  options.color = Color::Bgr;
  options.scale = {1};
  options.mean = {10, 20, 30};
  options.std = {1, 1, 5};
  llvm::Expected<Tensor> tensor = readImageInput(colors(), input({"1", "2", "2", "3"}), options);
  ASSERT_TRUE(bool(tensor));
  // The first pixel is red: blue 0 - 10, green 0 - 20, red (255 - 30) / 5.
  EXPECT_EQ(tensor->data<float>()[0], -10);
  EXPECT_EQ(tensor->data<float>()[1], -20);
  EXPECT_EQ(tensor->data<float>()[2], 45);
}

TEST_F(ImageInputTest, BytesStayAndInt8IsCentered) {
  llvm::Expected<Tensor> bytes =
      readImageInput(colors(), input({"1", "2", "2", "3"}, onnx::TensorProto::UINT8), {});
  ASSERT_TRUE(bool(bytes));
  EXPECT_EQ(bytes->asInt(0), 255);
  llvm::Expected<Tensor> centered =
      readImageInput(colors(), input({"1", "2", "2", "3"}, onnx::TensorProto::INT8), {});
  ASSERT_TRUE(bool(centered));
  EXPECT_EQ(centered->asInt(0), 127);
  EXPECT_EQ(centered->asInt(1), -128);
}

TEST_F(ImageInputTest, AnOpenSizeTakesTheImages) {
  llvm::Expected<Tensor> tensor = readImageInput(colors(), input({"n", "3", "h", "w"}), {});
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(tensor->shape(), llvm::ArrayRef<int64_t>({1, 3, 2, 2}));
}

TEST_F(ImageInputTest, CropsAfterResizingTheShortSide) {
  // 8 of 9 = floor(8 / 0.875) pixels; 300x200 becomes 14x9.
  Image source = gray(300, 200, Bytes(300 * 200, 7));
  llvm::Expected<Image> image = fitImage(source, {8, 8}, {});
  ASSERT_TRUE(bool(image));
  EXPECT_EQ(image->width, 8);
  EXPECT_EQ(image->height, 8);
}

TEST(ParseResize, ReadsEachForm) {
  for (const char *text : {"auto", "none", "256", "320x240"}) {
    ASSERT_TRUE(parseResize(text)) << text;
    EXPECT_EQ(parseResize(text)->text(), text);
  }
  for (const char *text : {"", "big", "0", "-4", "320x", "x240", "320x0", "3x3x3"}) {
    EXPECT_FALSE(parseResize(text)) << text;
  }
}

TEST_F(ImageInputTest, ResizesTheShortSideOrBothSides) {
  Image source = gray(300, 200, Bytes(300 * 200, 7));
  ImageFlags options;
  options.resize = parseResize("20").value();
  llvm::Expected<Image> image = fitImage(source, {-1, -1}, options);
  ASSERT_TRUE(bool(image));
  EXPECT_EQ(std::pair(image->width, image->height), std::pair(int64_t(30), int64_t(20)));
  options.resize = parseResize("8x16").value();
  image = fitImage(source, {-1, -1}, options);
  ASSERT_TRUE(bool(image));
  EXPECT_EQ(std::pair(image->width, image->height), std::pair(int64_t(8), int64_t(16)));
}

TEST_F(ImageInputTest, ErrorsSayWhichFlagHelps) {
  auto errorOf = [&](const InputInfo &input, const ImageFlags &options) {
    llvm::Expected<Tensor> tensor = readImageInput(colors(), input, options);
    return tensor ? "no error" : llvm::toString(tensor.takeError());
  };
  ImageFlags options;
  EXPECT_EQ(errorOf(input({"1", "5", "2", "2"}), options),
            "input 'x' cannot be an image: its shape 1x5x2x2 has no dimension of 1 or 3 channels");
  EXPECT_EQ(
      errorOf(input({"8", "3", "2", "2"}), options),
      "input 'x' cannot be an image: it is a batch of 8, expected 1; set the batch size to 1");
  options.mean = {1, 2};
  EXPECT_EQ(errorOf(input({"1", "3", "2", "2"}), options),
            "--mean has 2 values, expected 1 or 3, one per channel");
  options = {};
  options.std = {0};
  EXPECT_EQ(errorOf(input({"1", "3", "2", "2"}), options), "--std has a value of 0");
  options = {};
  options.resize = parseResize("none").value();
  EXPECT_EQ(errorOf(input({"1", "3", "4", "4"}), options),
            "'" + folder.file("a.bmp") +
                "': the image has 2x2 pixels after --resize none, the input takes 4x4; use "
                "--resize 4x4");
  options = {};
  options.color = Color::Gray;
  EXPECT_EQ(errorOf(input({"1", "3", "2", "2"}), options),
            "'" + folder.file("a.bmp") + "': --color gray gives 1 channel, the input has 3");
}

} // namespace

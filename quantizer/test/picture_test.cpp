// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which tensors the page shows as pictures, and the pixels of a picture.

#include "convoy/workflow.h"
#include "io/Image.h"
#include "quantizer/report/Picture.h"
#include "llvm/Support/Base64.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace convoy;
using namespace convoy::quantizer;

namespace {

TensorData tensor(const std::vector<int64_t> &shape) {
  std::vector<float> values(static_cast<size_t>(elementCountOf(shape)));
  std::iota(values.begin(), values.end(), 0.0F);
  return tensorOf(shape, std::move(values));
}

/// Returns the image in the text of an <img> element.
io::Image decoded(const std::string &html) {
  llvm::StringRef data = llvm::StringRef(html).split("base64,").second.split('\'').first;
  std::vector<char> bytes;
  llvm::cantFail(llvm::decodeBase64(data, bytes));
  return llvm::cantFail(io::decodeImage(llvm::StringRef(bytes.data(), bytes.size()), "picture"));
}

TEST(PictureTest, ShowsImagesOfBothOrders) {
  io::Image planar = decoded(pictureOf(tensor({1, 3, 2, 4})));
  EXPECT_EQ(planar.width, 4);
  EXPECT_EQ(planar.height, 2);
  EXPECT_EQ(planar.at(0, 0, 0), 0);   // the smallest value
  EXPECT_EQ(planar.at(3, 1, 2), 255); // the largest value
  io::Image interleaved = decoded(pictureOf(tensor({1, 2, 4, 3})));
  EXPECT_EQ(interleaved.width, 4);
  EXPECT_EQ(interleaved.at(0, 0, 2), 22); // the third of 24 values: 2 / 23 of 255
  EXPECT_EQ(interleaved.at(1, 0, 0), 33);
}

TEST(PictureTest, ShowsNothingForOtherTensors) {
  EXPECT_EQ(pictureOf(tensor({1, 16})), "");
  EXPECT_EQ(pictureOf(tensor({1, 8, 4, 4})), "");
  EXPECT_EQ(pictureOf(tensor({16})), "");
  EXPECT_EQ(pictureOf(TensorData()), "");
}

TEST(PictureTest, ReducesLargeImages) {
  EXPECT_EQ(decoded(pictureOf(tensor({1, 1, 200, 100}))).height, 96);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates graph.image_decode: converts decoded pixels to the pixel format of
// the op.

#include "Support/TypedError.h"
#include "reference/Evaluation.h"
#include "reference/ImageFormats.h"

using namespace mlir;

namespace convoy::reference {

/// Returns the luma with the weights of ITU-R 601 in 16-bit fixed point.
/// Pillow, which produced the expected values of the ONNX tests, uses the same
/// arithmetic.
static uint8_t grayOf(const uint8_t *rgb) {
  return static_cast<uint8_t>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
}

static LogicalResult evaluateImageDecode(graph::ImageDecodeOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  llvm::Expected<Image> image = decodeImage(ArrayRef<uint8_t>(input.data<uint8_t>(), input.size()));
  if (!image) {
    return e.error(withPrefix("cannot decode the image: ", image.takeError()));
  }
  bool isGray = op.getFormat() == "Grayscale";
  bool isBgr = op.getFormat() == "BGR";
  Tensor &result = e.allocate(0, {image->height, image->width, isGray ? 1 : 3});
  uint8_t *out = result.mutableData<uint8_t>();
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t pixel = isGray ? i : i / 3;
    int64_t channel = isBgr ? 2 - i % 3 : i % 3;
    const uint8_t *rgb = image->rgb.data() + pixel * 3;
    out[i] = isGray ? grayOf(rgb) : rgb[channel];
  }
  return success();
}

void addImageEvaluators(EvaluatorTable &table) {
  table.add<graph::ImageDecodeOp, evaluateImageDecode>();
}

} // namespace convoy::reference

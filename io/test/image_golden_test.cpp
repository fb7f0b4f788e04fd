// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the bytes of a resized photograph with Pillow's result, from which the golden
// inputs were made. The argument is the folder that contains images/ and testdata/.

#include "io/ImageInput.h"
#include "io/OnnxData.h"
#include "llvm/Support/raw_ostream.h"

using namespace convoy;
using namespace convoy::io;

static int fail(const llvm::Twine &text) {
  llvm::errs() << "error: " << text << "\n";
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    return fail("expected the folder of the shared models");
  }
  std::string models = argv[1];
  for (const auto &[file, test] :
       {std::pair("chelsea.png", "chelsea"), std::pair("cat_mxnetjs_256x256.png", "cat")}) {
    llvm::Expected<Image> image = readImage(models + "/images/" + file);
    llvm::Expected<Tensor> golden =
        readOnnxTensor(models + "/testdata/mobilenet_v1_1.0_224_uint8_qdq/" + test + "/input_0.pb");
    if (!image || !golden) {
      return fail(llvm::toString(llvm::joinErrors(image.takeError(), golden.takeError())));
    }
    llvm::Expected<Image> fitted = fitImage(*image, {224, 224}, {});
    if (!fitted) {
      return fail(llvm::toString(fitted.takeError()));
    }
    int64_t wrong = 0;
    for (int64_t i = 0; i < golden->size(); ++i) {
      wrong += fitted->pixels[i] != golden->data<uint8_t>()[i];
    }
    if (wrong > 0) {
      return fail(llvm::Twine(wrong) + " bytes of " + file + " differ from Pillow's");
    }
  }
  llvm::outs() << "both images equal Pillow's, byte for byte\n";
  return 0;
}

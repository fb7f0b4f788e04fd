// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, compiles and runs a model in one expression, on an input of ones. With a folder of
// samples, the expression also quantizes the model to 8 bits.
//
//   chain model.onnx [samples]

#include <convoy/workflow.h>
#include <cstdio>

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: chain model.onnx [samples]\n");
    return 1;
  }
  convoy::Workflow model = convoy::load(argv[1]).target("host").threads(1);
  convoy::TensorData ones = convoy::tensorOf({1, 1, 16, 16}, std::vector<float>(256, 1.0F));

  // A step returns a new object, so `model` is the start of both expressions.
  convoy::Result<convoy::NamedTensors> outputs =
      argc > 2 ? model.calibrate(argv[2]).compile().run({{"image", ones}})
               : model.compile().run({{"image", ones}});

  for (const convoy::Problem &problem : outputs.problems().all()) {
    std::fprintf(stderr, "%s\n", problem.text.c_str());
  }
  if (!outputs) {
    return 1;
  }
  const auto *scores = static_cast<const float *>(outputs->at("scores").bytes.get());
  std::printf("horizontal %.3f, vertical %.3f\n", scores[0], scores[1]);
  return 0;
}

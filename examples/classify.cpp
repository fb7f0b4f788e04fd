// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses a compiled model from C++ with a wrapper that owns the workspace. Classifies each
// image on its own thread; the threads share the model's code and weights.
//
//   classify image.pgm...

#include "stripes.h"

#include <convoy/convoy.hpp>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Stripes = convoy::Model<stripes_run, STRIPES_WORKSPACE_BYTES, stripes_error_text>;
using Image = convoy::Buffer<float, STRIPES_INPUT_0_ELEMENTS>;
using Scores = convoy::Buffer<float, STRIPES_OUTPUT_0_ELEMENTS>;

/// Reads a gray image of the model's input size and scales its pixels to 0 to 1.
bool readImage(const char *path, Image &image) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  std::size_t width = 0;
  std::size_t height = 0;
  int limit = 0;
  file >> magic >> width >> height >> limit;
  if (magic != "P5" || width * height != image.size() || limit != 255 || file.get() != '\n') {
    return false;
  }
  for (float &pixel : image) {
    pixel = static_cast<float>(file.get()) / 255.0f;
  }
  return !file.fail();
}

std::string classify(const char *path) {
  Image image;
  Scores scores;
  if (!readImage(path, image)) {
    return "cannot read a gray PGM of " + std::to_string(image.size()) + " pixels";
  }
  Stripes model;
  if (int code = model.run({image.data()}, {scores.data()}); code != CONVOY_OK) {
    return model.errorText(code);
  }
  return scores[0] > scores[1] ? "horizontal" : "vertical";
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<const char *> paths(argv + 1, argv + argc);
  std::vector<std::string> answers(paths.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    threads.emplace_back([&answers, &paths, i] { answers[i] = classify(paths[i]); });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::printf("%s: %s\n", paths[i], answers[i].c_str());
  }
  return 0;
}

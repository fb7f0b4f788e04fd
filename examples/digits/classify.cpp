// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies images with the compiled model through the C++ wrapper, each image in
// a thread. Every thread owns a workspace; the threads share code and weights.
//
//   classify image.pgm...

// begin snippet
#include "digits.h"
#include <algorithm>
#include <convoy/convoy.hpp>

using Digits = convoy::Model<digits_run, DIGITS_WORKSPACE_BYTES, digits_error_text>;
using Image = convoy::Buffer<float, DIGITS_INPUT_0_ELEMENTS>;
using Scores = convoy::Buffer<float, DIGITS_OUTPUT_0_ELEMENTS>;

/// Returns the most likely digit, or -1 if the model refuses to run.
static int classify(const Image &image) {
  Digits model; // owns the workspace
  Scores scores;
  if (model.run({image.data()}, {scores.data()}) != CONVOY_OK) {
    return -1;
  }
  return static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}
// end snippet

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

/// Reads a gray image of 8 x 8 pixels into numbers from 0 to 1.
static bool readImage(const char *path, Image &image) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  int width = 0;
  int height = 0;
  int limit = 0;
  file >> magic >> width >> height >> limit;
  if (magic != "P5" || width != 8 || height != 8 || limit != 255 || file.get() != '\n') {
    return false;
  }
  for (float &pixel : image) {
    pixel = static_cast<float>(file.get()) / 255.0f;
  }
  return !file.fail();
}

int main(int argc, char **argv) {
  std::vector<Image> images(static_cast<std::size_t>(argc - 1));
  std::vector<int> digits(images.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (!readImage(argv[i + 1], images[i])) {
      std::fprintf(stderr, "%s: not a gray PGM of 8 x 8 pixels\n", argv[i + 1]);
      return 1;
    }
  }
  for (std::size_t i = 0; i < images.size(); ++i) {
    threads.emplace_back([&digits, &images, i] { digits[i] = classify(images[i]); });
  }
  for (std::size_t i = 0; i < images.size(); ++i) {
    threads[i].join();
    std::printf("%s: %d\n", argv[i + 1], digits[i]);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks and times the convolutions that bench/linalg/run generates: variants.inc lists the
// functions from linalg, chain1.h and chain9.h are models of 1 and 9 convolutions compiled by
// Convoy. A round times every function once, in turn. Prints one line of JSON per function: the
// times in seconds of one convolution, and the largest error.

#include "chain1.h"
#include "chain9.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <immintrin.h>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr int kSize = 56, kPadded = kSize + 2, kChannels = 64, kTaps = 9, kLayers = 9, kBlock = 32;
constexpr double kFlops = 2.0 * kSize * kSize * kChannels * kChannels * kTaps;

/// Memory at a multiple of a page.
template <typename T>
T *allocate(size_t elements) {
  size_t bytes = (elements * sizeof(T) + 4095) / 4096 * 4096;
  void *memory = std::aligned_alloc(4096, bytes);
  std::memset(memory, 0, bytes);
  return static_cast<T *>(memory);
}

using LinalgConv = void (*)(float *input, float *weights, float *output);

/// The weights of the layers in the orders of ONNX (OIHW), of linalg (HWIO) and in blocks of
/// channels.
struct Weights {
  std::vector<float *> onnx, named, packed;
};

int tap(int i, int row, int column) { return i * kTaps + row * 3 + column; }

Weights readWeights(std::ifstream &file) {
  Weights weights;
  size_t elements = size_t(kChannels) * kChannels * kTaps;
  for (int layer = 0; layer < kLayers; ++layer) {
    float *onnx = allocate<float>(elements), *named = allocate<float>(elements),
          *packed = allocate<float>(elements);
    file.read(reinterpret_cast<char *>(onnx), std::streamsize(elements * sizeof(float)));
    for (int o = 0; o < kChannels; ++o) {
      for (int i = 0; i < kChannels; ++i) {
        for (int t = 0; t < kTaps; ++t) {
          float value = onnx[tap(o * kChannels + i, t / 3, t % 3)];
          named[(t * kChannels + i) * kChannels + o] = value;
          packed[((o / kBlock * kTaps + t) * kChannels + i) * kBlock + o % kBlock] = value;
        }
      }
    }
    weights.onnx.push_back(onnx);
    weights.named.push_back(named);
    weights.packed.push_back(packed);
  }
  return weights;
}

/// Index of a pixel's first channel in a padded NHWC image.
size_t padded(int y, int x) { return (size_t(y + 1) * kPadded + size_t(x + 1)) * kChannels; }

/// The convolution as plain loops over a padded image, in double.
std::vector<double> reference(const float *image, const float *weights) {
  std::vector<double> result(size_t(kPadded) * kPadded * kChannels);
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) {
      for (int o = 0; o < kChannels; ++o) {
        double sum = 0;
        for (int t = 0; t < kTaps; ++t) {
          for (int i = 0; i < kChannels; ++i) {
            sum += double(image[padded(y + t / 3 - 1, x + t % 3 - 1) + i]) *
                   weights[tap(o * kChannels + i, t / 3, t % 3)];
          }
        }
        result[padded(y, x) + o] = sum;
      }
    }
  }
  return result;
}

/// The largest difference of two padded images, relative to the largest number.
template <typename A, typename B>
double errorOf(const A *actual, const B *expected) {
  double error = 0, largest = 0;
  for (size_t i = 0; i < size_t(kPadded) * kPadded * kChannels; ++i) {
    error = std::max(error, std::fabs(double(actual[i]) - double(expected[i])));
    largest = std::max(largest, std::fabs(double(expected[i])));
  }
  return error / largest;
}

double seconds(const std::function<void()> &work) {
  auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

constexpr int kChains = 28;

/// Executes independent chains of FMAs, which only the FMA ports limit.
__m512 runChains(long steps) {
  __m512 sums[kChains];
  for (__m512 &sum : sums) {
    sum = _mm512_set1_ps(1.0f);
  }
  __m512 factor = _mm512_set1_ps(0.999f);
  for (long step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (__m512 &sum : sums) {
      sum = _mm512_fmadd_ps(sum, factor, factor);
    }
  }
  for (int i = 1; i < kChains; ++i) {
    sums[0] = _mm512_add_ps(sums[0], sums[i]);
  }
  return sums[0];
}

/// The time of the arithmetic of one convolution at the FMA peak.
double peakSeconds() {
  constexpr long kSteps = 20000;
  volatile float sink = 0;
  double time = seconds([&] { sink = _mm512_reduce_add_ps(runChains(kSteps)); });
  return time * kFlops / (2.0 * 16 * kChains * kSteps);
}

struct Measured {
  std::string name;
  double error;
  std::function<double()> time; // of one convolution
  std::vector<double> times;
};

/// A chain of 9 convolutions from linalg. Two padded images take turns as input and output.
class LinalgChain {
public:
  LinalgChain(LinalgConv conv, const std::vector<float *> &weights, const float *input)
      : conv(conv), weights(weights),
        images{allocate<float>(kElements), allocate<float>(kElements)} {
    std::memcpy(first, input, kElements * sizeof(float));
  }
  const float *run(int layers) {
    const float *from = first;
    for (int i = 0; i < layers; ++i) {
      conv(const_cast<float *>(from), weights[size_t(i)], images[i % 2]);
      from = images[i % 2];
    }
    return from;
  }

private:
  static constexpr size_t kElements = size_t(kPadded) * kPadded * kChannels;
  LinalgConv conv;
  std::vector<float *> weights;
  float *first = allocate<float>(kElements), *images[2];
};

/// Converts NCHW to a padded NHWC image.
void toPadded(const float *planar, float *image) {
  for (int c = 0; c < kChannels; ++c) {
    for (int p = 0; p < kSize * kSize; ++p) {
      image[padded(p / kSize, p % kSize) + size_t(c)] = planar[c * kSize * kSize + p];
    }
  }
}

} // namespace

extern "C" {
#define VARIANT(name, layout) void name(float *, float *, float *);
#include "variants.inc"
#undef VARIANT
}

namespace {

class Comparison {
public:
  bool read(const char *path) {
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char *>(input), std::streamsize(kElements * sizeof(float)));
    weights = readWeights(file);
    toPadded(input, image);
    expected = reference(image, weights.onnx[0]);
    return bool(file);
  }

  void addConvoy() {
    runChain1();
    toPadded(output, result);
    // The difference leaves out the reorders of the input and the output.
    auto time = [this] {
      return (seconds([this] { runChain9(); }) - seconds([this] { runChain1(); })) / (kLayers - 1);
    };
    all.push_back({"convoy", errorOf(result, expected.data()), time, {}});
  }

  void addLinalg(const char *name, LinalgConv conv, const std::vector<float *> &layers) {
    auto chain = std::make_shared<LinalgChain>(conv, layers, image);
    double error = errorOf(chain->run(1), expected.data());
    auto time = [chain] { return seconds([&] { chain->run(kLayers); }) / kLayers; };
    all.push_back({name, error, time, {}});
  }

  /// The copy that a caller needs whose image is not padded.
  void addCopy() {
    auto time = [this] {
      return seconds([this] {
        for (int y = 0; y < kSize; ++y) {
          size_t row = size_t(kSize) * kChannels;
          std::memcpy(result + padded(y, 0), output + size_t(y) * row, row * sizeof(float));
        }
      });
    };
    all.push_back({"padded copy", 0, time, {}});
    all.push_back({"FMA peak", 0, peakSeconds, {}});
  }

  /// Later layers have other weights, so the chains must agree too.
  bool doChainsAgree() {
    runChain9();
    toPadded(output, result);
    LinalgChain chain(linalg_14x32, weights.named, image);
    double error = errorOf(result, chain.run(kLayers));
    std::fprintf(stderr, "chains of %d convolutions differ by %.1e\n", kLayers, error);
    return error < 1e-4;
  }

  void measure(int rounds) {
    for (int round = -1; round < rounds; ++round) { // the first round warms up
      for (Measured &each : all) {
        double time = each.time();
        if (round >= 0) {
          each.times.push_back(time);
        }
      }
    }
  }

  void print() const {
    for (const Measured &each : all) {
      std::printf("{\"name\": \"%s\", \"error\": %.2e, \"seconds\": [", each.name.c_str(),
                  each.error);
      for (size_t i = 0; i < each.times.size(); ++i) {
        std::printf("%s%.9f", i ? ", " : "", each.times[i]);
      }
      std::printf("]}\n");
    }
  }

  Weights weights;

private:
  void runChain1() {
    chain1_inputs in = {input};
    chain1_outputs out = {output};
    check(chain1_run(&in, &out, workspace1));
  }
  void runChain9() {
    chain9_inputs in = {input};
    chain9_outputs out = {output};
    check(chain9_run(&in, &out, workspace9));
  }
  static void check(int code) {
    if (code != 0) {
      std::fprintf(stderr, "the model returned %d\n", code);
      std::exit(1);
    }
  }

  static constexpr size_t kElements = size_t(kSize) * kSize * kChannels;
  static constexpr size_t kPaddedElements = size_t(kPadded) * kPadded * kChannels;
  float *input = allocate<float>(kElements), *output = allocate<float>(kElements);
  float *image = allocate<float>(kPaddedElements), *result = allocate<float>(kPaddedElements);
  unsigned char *workspace1 = allocate<unsigned char>(CHAIN1_WORKSPACE_BYTES);
  unsigned char *workspace9 = allocate<unsigned char>(CHAIN9_WORKSPACE_BYTES);
  std::vector<double> expected;
  std::vector<Measured> all;
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: compare DATA ROUNDS\n");
    return 1;
  }
  Comparison comparison;
  if (!comparison.read(argv[1])) {
    std::fprintf(stderr, "cannot read '%s'\n", argv[1]);
    return 1;
  }
  comparison.addConvoy();
#define VARIANT(name, layout) comparison.addLinalg(#name, name, comparison.weights.layout);
#include "variants.inc"
#undef VARIANT
  comparison.addCopy();
  if (!comparison.doChainsAgree()) {
    return 1;
  }
  comparison.measure(std::atoi(argv[2]));
  comparison.print();
  return 0;
}

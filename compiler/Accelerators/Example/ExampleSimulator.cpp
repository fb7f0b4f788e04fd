// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the example device's commands. Sums are accumulated in double and rounded once to the
// device's type, as in the reference, so both produce the same bits.

#include "Accelerators/Example/Commands.h"
#include "Support/SmallFloat.h"
#include "convoy/convoy.h"
#include <algorithm>
#include <cstring>

namespace convoy::accelerators::example {
namespace {

/// `T` is float or Half.
template <typename T>
class ExampleSimulator : public Simulator {
protected:
  int execute(llvm::ArrayRef<uint8_t> commands, llvm::MutableArrayRef<uint8_t> memory) override {
    bytes = memory;
    isBroken = false;
    while (commands.size() >= 2 * sizeof(int32_t) && !isBroken) {
      int32_t head[2];
      std::memcpy(head, commands.data(), sizeof head);
      size_t length = static_cast<size_t>(std::max(head[0], 0)) * sizeof(int32_t);
      if (length > commands.size() || !dispatch(head[1], commands.take_front(length))) {
        return fail(CONVOY_ERROR_PROGRAM, "a command has an unknown code or a wrong length");
      }
      commands = commands.drop_front(length);
    }
    return isBroken ? fail(CONVOY_ERROR_PROGRAM, "a command accesses invalid memory") : CONVOY_OK;
  }

private:
  template <typename Words>
  bool run(llvm::ArrayRef<uint8_t> command, void (ExampleSimulator::*method)(const Words &)) {
    Words words;
    if (command.size() != sizeof words) {
      return false;
    }
    std::memcpy(&words, command.data(), sizeof words);
    (this->*method)(words);
    return true;
  }

  bool dispatch(int32_t code, llvm::ArrayRef<uint8_t> command) {
    switch (code) {
    case kConv:
      return run(command, &ExampleSimulator::conv);
    case kPool:
      return run(command, &ExampleSimulator::pool);
    case kEltwise:
      return run(command, &ExampleSimulator::eltwise);
    case kCopy:
      return run(command, &ExampleSimulator::copy);
    default:
      return false;
    }
  }

  /// Returns `count` elements at an address. If they are outside of the memory, returns null and
  /// sets `isBroken`.
  T *floats(int64_t address, int64_t count) {
    int64_t size = static_cast<int64_t>(bytes.size());
    bool isInside = address >= 0 && count >= 0 && address % int64_t(sizeof(T)) == 0 &&
                    address <= size && count <= (size - address) / int64_t(sizeof(T));
    isBroken |= !isInside;
    return isInside ? reinterpret_cast<T *>(bytes.data() + address) : nullptr;
  }

  static T clamped(double sum, const ClampWords &clamp) {
    return static_cast<T>(std::clamp<double>(sum, clamp.low, clamp.high));
  }

  /// Calls fn(row, column, tap) for each tap of the window at (y, x) that lies inside the input.
  template <typename Fn>
  static void forEachTap(const WindowWords &w, int32_t y, int32_t x, Fn fn) {
    for (int32_t kh = 0; kh < w.kernelHeight; ++kh) {
      for (int32_t kw = 0; kw < w.kernelWidth; ++kw) {
        int32_t row = y * w.strideHeight + kh - w.padTop;
        int32_t column = x * w.strideWidth + kw - w.padLeft;
        if (row >= 0 && row < w.height && column >= 0 && column < w.width) {
          fn(row, column, kh * w.kernelWidth + kw);
        }
      }
    }
  }

  void conv(const ConvWords &words) {
    const WindowWords &w = words.window;
    int64_t plane = int64_t(w.height) * w.width;
    int64_t taps = int64_t(w.kernelHeight) * w.kernelWidth;
    const T *input = floats(words.input, w.batch * w.channels * plane);
    const T *weight = floats(words.weight, int64_t(w.outputs) * w.channels * taps);
    const T *bias = words.bias < 0 ? nullptr : floats(words.bias, w.outputs);
    int64_t results = int64_t(w.batch) * w.outputs * w.outHeight * w.outWidth;
    T *result = floats(words.result, results);
    for (int64_t i = 0; i < results && !isBroken; ++i) {
      auto x = static_cast<int32_t>(i % w.outWidth);
      auto y = static_cast<int32_t>(i / w.outWidth % w.outHeight);
      int64_t output = i / w.outWidth / w.outHeight % w.outputs;
      int64_t image = i / w.outWidth / w.outHeight / w.outputs * w.channels;
      double sum = bias ? double(bias[output]) : 0;
      for (int64_t c = 0; c < w.channels; ++c) {
        const T *from = input + (image + c) * plane;
        const T *factors = weight + (output * w.channels + c) * taps;
        forEachTap(w, y, x, [&](int32_t row, int32_t column, int32_t tap) {
          sum += double(from[row * w.width + column]) * double(factors[tap]);
        });
      }
      result[i] = clamped(sum, words.clamp);
    }
  }

  void pool(const PoolWords &words) {
    const WindowWords &w = words.window;
    int64_t plane = int64_t(w.height) * w.width;
    const T *input = floats(words.input, int64_t(w.batch) * w.channels * plane);
    int64_t results = int64_t(w.batch) * w.channels * w.outHeight * w.outWidth;
    T *result = floats(words.result, results);
    for (int64_t i = 0; i < results && !isBroken; ++i) {
      auto x = static_cast<int32_t>(i % w.outWidth);
      auto y = static_cast<int32_t>(i / w.outWidth % w.outHeight);
      const T *from = input + i / w.outWidth / w.outHeight * plane;
      double sum = 0;
      int32_t count = 0;
      float largest = 0;
      forEachTap(w, y, x, [&](int32_t row, int32_t column, int32_t) {
        float value = from[row * w.width + column];
        largest = count == 0 || value > largest ? value : largest;
        sum += value;
        ++count;
      });
      double divisor = words.countsPadding ? w.kernelHeight * w.kernelWidth : count;
      result[i] = static_cast<T>(words.isMean ? sum / divisor : double(largest));
    }
  }

  void eltwise(const EltwiseWords &words) {
    const T *lhs = floats(words.lhs, words.elements);
    const T *rhs = floats(words.rhs, words.elements);
    T *result = floats(words.result, words.elements);
    for (int32_t i = 0; i < words.elements && !isBroken; ++i) {
      double a = lhs[i], b = rhs[i];
      result[i] = clamped(words.isProduct ? a * b : a + b, words.clamp);
    }
  }

  void copy(const CopyWords &words) {
    int64_t count = words.bytes / int64_t(sizeof(T));
    const T *from = floats(words.from, count);
    T *to = floats(words.to, count);
    if (!isBroken) {
      std::memmove(to, from, static_cast<size_t>(count) * sizeof(T));
    }
  }

  llvm::MutableArrayRef<uint8_t> bytes;
  bool isBroken = false;
};

} // namespace

std::unique_ptr<Simulator> createSimulator(ElementType type) {
  using Result = std::unique_ptr<Simulator>;
  return type == ElementType::F16 ? Result(new ExampleSimulator<Half>)
                                  : Result(new ExampleSimulator<float>);
}

} // namespace convoy::accelerators::example

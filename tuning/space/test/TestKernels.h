// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates kernels for tests of the tuner.

#pragma once

#include "mlir/Parser/Parser.h"
#include "tuning/space/ReadTask.h"

namespace convoy::tuning::test {

struct ConvShape {
  int64_t channels, size, outputs, kernel, stride;
  int64_t groups = 1;
  int64_t batch = 1;

  int64_t pad() const { return kernel / 2; }
  int64_t outputSize() const { return (size + 2 * pad() - kernel) / stride + 1; }
};

/// Returns the text of a module: a planar convolution with bias and Relu.
inline std::string convText(const ConvShape &s) {
  auto tensor = [](std::initializer_list<int64_t> shape) {
    std::string text = "tensor<";
    for (int64_t size : shape) {
      text += std::to_string(size) + "x";
    }
    return text + "f32>";
  };
  std::string x = tensor({s.batch, s.channels, s.size, s.size});
  std::string w = tensor({s.outputs, s.channels / s.groups, s.kernel, s.kernel});
  std::string b = tensor({s.outputs});
  std::string y = tensor({s.batch, s.outputs, s.outputSize(), s.outputSize()});
  auto four = [](int64_t v) {
    std::string one = std::to_string(v);
    return one + ", " + one + ", " + one + ", " + one;
  };
  std::string stride = std::to_string(s.stride) + ", " + std::to_string(s.stride);
  return "func.func @main(%x: " + x + ", %w: " + w + " {graph.weight}, %b: " + b +
         " {graph.weight}) -> " + y + " {\n  %0 = graph.kernel %x, %w, %b {\n  ^bb0(%i: " + x +
         ", %j: " + w + ", %k: " + b +
         "):\n    %1 = graph.conv %i, %j, %k {strides = array<i64: " + stride +
         ">, pads = array<i64: " + four(s.pad()) +
         ">, dilations = array<i64: 1, 1>, groups = " + std::to_string(s.groups) + " : i64} : (" +
         x + ", " + w + ", " + b + ") -> " + y + "\n    %2 = graph.unary relu %1 : (" + y +
         ") -> " + y + "\n    graph.yield %2 : " + y + "\n  } : (" + x + ", " + w + ", " + b +
         ") -> " + y + "\n  return %0 : " + y + "\n}\n";
}

/// Returns the task of the kernel in a module's text, with the given settings.
inline Task taskFrom(const std::string &text, const TaskSettings &settings = {}) {
  Task raw;
  raw.text = std::string("convoy-task 1\nmath ") + (settings.isStrictMath ? "strict" : "fast") +
             "\nthreads " + std::to_string(settings.threads) + "\n" + text;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(raw, &context);
  if (!module) {
    llvm::report_fatal_error(module.takeError());
  }
  return *taskOf(module->kernel(), settings);
}

/// Returns the task of this convolution with the given settings.
inline Task convTask(const ConvShape &shape, const TaskSettings &settings = {}) {
  return taskFrom(convText(shape), settings);
}

/// A product of bytes with bias, rescaled to bytes.
inline constexpr const char *kByteProduct = R"(
  func.func @main(%x: tensor<9x64xui8>, %w: tensor<64x48xi8> {graph.weight},
      %b: tensor<48xi32> {graph.weight}, %m: tensor<48xi32> {graph.weight},
      %s: tensor<48xi32> {graph.weight}) -> tensor<9x48xui8> {
    %0 = graph.kernel %x, %w, %b, %m, %s {
    ^bb0(%i: tensor<9x64xui8>, %j: tensor<64x48xi8>, %k: tensor<48xi32>, %l: tensor<48xi32>,
         %n: tensor<48xi32>):
      %1 = graph.integer_matmul %i, %j, %k {lhsZeroPoint = 120 : i64, rhsZeroPoint = 0 : i64}
          : (tensor<9x64xui8>, tensor<64x48xi8>, tensor<48xi32>) -> tensor<9x48xi32>
      %2 = graph.requantize %1, %l, %n {axis = 1 : i64, to = ui8, inputZeroPoint = 0 : i64,
          zeroPoint = 128 : i64, low = 0 : i64, high = 255 : i64, rounding = 0 : i32}
          : (tensor<9x48xi32>, tensor<48xi32>, tensor<48xi32>) -> tensor<9x48xui8>
      graph.yield %2 : tensor<9x48xui8>
    } : (tensor<9x64xui8>, tensor<64x48xi8>, tensor<48xi32>, tensor<48xi32>, tensor<48xi32>)
        -> tensor<9x48xui8>
    return %0 : tensor<9x48xui8>
  })";

/// Returns a convolution of bytes without padding from 64 to 128 channels on 28 x 28 pixels.
inline std::string byteConv(int64_t kernel) {
  std::string size = std::to_string(kernel);
  std::string result = std::to_string(28 - kernel + 1);
  std::string x = "tensor<1x64x28x28xui8>";
  std::string w = "tensor<128x64x" + size + "x" + size + "xi8>";
  std::string y = "tensor<1x128x" + result + "x" + result + "xi32>";
  return "func.func @main(%x: " + x + ", %w: " + w + " {graph.weight}) -> " + y +
         " {\n  %0 = graph.kernel %x, %w {\n  ^bb0(%i: " + x + ", %j: " + w +
         "):\n    %1 = graph.integer_conv %i, %j {inputZeroPoint = 0 : i64, weightZeroPoint = 9 : "
         "i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: "
         "1, 1>, groups = 1 : i64} : (" +
         x + ", " + w + ") -> " + y + "\n    graph.yield %1 : " + y + "\n  } : (" + x + ", " + w +
         ") -> " + y + "\n  return %0 : " + y + "\n}\n";
}

/// A product of halves.
inline constexpr const char *kHalfProduct = R"(
  func.func @main(%x: tensor<5x33xf16>, %w: tensor<33x7xf16> {graph.weight}) -> tensor<5x7xf16> {
    %0 = graph.kernel %x, %w {
    ^bb0(%i: tensor<5x33xf16>, %j: tensor<33x7xf16>):
      %1 = graph.matmul %i, %j : (tensor<5x33xf16>, tensor<33x7xf16>) -> tensor<5x7xf16>
      graph.yield %1 : tensor<5x7xf16>
    } : (tensor<5x33xf16>, tensor<33x7xf16>) -> tensor<5x7xf16>
    return %0 : tensor<5x7xf16>
  })";

} // namespace convoy::tuning::test

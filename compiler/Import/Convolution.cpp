// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports Conv, ConvTranspose and DeformConv.

#include "Import/OpTable.h"
#include "Import/WindowAttributes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::import {

static LogicalResult importConv(NodeContext &n) {
  if (failed(n.require(0, "X")) || failed(n.require(1, "W"))) {
    return failure();
  }
  FailureOr<WindowAttributes> window = readConvWindow(n, n.input(0), n.input(1));
  if (failed(window)) {
    return failure();
  }
  return n.yield(n.emit<graph::ConvOp>(n.input(0), n.input(1), n.input(2), window->strides,
                                       window->pads, window->dilations, n.intAttr("group", 1)));
}

namespace {

/// The pads of a transposed convolution that produce a requested size along one
/// dimension.
struct TransposedPadding {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t output = 0; // added to output_padding
};

/// Distributes the elements by which the full result exceeds the requested
/// size. If the full result is too small, output padding adds zeros at the end.
/// ONNX places the odd element at the end for SAME_UPPER and at the beginning
/// otherwise.
TransposedPadding distribute(int64_t total, AutoPad mode) {
  if (total < 0) {
    return {0, 0, -total};
  }
  int64_t smaller = total / 2;
  return mode == AutoPad::SameUpper ? TransposedPadding{smaller, total - smaller, 0}
                                    : TransposedPadding{total - smaller, smaller, 0};
}

/// Returns stride * (input - 1) + outputPadding + (kernel - 1) * dilation + 1,
/// or nullopt on int64 overflow.
std::optional<int64_t> fullSize(int64_t input, int64_t kernel, int64_t stride, int64_t dilation,
                                int64_t outputPadding) {
  int64_t spread = 0;
  int64_t extent = 0;
  int64_t sum = 0;
  if (llvm::SubOverflow(input, int64_t(1), input) || llvm::MulOverflow(stride, input, spread) ||
      llvm::SubOverflow(kernel, int64_t(1), kernel) ||
      llvm::MulOverflow(kernel, dilation, extent) || llvm::AddOverflow(spread, extent, sum) ||
      llvm::AddOverflow(sum, outputPadding, sum) || llvm::AddOverflow(sum, int64_t(1), sum)) {
    return std::nullopt;
  }
  return sum;
}

/// Computes the pads along spatial dimension i so that the result has `wanted`
/// elements, or input * stride elements if no size is requested.
LogicalResult padFor(NodeContext &n, WindowAttributes &window, Shape &outputPadding, int64_t i,
                     int64_t input, std::optional<int64_t> wanted, AutoPad mode) {
  int64_t rank = window.kernel.size();
  int64_t stride = window.strides[i];
  if (input == graph::kDynamic || window.kernel[i] == graph::kDynamic) {
    return n.unsupported() << "with output_shape or auto_pad where spatial dimension " << i
                           << " is dynamic; make the input's shape static or set 'pads'";
  }
  if (!isWindowSize(stride) || !isWindowSize(window.kernel[i]) ||
      !isWindowSize(window.dilations[i]) || outputPadding[i] < 0 ||
      outputPadding[i] > kMaxWindowSize) {
    return success(); // The type rule emits the error.
  }
  // No tensor has a dimension above 2^48, so the differences below do not
  // overflow.
  constexpr int64_t kMaxSize = int64_t(1) << 48;
  int64_t size = wanted.value_or(0);
  bool overflows = wanted ? size < 0 || size > kMaxSize : llvm::MulOverflow(input, stride, size);
  std::optional<int64_t> full =
      fullSize(input, window.kernel[i], stride, window.dilations[i], outputPadding[i]);
  int64_t total = 0;
  if (overflows || !full || llvm::SubOverflow(*full, size, total)) {
    return n.error() << "has an output size that overflows int64 along spatial dimension " << i
                     << "; check strides, dilations and output_shape";
  }
  TransposedPadding padding = distribute(total, mode);
  window.pads[i] = padding.begin;
  window.pads[i + rank] = padding.end;
  outputPadding[i] += padding.output;
  return success();
}

/// Replaces the pads by the pads that output_shape and auto_pad request.
LogicalResult resolveOutputShape(NodeContext &n, WindowAttributes &window, Shape &outputPadding) {
  FailureOr<AutoPad> mode = readAutoPad(n);
  if (failed(mode)) {
    return failure();
  }
  bool isSame = *mode == AutoPad::SameUpper || *mode == AutoPad::SameLower;
  Shape wanted = n.intsAttr("output_shape");
  size_t rank = window.kernel.size();
  if (*mode == AutoPad::Valid) {
    window.pads.assign(2 * rank, 0);
  }
  if (wanted.empty() && !isSame) {
    return success();
  }
  if (wanted.size() == rank + 2) { // Some exporters include batch and channels.
    wanted.erase(wanted.begin(), wanted.begin() + 2);
  }
  FailureOr<Shape> input = n.shape(n.input(0));
  if (failed(input)) {
    return failure();
  }
  if ((!wanted.empty() && wanted.size() != rank) || input->size() != rank + 2) {
    return n.error() << "has " << wanted.size() << " values in 'output_shape' and an input "
                     << n.input(0).getType() << ", expected " << rank << " spatial dimensions";
  }
  for (size_t i = 0; i < rank; ++i) {
    std::optional<int64_t> size = wanted.empty() ? std::nullopt : std::optional<int64_t>(wanted[i]);
    if (failed(padFor(n, window, outputPadding, i, (*input)[i + 2], size, *mode))) {
      return failure();
    }
  }
  return success();
}

} // namespace

static LogicalResult importConvTranspose(NodeContext &n) {
  if (failed(n.require(0, "X")) || failed(n.require(1, "W"))) {
    return failure();
  }
  FailureOr<Shape> kernel = readConvKernel(n, n.input(0), n.input(1));
  if (failed(kernel)) {
    return failure();
  }
  FailureOr<WindowAttributes> window = readExplicitWindow(n, *kernel);
  Shape outputPadding = n.intsAttr("output_padding", Shape(kernel->size(), 0));
  if (failed(window)) {
    return failure();
  }
  if (outputPadding.size() != kernel->size()) {
    return n.error() << "has " << outputPadding.size() << " values in 'output_padding', expected "
                     << kernel->size();
  }
  if (failed(resolveOutputShape(n, *window, outputPadding))) {
    return failure();
  }
  return n.yield(n.emit<graph::ConvTransposeOp>(n.input(0), n.input(1), n.input(2), window->strides,
                                                window->pads, window->dilations, outputPadding,
                                                n.intAttr("group", 1)));
}

static LogicalResult importDeformConv(NodeContext &n) {
  if (failed(n.require(0, "X")) || failed(n.require(1, "W")) || failed(n.require(2, "offset"))) {
    return failure();
  }
  FailureOr<Shape> kernel = readConvKernel(n, n.input(0), n.input(1));
  if (failed(kernel)) {
    return failure();
  }
  FailureOr<WindowAttributes> window = readExplicitWindow(n, *kernel);
  if (failed(window)) {
    return failure();
  }
  return n.yield(n.emit<graph::DeformConvOp>(
      n.input(0), n.input(1), n.input(2), n.input(3), n.input(4), window->strides, window->pads,
      window->dilations, n.intAttr("group", 1), n.intAttr("offset_group", 1)));
}

llvm::ArrayRef<OpRow> convolutionRows() {
  static constexpr llvm::StringLiteral kNeedsSizes =
      "auto_pad and output_shape require static spatial sizes";
  static const OpRow kRows[] = {
      {"Conv", importConv, kNeedsSizes},
      {"ConvTranspose", importConvTranspose, kNeedsSizes},
      {"DeformConv", importDeformConv},
  };
  return kRows;
}

} // namespace convoy::import

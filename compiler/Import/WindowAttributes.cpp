// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads window attributes, fills in defaults and resolves auto_pad. The type
// rules check the ranges of values, except where arithmetic in this file
// requires a check first.

#include "Import/WindowAttributes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace convoy::import {

FailureOr<AutoPad> readAutoPad(NodeContext &n) {
  std::string name = n.stringAttr("auto_pad", "NOTSET");
  std::optional<AutoPad> mode = llvm::StringSwitch<std::optional<AutoPad>>(name)
                                    .Cases("NOTSET", "", AutoPad::NotSet)
                                    .Case("SAME_UPPER", AutoPad::SameUpper)
                                    .Case("SAME_LOWER", AutoPad::SameLower)
                                    .Case("VALID", AutoPad::Valid)
                                    .Default(std::nullopt);
  if (mode) {
    return *mode;
  }
  return FailureOr<AutoPad>(n.error() << "has auto_pad '" << name
                                      << "', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
}

/// Reads an attribute of `count` integers.
static FailureOr<Shape> readCounted(NodeContext &n, StringRef name, int64_t count,
                                    int64_t otherwise) {
  Shape values = n.intsAttr(name, Shape(count, otherwise));
  if (static_cast<int64_t>(values.size()) == count) {
    return values;
  }
  return FailureOr<Shape>(n.error() << "has " << values.size() << " values in '" << name
                                    << "', expected " << count);
}

FailureOr<WindowAttributes> readExplicitWindow(NodeContext &n, ArrayRef<int64_t> kernel) {
  int64_t rank = kernel.size();
  FailureOr<Shape> strides = readCounted(n, "strides", rank, 1);
  FailureOr<Shape> pads = readCounted(n, "pads", 2 * rank, 0);
  FailureOr<Shape> dilations = readCounted(n, "dilations", rank, 1);
  if (failed(strides) || failed(pads) || failed(dilations)) {
    return failure();
  }
  return WindowAttributes{Shape(kernel), *strides, *pads, *dilations};
}

/// Reads kernel_shape; empty if the node omits it. This function checks the
/// sizes, because no type rule sees them if the shape of the weights is
/// unknown.
static FailureOr<Shape> readKernelShape(NodeContext &n) {
  Shape kernel = n.intsAttr("kernel_shape");
  for (int64_t size : kernel) {
    if (!isWindowSize(size)) {
      return FailureOr<Shape>(n.error() << "expects kernel sizes in [1, " << kMaxWindowSize
                                        << "], got " << size);
    }
  }
  return kernel;
}

/// Returns the total padding for which the result has size ceil(input /
/// stride).
static FailureOr<int64_t> samePadding(NodeContext &n, const WindowAttributes &window, int64_t i,
                                      int64_t input) {
  int64_t stride = window.strides[i];
  int64_t kernel = window.kernel[i];
  int64_t dilation = window.dilations[i];
  if (kernel == graph::kDynamic || (input == graph::kDynamic && stride != 1)) {
    return FailureOr<int64_t>(n.unsupported()
                              << "with auto_pad if spatial dimension " << i
                              << " is dynamic; make the input's shape static or set 'pads'");
  }
  if (!isWindowSize(stride) || !isWindowSize(kernel) || !isWindowSize(dilation)) {
    return 0; // The type rule emits the error.
  }
  int64_t extent = (kernel - 1) * dilation + 1;
  if (stride == 1) {
    return extent - 1;
  }
  int64_t rest = input % stride == 0 ? stride : input % stride;
  return std::max<int64_t>(extent - rest, 0);
}

/// Replaces the pads by the pads that auto_pad requests. `input` is null if
/// unknown.
static LogicalResult resolveAutoPad(NodeContext &n, Value input, WindowAttributes &window) {
  FailureOr<AutoPad> mode = readAutoPad(n);
  if (failed(mode)) {
    return failure();
  }
  if (*mode == AutoPad::NotSet) {
    return success();
  }
  int64_t rank = window.kernel.size();
  window.pads.assign(2 * rank, 0);
  if (*mode == AutoPad::Valid) {
    return success();
  }
  Shape sizes(rank + 2, graph::kDynamic);
  if (n.hasRank(input)) {
    sizes = *n.shape(input);
  }
  for (int64_t i = 0; i < rank && i + 2 < static_cast<int64_t>(sizes.size()); ++i) {
    FailureOr<int64_t> total = samePadding(n, window, i, sizes[i + 2]);
    if (failed(total)) {
      return failure();
    }
    int64_t smaller = *total / 2;
    int64_t begin = *mode == AutoPad::SameUpper ? smaller : *total - smaller;
    window.pads[i] = begin;
    window.pads[i + rank] = *total - begin;
  }
  return success();
}

FailureOr<WindowAttributes> readPoolWindow(NodeContext &n, Value input) {
  if (!n.hasAttr("kernel_shape")) {
    return FailureOr<WindowAttributes>(
        n.error() << "requires attribute 'kernel_shape', but the node does not have it");
  }
  FailureOr<Shape> kernel = readKernelShape(n);
  if (failed(kernel)) {
    return failure();
  }
  FailureOr<WindowAttributes> window = readExplicitWindow(n, *kernel);
  if (failed(window) || failed(resolveAutoPad(n, input, *window))) {
    return failure();
  }
  return window;
}

FailureOr<Shape> readConvKernel(NodeContext &n, Value input, Value weight) {
  FailureOr<Shape> read = readKernelShape(n);
  if (failed(read)) {
    return failure();
  }
  const Shape &given = *read;
  bool isGiven = n.hasAttr("kernel_shape");
  Shape kernel;
  if (n.hasRank(weight)) {
    Shape shape = *n.shape(weight);
    kernel = Shape(ArrayRef(shape).drop_front(std::min<size_t>(shape.size(), 2)));
  } else if (isGiven) {
    kernel = given;
  } else {
    FailureOr<int64_t> rank = n.rank(input);
    if (failed(rank)) {
      return failure();
    }
    kernel.assign(std::max<int64_t>(*rank - 2, 0), graph::kDynamic);
  }
  bool agrees = !isGiven || given.size() == kernel.size();
  for (size_t i = 0; isGiven && agrees && i < kernel.size(); ++i) {
    agrees = kernel[i] == graph::kDynamic || kernel[i] == given[i];
    kernel[i] = given[i];
  }
  if (agrees) {
    return kernel;
  }
  InFlightDiagnostic diag = n.error() << "has kernel_shape [";
  llvm::interleaveComma(given, diag);
  return FailureOr<Shape>(diag << "], which differs from the kernel size of the weights, "
                               << weight.getType());
}

FailureOr<WindowAttributes> readConvWindow(NodeContext &n, Value input, Value weight) {
  FailureOr<Shape> kernel = readConvKernel(n, input, weight);
  if (failed(kernel)) {
    return failure();
  }
  FailureOr<WindowAttributes> window = readExplicitWindow(n, *kernel);
  if (failed(window) || failed(resolveAutoPad(n, input, *window))) {
    return failure();
  }
  return window;
}

FailureOr<Value> moveChannels(NodeContext &n, Value x, bool toFront) {
  FailureOr<int64_t> rank = n.rank(x);
  if (failed(rank)) {
    return failure();
  }
  if (*rank < 3) {
    return FailureOr<Value>(n.error() << "expects operands of rank 3 or more, got " << x.getType());
  }
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, *rank));
  if (toFront) {
    std::rotate(perm.begin() + 1, perm.end() - 1, perm.end());
  } else {
    std::rotate(perm.begin() + 1, perm.begin() + 2, perm.end());
  }
  return n.transpose(x, perm);
}

} // namespace convoy::import

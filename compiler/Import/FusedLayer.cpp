// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the layers of the domain com.microsoft that ONNX Runtime's optimizer writes: products
// and convolutions with an activation, a sum or transposed operands. They become separate graph
// ops; Fusion joins them again.

#include "Import/Gemm.h"
#include "Import/OpTable.h"
#include "Import/WindowAttributes.h"
#include <string_view>

using namespace mlir;
using convoy::graph::ActivationKind;
using convoy::graph::BinaryKind;
using convoy::graph::UnaryKind;

namespace convoy::import {
namespace {

//===-- Activations ------------------------------------------------------------------------===//

struct PlainActivation {
  StringLiteral name;
  UnaryKind kind;
};

constexpr PlainActivation kPlain[] = {
    {"Relu", UnaryKind::Relu},           {"Sigmoid", UnaryKind::Sigmoid},
    {"Softplus", UnaryKind::Softplus},   {"Softsign", UnaryKind::Softsign},
    {"Tanh", UnaryKind::Tanh},           {"Gelu", UnaryKind::Gelu},
    {"HardSwish", UnaryKind::HardSwish},
};

/// An activation with parameters and their defaults.
struct ParameterActivation {
  StringLiteral name;
  ActivationKind kind;
  double alpha, beta;
};

// ONNX defines these defaults as f32 values: 0.01 means 0.01f.
constexpr ParameterActivation kWithParameters[] = {
    {"LeakyRelu", ActivationKind::LeakyRelu, 0.01f, 0},
    {"Elu", ActivationKind::Elu, 1, 0},
    {"Celu", ActivationKind::Celu, 1, 0},
    {"Selu", ActivationKind::Selu, 1.67326319217681884765625f, 1.05070102214813232421875f},
    {"HardSigmoid", ActivationKind::HardSigmoid, 0.2f, 0.5f},
    {"ThresholdedRelu", ActivationKind::ThresholdedRelu, 1, 0},
};

/// The parameters of an activation that the node sets.
struct Given {
  std::optional<double> first, second;
};

/// Applies the activation `name`. An empty name keeps the value.
FailureOr<Value> activate(NodeContext &n, Value x, StringRef name, const Given &given) {
  if (name.empty()) {
    return x;
  }
  for (const PlainActivation &plain : kPlain) {
    if (plain.name == name) {
      return n.unary(plain.kind, x);
    }
  }
  for (const ParameterActivation &a : kWithParameters) {
    if (a.name == name) {
      return n.emit<graph::ActivationOp>(a.kind, x, APFloat(given.first.value_or(a.alpha)),
                                         APFloat(given.second.value_or(a.beta)));
    }
  }
  if (name == "Clip" && given.first && given.second) {
    Value raised = n.binary(BinaryKind::Max, x, n.scalarLike(x, *given.first));
    return n.binary(BinaryKind::Min, raised, n.scalarLike(x, *given.second));
  }
  return FailureOr<Value>(n.unsupported() << "with activation '" << name
                                          << "'; export the activation as a separate node");
}

//===-- Products ---------------------------------------------------------------------------===//

/// Returns an operand of FusedMatMul with its rows and columns last. With `movesBatch`, the first
/// dimension holds the rows (or columns, if transposed), and the batch dimensions follow.
FailureOr<Value> productOperand(NodeContext &n, Value x, bool isTransposed, bool movesBatch) {
  if (!isTransposed && !movesBatch) {
    return x;
  }
  FailureOr<int64_t> rank = n.rank(x);
  if (failed(rank)) {
    return failure();
  }
  if (*rank < 2) {
    return x; // A vector has nothing to transpose.
  }
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, *rank));
  if (movesBatch) {
    std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
  }
  if (isTransposed) {
    std::swap(perm[*rank - 2], perm[*rank - 1]);
  }
  return n.transpose(x, perm);
}

LogicalResult importFusedMatMul(NodeContext &n) {
  if (failed(n.requireAll({"A", "B"}))) {
    return failure();
  }
  FailureOr<Value> a =
      productOperand(n, n.input(0), n.intAttr("transA", 0) != 0, n.intAttr("transBatchA", 0) != 0);
  FailureOr<Value> b =
      productOperand(n, n.input(1), n.intAttr("transB", 0) != 0, n.intAttr("transBatchB", 0) != 0);
  if (failed(a) || failed(b)) {
    return failure();
  }
  Value product = n.matmul(*a, *b);
  double alpha = n.floatAttr("alpha", 1);
  return n.yield(alpha == 1 ? product : n.mul(product, n.scalarLike(product, alpha)));
}

LogicalResult importFusedGemm(NodeContext &n) {
  FailureOr<Value> y = emitGemm(n);
  if (failed(y)) {
    return failure();
  }
  auto parameter = [&](StringRef attribute) {
    return n.hasAttr(attribute) ? std::optional(n.floatAttr(attribute, 0)) : std::nullopt;
  };
  Given given{parameter("activation_alpha"), parameter("activation_beta")};
  given.second = given.second ? given.second : parameter("activation_gamma"); // of Selu
  FailureOr<Value> activated = activate(n, *y, n.stringAttr("activation", ""), given);
  return failed(activated) ? failure() : n.yield(*activated);
}

//===-- Convolutions -----------------------------------------------------------------------===//

FailureOr<Value> convolve(NodeContext &n, Value x, Value w) {
  FailureOr<WindowAttributes> window = readConvWindow(n, x, w);
  if (failed(window)) {
    return failure();
  }
  return n.emit<graph::ConvOp>(x, w, n.input(2), window->strides, window->pads, window->dilations,
                               n.intAttr("group", 1));
}

/// Imports Conv with a sum, which the node adds before the activation.
LogicalResult importFusedConv(NodeContext &n) {
  if (failed(n.requireAll({"X", "W"}))) {
    return failure();
  }
  FailureOr<Value> y = convolve(n, n.input(0), n.input(1));
  if (failed(y)) {
    return failure();
  }
  Value sum = n.input(3) ? n.add(*y, n.input(3)) : *y;
  SmallVector<double> parameters = n.floatsAttr("activation_params");
  Given given;
  if (!parameters.empty()) {
    given.first = parameters[0];
  }
  if (parameters.size() > 1) {
    given.second = parameters[1];
  }
  FailureOr<Value> activated = activate(n, sum, n.stringAttr("activation", ""), given);
  return failed(activated) ? failure() : n.yield(*activated);
}

/// Imports a convolution whose input, weights and result have the channels last.
LogicalResult importNhwcConv(NodeContext &n) {
  if (failed(n.requireAll({"X", "W"}))) {
    return failure();
  }
  FailureOr<Value> x = moveChannels(n, n.input(0), /*toFront=*/true);
  FailureOr<Value> w = moveChannels(n, n.input(1), /*toFront=*/true);
  if (failed(x) || failed(w)) {
    return failure();
  }
  FailureOr<Value> y = convolve(n, *x, *w);
  if (failed(y) || n.hasFailed) {
    return failure();
  }
  FailureOr<Value> result = moveChannels(n, *y, /*toFront=*/false);
  return failed(result) ? failure() : n.yield(*result);
}

constexpr llvm::StringLiteral kNeedsSizes = "auto_pad requires static spatial sizes";
constexpr llvm::StringLiteral kActivations =
    "'activation' must be Relu, Sigmoid, Softplus, Softsign, Tanh, Gelu, HardSwish, LeakyRelu, "
    "Elu, "
    "Celu, Selu, HardSigmoid, ThresholdedRelu, or Clip with both bounds";
constexpr llvm::StringLiteral kFusedConvLimits =
    "'activation' must be one of those of FusedGemm; auto_pad requires static spatial sizes";

constexpr bool isListed(llvm::StringLiteral name) {
  return std::string_view(kActivations.data(), kActivations.size())
             .find(std::string_view(name.data(), name.size())) != std::string_view::npos;
}
constexpr bool listsAllActivations() {
  for (const PlainActivation &plain : kPlain) {
    if (!isListed(plain.name)) {
      return false;
    }
  }
  for (const ParameterActivation &a : kWithParameters) {
    if (!isListed(a.name)) {
      return false;
    }
  }
  return true;
}
static_assert(listsAllActivations(), "the limits of FusedGemm list all activations");

constexpr OpRow kRows[] = {
    {"FusedConv", importFusedConv, kFusedConvLimits, kMicrosoft},
    {"FusedGemm", importFusedGemm, kActivations, kMicrosoft},
    {"FusedMatMul", importFusedMatMul, "", kMicrosoft},
    {"NhwcConv", importNhwcConv, kNeedsSizes, kMicrosoft},
};

} // namespace

llvm::ArrayRef<OpRow> fusedLayerRows() { return kRows; }

} // namespace convoy::import

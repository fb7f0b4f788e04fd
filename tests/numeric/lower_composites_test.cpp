// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy-graph-lower-composites keeps the numbers: each function runs on the
// reference before and after the pass, on the same random inputs.

#include "Graph/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "reference/Reference.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;

namespace convoy {
namespace {

struct Case {
  std::string name;
  std::string function;
  /// Relative to the largest element of the result.
  double tolerance = 2e-6;
};

/// Floats in [-2, 2); integers in [0, 5], which also serve as lengths of the
/// sequences below.
Tensor randomTensor(RankedTensorType type, std::mt19937 &random) {
  Tensor tensor(fromMlir(type.getElementType()), type.getShape());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    double unit = static_cast<double>(random()) / 4294967296.0;
    tensor.setDouble(i, isFloat(tensor.type()) ? 4 * unit - 2 : std::floor(6 * unit));
  }
  return tensor;
}

bool isComposite(Operation *op) {
  return isa<graph::SoftmaxOp, graph::BatchNormOp, graph::OneHotOp, graph::TriluOp,
             graph::ReverseSequenceOp, graph::RNNOp, graph::GRUOp, graph::LSTMOp>(op);
}

void expectClose(const Tensor &actual, const Tensor &expected, double tolerance) {
  ASSERT_EQ(actual.type(), expected.type());
  ASSERT_EQ(actual.shape(), expected.shape());
  double largest = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::fabs(expected.asDouble(i)));
  }
  for (int64_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(actual.asDouble(i), expected.asDouble(i), tolerance * largest) << "element " << i;
  }
}

class LowerComposites : public testing::TestWithParam<Case> {};

TEST_P(LowerComposites, KeepsTheNumbers) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(GetParam().function, &context);
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  std::mt19937 random(1);
  std::vector<reference::Datum> inputs;
  for (Type type : function.getArgumentTypes()) {
    inputs.push_back(randomTensor(cast<RankedTensorType>(type), random));
  }
  FailureOr<std::vector<reference::Datum>> before = reference::run(function, inputs);
  ASSERT_TRUE(succeeded(before));

  PassManager passes(&context);
  passes.addNestedPass<func::FuncOp>(graph::createLowerCompositesPass());
  ASSERT_TRUE(succeeded(passes.run(*module)));
  function.walk([](Operation *op) { EXPECT_FALSE(isComposite(op)) << "one is left"; });
  FailureOr<std::vector<reference::Datum>> after = reference::run(function, inputs);
  ASSERT_TRUE(succeeded(after));
  ASSERT_EQ(after->size(), before->size());
  for (size_t i = 0; i < before->size(); ++i) {
    expectClose((*after)[i].tensor, (*before)[i].tensor, GetParam().tolerance);
  }
}

/// A recurrent layer as text. Sizes: T time steps, N = 3, I = 4, H = 5.
struct Layer {
  std::string op;
  int gates;
  std::vector<std::string> functions;
  std::string direction = "forward";
  std::string element = "f32";
  std::string extra; // further attributes
  int time = 5;
  bool hasBias = true;
  bool hasLengths = false;
  bool hasState = false;
  bool hasPeepholes = false;
};

class LayerText {
public:
  explicit LayerText(const Layer &layer)
      : l(layer), directions(l.direction == "bidirectional" ? 2 : 1) {
    std::string d = std::to_string(directions) + "x";
    std::string rows = std::to_string(l.gates * 5);
    operand(true, std::to_string(l.time) + "x3x4x" + l.element);
    operand(true, d + rows + "x4x" + l.element);
    operand(true, d + rows + "x5x" + l.element);
    operand(l.hasBias, d + std::to_string(2 * l.gates * 5) + "x" + l.element);
    operand(l.hasLengths, "3xi32");
    operand(l.hasState, d + "3x5x" + l.element);
    if (l.op == "lstm") {
      operand(l.hasState, d + "3x5x" + l.element);
      operand(l.hasPeepholes, d + "15x" + l.element);
    }
  }
  std::string text() const {
    std::string state = "tensor<" + std::to_string(directions) + "x3x5x" + l.element + ">";
    std::string results = "(tensor<" + std::to_string(l.time) + "x" + std::to_string(directions) +
                          "x3x5x" + l.element + ">, " + state +
                          (l.op == "lstm" ? ", " + state : "") + ")";
    std::string values = l.op == "lstm" ? "%y#0, %y#1, %y#2" : "%y#0, %y#1";
    return "func.func @layer(" + join(arguments) + ") -> " + results +
           " {\n  %y:" + (l.op == "lstm" ? "3" : "2") + " = graph." + l.op + " " + join(names) +
           " {" + attributes() + "} : (" + join(types) + ") -> " + results + "\n  return " +
           values + " : " + results.substr(1, results.size() - 2) + "\n}";
  }

private:
  void operand(bool isThere, const std::string &type) {
    segments.push_back(isThere ? "1" : "0");
    if (isThere) {
      names.push_back("%a" + std::to_string(names.size()));
      types.push_back("tensor<" + type + ">");
      arguments.push_back(names.back() + ": " + types.back());
    }
  }
  std::string attributes() const {
    std::vector<std::string> quoted;
    std::vector<std::string> alphas;
    for (int d = 0; d < directions; ++d) {
      for (const std::string &function : l.functions) {
        quoted.push_back("\"" + function + "\"");
        alphas.push_back("0.7");
      }
    }
    return "hiddenSize = 5 : i64, direction = \"" + l.direction + "\", activations = [" +
           join(quoted) + "], activationAlpha = array<f64: " + join(alphas) +
           ">, activationBeta = array<f64: " + join(alphas) +
           ">, operandSegmentSizes = array<i32: " + join(segments) + ">" + l.extra;
  }
  static std::string join(const std::vector<std::string> &parts) { return llvm::join(parts, ", "); }

  Layer l;
  int directions;
  std::vector<std::string> arguments, names, types, segments;
};

std::vector<Case> recurrentCases() {
  std::vector<Case> cases;
  auto add = [&](const std::string &name, const Layer &layer, double tolerance = 2e-6) {
    cases.push_back({name, LayerText(layer).text(), tolerance});
  };
  std::string coupled = ", inputForget = true, clip = 0.9 : f64";
  std::string free = ", inputForget = false";
  std::vector<std::string> lstm = {"sigmoid", "tanh", "tanh"};
  std::vector<std::string> gru = {"sigmoid", "tanh"};
  add("rnn_reverse_with_lengths", {"rnn", 1, {"tanh"}, "reverse", "f32", "", 5, true, true, true});
  for (const char *function : {"relu", "softsign", "softplus", "affine", "leaky_relu",
                               "scaled_tanh", "hard_sigmoid", "elu", "thresholded_relu"}) {
    add(std::string("rnn_") + function,
        {"rnn", 1, {function}, "forward", "f32", ", clip = 1.5 : f64"});
  }
  for (const char *direction : {"forward", "reverse", "bidirectional"}) {
    std::string suffix = std::string("_") + direction;
    add("gru" + suffix,
        {"gru", 3, gru, direction, "f32", ", linearBeforeReset = false", 5, true, true, true});
    add("gru_linear" + suffix,
        {"gru", 3, gru, direction, "f32", ", linearBeforeReset = true", 5, true, true, true});
    add("lstm" + suffix, {"lstm", 4, lstm, direction, "f32", free, 5, true, true, true, true});
    add("lstm_coupled" + suffix,
        {"lstm", 4, lstm, direction, "f32", coupled, 5, false, false, false, true});
  }
  add("lstm_of_one_step", {"lstm", 4, lstm, "bidirectional", "f32", free, 1, true, false, true});
  add("lstm_of_f64", {"lstm", 4, lstm, "forward", "f64", free}, 1e-13);
  // The state rounds to f16 after each step; now and then the two round apart.
  add("lstm_of_f16", {"lstm", 4, lstm, "forward", "f16", free}, 2e-3);
  return cases;
}

std::vector<Case> otherCases() {
  return {
      {"softmax", R"(func.func @f(%x: tensor<3x7x2xf32>) -> tensor<3x7x2xf32> {
         %y = graph.softmax %x {axis = 1 : i64} : (tensor<3x7x2xf32>) -> tensor<3x7x2xf32>
         return %y : tensor<3x7x2xf32> })"},
      {"log_softmax_of_f16", R"(func.func @f(%x: tensor<3x70xf16>) -> tensor<3x70xf16> {
         %y = graph.softmax %x {axis = 1 : i64, isLog = true} : (tensor<3x70xf16>) -> tensor<3x70xf16>
         return %y : tensor<3x70xf16> })",
       1e-3},
      {"batch_norm", R"(func.func @f(%x: tensor<2x3x4x5xf32>, %a: tensor<3xf32>, %b: tensor<3xf32>,
                                     %c: tensor<3xf32>) -> tensor<2x3x4x5xf32> {
         %v = graph.binary mul %a, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
         %y = graph.batch_norm %x, %a, %b, %c, %v {epsilon = 1.0e-5 : f64}
             : (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
             -> tensor<2x3x4x5xf32>
         return %y : tensor<2x3x4x5xf32> })"},
      {"one_hot", R"(func.func @f(%i: tensor<4x3xi32>, %v: tensor<2xf32>) -> tensor<4x4x3xf32> {
         %two = graph.constant dense<2> : tensor<i32>
         %j = graph.binary sub %i, %two : (tensor<4x3xi32>, tensor<i32>) -> tensor<4x3xi32>
         %depth = graph.constant dense<4> : tensor<i64>
         %y = graph.one_hot %j, %depth, %v {axis = 1 : i64}
             : (tensor<4x3xi32>, tensor<i64>, tensor<2xf32>) -> tensor<4x4x3xf32>
         return %y : tensor<4x4x3xf32> })",
       0},
      {"upper_triangle", R"(func.func @f(%x: tensor<2x4x5xi32>) -> tensor<2x4x5xi32> {
         %k = graph.constant dense<-1> : tensor<i64>
         %y = graph.trilu %x, %k {upper = true} : (tensor<2x4x5xi32>, tensor<i64>) -> tensor<2x4x5xi32>
         return %y : tensor<2x4x5xi32> })",
       0},
      {"lower_triangle", R"(func.func @f(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
         %y = graph.trilu %x {upper = false} : (tensor<4x5xf32>) -> tensor<4x5xf32>
         return %y : tensor<4x5xf32> })",
       0},
      {"reverse_sequence",
       R"(func.func @f(%x: tensor<5x2x3xf32>, %n: tensor<3xi64>) -> tensor<5x2x3xf32> {
         %y = graph.reverse_sequence %x, %n {batchAxis = 2 : i64, timeAxis = 0 : i64}
             : (tensor<5x2x3xf32>, tensor<3xi64>) -> tensor<5x2x3xf32>
         return %y : tensor<5x2x3xf32> })",
       0},
  };
}

std::string nameOf(const testing::TestParamInfo<Case> &info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Recurrent, LowerComposites, testing::ValuesIn(recurrentCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Others, LowerComposites, testing::ValuesIn(otherCases()), nameOf);

} // namespace
} // namespace convoy

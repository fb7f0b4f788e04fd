// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that convoy-graph-lower-composites preserves results: each function runs on the reference
// before and after the pass, on the same random inputs.

#include "Simplify/Passes.h"
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

/// Returns random floats in [-2, 2), or integers in [0, 5], which are also valid sequence lengths
/// in the functions below.
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
             graph::ReverseSequenceOp, graph::SplitOp, graph::CompressOp, graph::ResizeOp,
             graph::TreeEnsembleOp, graph::LabelEncodeOp, graph::TfIdfOp, graph::RandomOp,
             graph::RNNOp, graph::GRUOp, graph::LSTMOp>(op);
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
  passes.addNestedPass<func::FuncOp>(simplify::createLowerCompositesPass());
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
  // The state rounds to f16 after each step, and the two computations may round differently.
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

/// A resize of 1 x 2 x 5 x 6 along the last two dimensions, as text.
struct Resampling {
  int mode = 1;        // nearest, linear, cubic
  int coordinates = 0; // in the order of CoordinateMode
  std::string scales = "1.7, 0.6";
  std::string result = "8x3";
  std::string element = "f32";
  std::string flags = "excludeOutside = false, antialias = false";
  bool takesRegion = false;

  std::string text() const {
    std::string input = "tensor<1x2x5x6x" + element + ">";
    std::string output = "tensor<1x2x" + result + "x" + element + ">";
    auto number = [](int i) { return std::to_string(i) + " : i32, "; };
    return "func.func @f(%x: " + input + ", %roi: tensor<4xf32>) -> " + output +
           " {\n  %s = graph.constant dense<[" + scales + "]> : tensor<2xf32>\n" +
           "  %y = graph.resize %x, " + (takesRegion ? "%roi, " : "") +
           "%s {axes = array<i64: 2, 3>, mode = " + number(mode) +
           "coordinates = " + number(coordinates) +
           "nearest = 1 : i32, aspect = 0 : i32, cubicCoefficient = -0.6 : f64, " + flags +
           ", extrapolation = 7.0 : f64, operandSegmentSizes = array<i32: 1, " +
           (takesRegion ? "1" : "0") + ", 1, 0>} : (" + input +
           (takesRegion ? ", tensor<4xf32>" : "") + ", tensor<2xf32>) -> " + output +
           "\n  return %y : " + output + "\n}";
  }
};

std::vector<Case> resizeCases() {
  std::vector<Case> cases;
  auto add = [&](const std::string &name, const Resampling &resize, double tolerance = 2e-6) {
    cases.push_back({name, resize.text(), tolerance});
  };
  const char *modes[] = {"nearest", "linear", "cubic"};
  for (int mode = 0; mode < 3; ++mode) {
    std::string name = modes[mode];
    for (int coordinates = 0; coordinates <= 5; ++coordinates) {
      add(name + "_coordinates_" + std::to_string(coordinates), {mode, coordinates});
    }
    Resampling cropped{mode, 6};
    cropped.takesRegion = true;
    add(name + "_of_a_region_at_run_time", cropped);
    cropped.flags = "excludeOutside = true, antialias = false";
    add(name + "_of_a_region_without_the_outside", cropped);
    // Integer results are equal, because the sums have the reference's type.
    add(name + "_of_bytes", {mode, 0, "3.0, 2.0", "15x12", "ui8"}, 0);
    add(name + "_of_f16", {mode, 0, "3.0, 2.0", "15x12", "f16"}, 1e-3);
  }
  std::string excluding = "excludeOutside = true, antialias = false";
  std::string antialias = "excludeOutside = true, antialias = true";
  add("cubic_without_the_outside", {2, 0, "1.7, 0.6", "8x3", "f32", excluding});
  add("linear_with_antialias", {1, 0, "0.5, 0.4", "2x2", "f32", antialias});
  add("cubic_with_antialias", {2, 0, "0.5, 0.4", "2x2", "f64", antialias}, 1e-13);
  return cases;
}

/// Returns a tree of two levels and a tree of one level, with a set membership and a missing value.
std::string ensembleText(int aggregate, int transform) {
  return R"(func.func @f(%x: tensor<9x3xf32>) -> tensor<9x2xf32> {
    %n = graph.binary sub %x, %x : (tensor<9x3xf32>, tensor<9x3xf32>) -> tensor<9x3xf32>
    %r = graph.unary floor %x : (tensor<9x3xf32>) -> tensor<9x3xf32>
    %d = graph.binary div %n, %r : (tensor<9x3xf32>, tensor<9x3xf32>) -> tensor<9x3xf32>
    %s = graph.binary add %r, %d : (tensor<9x3xf32>, tensor<9x3xf32>) -> tensor<9x3xf32>
    %y = graph.tree_ensemble %s {trees = {
        nodes_featureids = array<i64: 0, 1, 2, 0>, nodes_truenodeids = array<i64: 1, 0, 2, 3>,
        nodes_falsenodeids = array<i64: 2, 1, 3, 4>, nodes_trueleafs = array<i64: 0, 1, 1, 1>,
        nodes_falseleafs = array<i64: 0, 1, 1, 1>,
        nodes_missing_value_tracks_true = array<i64: 1, 0, 0, 1>,
        nodes_splits = array<f64: 0.0, 0.0, -1.0, 1.0>, nodes_modes = array<f64: 0.0, 6.0, 3.0, 5.0>,
        membership_values = array<f64: -2.0, 1.0, 0x7FF8000000000000>,
        leaf_targetids = array<i64: 0, 1, 0, 1, 0>,
        leaf_weights = array<f64: 0.5, -0.25, 2.0, 1.5, -3.0>, tree_roots = array<i64: 0, 3>,
        n_targets = 2 : i64, aggregate_function = )" +
         std::to_string(aggregate) + " : i64, post_transform = " + std::to_string(transform) +
         R"( : i64}} : (tensor<9x3xf32>) -> tensor<9x2xf32>
    return %y : tensor<9x2xf32> })";
}

/// Returns a chain of `depth` nodes with a leaf at each node and one at the end, and a tree of one
/// node. All nodes compare order, and some of them track missing values. Leaf 1 has two weights if
/// there are two targets, and leaf 2 has none if there are 20. With two targets, the nodes test all
/// orders, with five also equality, else only <= and >. The forest has `copies` of both trees.
std::string forestText(int64_t rows, int64_t depth, int aggregate, int64_t targetCount = 2,
                       int64_t copies = 1) {
  bool isPair = targetCount == 2, hasEqual = targetCount == 5;
  std::vector<int64_t> features, whenTrue, whenFalse, trueLeaves, falseLeaves, missing, starts,
      targets;
  std::vector<double> splits, modes, weights;
  for (int64_t i = 0; i <= depth; ++i) { // node `depth` is the second tree
    bool isLast = i + 1 >= depth;
    features.push_back(i % 3);
    whenTrue.push_back(i);
    whenFalse.push_back(isLast ? depth : i + 1);
    trueLeaves.push_back(1);
    falseLeaves.push_back(isLast);
    int64_t mode = isPair ? i % 4 : hasEqual ? (i + 3) % 6 : i % 2 * 3;
    missing.push_back(i % 3 == 1 && mode != 4);
    splits.push_back(static_cast<double>(i % 5) / (hasEqual ? 1 : 2) - 1);
    modes.push_back(static_cast<double>(mode));
  }
  for (int64_t leaf = 0; leaf <= depth; ++leaf) {
    starts.push_back(static_cast<int64_t>(targets.size()));
    int64_t count = leaf == 1 && isPair ? 2 : leaf == 2 && targetCount == 20 ? 0 : 1;
    for (int64_t entry = 0; entry < count; ++entry) {
      targets.push_back((leaf + entry) % targetCount);
      weights.push_back(static_cast<double>(leaf * 3 % 7) - 2.5 + static_cast<double>(entry));
    }
  }
  starts.push_back(static_cast<int64_t>(targets.size()));
  std::vector<int64_t> roots;
  for (int64_t i = 0; i < copies; ++i) {
    roots.insert(roots.end(), {0, depth});
  }
  std::string shape = std::to_string(rows) + "x3xf32",
              result = std::to_string(rows) + "x" + std::to_string(targetCount) + "xf32";
  auto ints = [](const std::vector<int64_t> &list) {
    return "array<i64: " +
           llvm::join(llvm::map_range(list, [](int64_t i) { return std::to_string(i); }), ", ") +
           ">";
  };
  auto doubles = [](const std::vector<double> &list) {
    return "array<f64: " +
           llvm::join(llvm::map_range(list, [](double x) { return std::to_string(x); }), ", ") +
           ">";
  };
  return "func.func @f(%x: tensor<" + shape + ">) -> tensor<" + result + R"(> {
    %n = graph.binary sub %x, %x : (tensor<)" +
         shape + ">, tensor<" + shape + ">) -> tensor<" + shape + R"(>
    %r = graph.unary floor %x : (tensor<)" +
         shape + ">) -> tensor<" + shape + R"(>
    %d = graph.binary div %n, %r : (tensor<)" +
         shape + ">, tensor<" + shape + ">) -> tensor<" + shape + R"(>
    %s = graph.binary add %r, %d : (tensor<)" +
         shape + ">, tensor<" + shape + ">) -> tensor<" + shape + R"(>
    %y = graph.tree_ensemble %s {trees = {nodes_featureids = )" +
         ints(features) + ", nodes_truenodeids = " + ints(whenTrue) +
         ", nodes_falsenodeids = " + ints(whenFalse) + ", nodes_trueleafs = " + ints(trueLeaves) +
         ", nodes_falseleafs = " + ints(falseLeaves) +
         ", nodes_missing_value_tracks_true = " + ints(missing) +
         ", nodes_splits = " + doubles(splits) + ", nodes_modes = " + doubles(modes) +
         ", membership_values = array<f64>" +
         (targetCount == 3 ? "" : ", leaf_starts = " + ints(starts)) +
         ", leaf_targetids = " + ints(targets) + ", leaf_weights = " + doubles(weights) +
         ", tree_roots = " + ints(roots) + ", n_targets = " + std::to_string(targetCount) +
         " : i64, aggregate_function = " + std::to_string(aggregate) +
         " : i64, post_transform = 0 : i64}} : (tensor<" + shape + ">) -> tensor<" + result + R"(>
    return %y : tensor<)" +
         result + "> }";
}

/// Returns a table of `size` keys, of which two are equal.
std::string labelText(int64_t size) {
  std::string keys, values;
  for (int64_t i = 0; i < size; ++i) {
    keys += (i ? ", " : "") + std::to_string(i == 1 ? 3 : 5 - i);
    values += (i ? ", " : "") + std::to_string(i * 10) + ".5";
  }
  std::string count = std::to_string(size);
  return R"(func.func @f(%x: tensor<4x6xi64>) -> tensor<4x6xf32> {
    %k = graph.constant dense<[)" +
         keys + "]> : tensor<" + count + R"(xi64>
    %v = graph.constant dense<[)" +
         values + "]> : tensor<" + count + R"(xf32>
    %d = graph.constant dense<-1.0> : tensor<1xf32>
    %y = graph.label_encode %x, %k, %v, %d : (tensor<4x6xi64>, tensor<)" +
         count + "xi64>, tensor<" + count + R"(xf32>, tensor<1xf32>) -> tensor<4x6xf32>
    return %y : tensor<4x6xf32> })";
}

std::vector<Case> tableCases() {
  std::vector<Case> cases = {
      {"split",
       R"(func.func @f(%x: tensor<3x7xf32>) -> (tensor<3x2xf32>, tensor<3x0xf32>, tensor<3x5xf32>) {
         %s = graph.constant dense<[2, 0, 5]> : tensor<3xi64>
         %a, %b, %c = graph.split %x, %s {axis = 1 : i64}
             : (tensor<3x7xf32>, tensor<3xi64>) -> (tensor<3x2xf32>, tensor<3x0xf32>, tensor<3x5xf32>)
         return %a, %b, %c : tensor<3x2xf32>, tensor<3x0xf32>, tensor<3x5xf32> })",
       0},
      {"compress", R"(func.func @f(%x: tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<2xf32>) {
         %c = graph.constant dense<[true, false, true]> : tensor<3xi1>
         %a = graph.compress %x, %c {axis = 1 : i64} : (tensor<3x4xf32>, tensor<3xi1>) -> tensor<3x2xf32>
         %b = graph.compress %x, %c : (tensor<3x4xf32>, tensor<3xi1>) -> tensor<2xf32>
         return %a, %b : tensor<3x2xf32>, tensor<2xf32> })",
       0},
  };
  for (int aggregate = 0; aggregate < 4; ++aggregate) {
    cases.push_back({"trees_aggregate_" + std::to_string(aggregate), ensembleText(aggregate, 0)});
  }
  for (int transform = 1; transform < 4; ++transform) {
    cases.push_back({"trees_transform_" + std::to_string(transform), ensembleText(1, transform)});
  }
  // Depth 3 is a heap, depth 9 a list of nodes; 3 rows have lanes along trees, 20 rows along rows.
  for (int64_t depth : {3, 9}) {
    for (int64_t rows : {3, 20}) {
      for (int aggregate = 0; aggregate < 4; ++aggregate) {
        std::string name = "forest_" + std::to_string(depth) + "_" + std::to_string(rows) + "_" +
                           std::to_string(aggregate);
        cases.push_back({name, forestText(rows, depth, aggregate)});
        // Separate tables of 3 and 5 targets, and joint tables of 20.
        for (int64_t targets : {3, 5, 20}) {
          cases.push_back(
              {name + "_" + std::to_string(targets), forestText(rows, depth, aggregate, targets)});
        }
      }
    }
  }
  // With many trees, lanes run along trees for any number of rows.
  for (int64_t depth : {1, 3, 9}) {
    for (int64_t targets : {2, 3, 5, 20}) {
      cases.push_back({"forest_" + std::to_string(depth) + "_many_" + std::to_string(targets),
                       forestText(20, depth, /*aggregate=*/1, targets, /*copies=*/40)});
    }
  }
  for (int64_t size : {1, 8, 9, 20}) {
    cases.push_back({"labels_" + std::to_string(size), labelText(size), 0});
  }
  for (const char *mode : {"TF", "IDF", "TFIDF"}) {
    // Two n-grams share column 4, and one is in the pool twice.
    cases.push_back({std::string("n_grams_") + mode,
                     R"(func.func @f(%x: tensor<4x9xi32>) -> tensor<4x6xf32> {
         %y = graph.tf_idf %x {mode = ")" +
                         std::string(mode) + R"(", minGram = 1 : i64, maxGram = 2 : i64,
             maxSkip = 3 : i64, gramCounts = array<i64: 0, 3>,
             gramIndexes = array<i64: 0, 4, 5, 4, 1, 1>,
             poolInts = array<i64: 0, 1, 5, 2, 3, 1, 1, 2, 3>, poolStrings = [],
             weights = array<f64: 0.5, 2.0, 3.0, 0.25, 1.5, 4.0>} : (tensor<4x9xi32>) -> tensor<4x6xf32>
         return %y : tensor<4x6xf32> })"});
  }
  return cases;
}

/// Draws with every distribution. The lowered ops must draw the same numbers.
std::vector<Case> randomCases() {
  auto text = [](const std::string &type, const std::string &result,
                 const std::string &attributes) {
    return "func.func @f(%x: tensor<" + type + ">) -> tensor<" + result +
           "> { %y = graph.random %x {" + attributes +
           ", shape = array<i64>, seed = 5.0 : f64} : (tensor<" + type + ">) -> tensor<" + result +
           "> return %y : tensor<" + result + "> }";
  };
  return {
      {"uniform",
       text("3x50xf32", "3x50xf16",
            R"(distribution = "uniform", to = f16, a = -1.0 : f64, b = 3.0 : f64)"),
       0},
      {"normal",
       text("3x50xf32", "3x50xf64",
            R"(distribution = "normal", to = f64, a = 1.0 : f64, b = 2.0 : f64)"),
       0},
      {"bernoulli", text("3x50xf32", "3x50xi1", R"(distribution = "bernoulli", to = i1)"), 0},
      {"multinomial",
       text("3x7xf32", "3x200xi32", R"(distribution = "multinomial", to = i32, a = 200.0 : f64)"),
       0},
      {"one_class",
       text("3x1xf32", "3x4xi64", R"(distribution = "multinomial", to = i64, a = 4.0 : f64)"), 0},
  };
}

std::string nameOf(const testing::TestParamInfo<Case> &info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Recurrent, LowerComposites, testing::ValuesIn(recurrentCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Resize, LowerComposites, testing::ValuesIn(resizeCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Tables, LowerComposites, testing::ValuesIn(tableCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Random, LowerComposites, testing::ValuesIn(randomCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Others, LowerComposites, testing::ValuesIn(otherCases()), nameOf);

} // namespace
} // namespace convoy

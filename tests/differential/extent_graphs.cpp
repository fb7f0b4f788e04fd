// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs ops whose results have sizes that depend on data on the reference and on the host, and
// compares the outputs. The graphs cover every element type, the ranks 0 to 4, and inputs of which
// none, all or some elements are not zero.

#include "Graph/Attributes.h"
#include "Graph/Graph.h"
#include "mlir/Parser/Parser.h"
#include "reference/Reference.h"
#include "tests/differential/Differential.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

/// The probability that an element of an input is not zero.
constexpr double kDensities[] = {0, 1, 0.5, 0.05};

constexpr ElementType kTypes[] = {
    ElementType::F32,    ElementType::F64,        ElementType::F16,        ElementType::BF16,
    ElementType::I8,     ElementType::U8,         ElementType::I16,        ElementType::U16,
    ElementType::I32,    ElementType::U32,        ElementType::I64,        ElementType::U64,
    ElementType::Bool,   ElementType::I4,         ElementType::U4,         ElementType::F8E4M3FN,
    ElementType::F8E5M2, ElementType::F8E4M3FNUZ, ElementType::F8E5M2FNUZ, ElementType::F4E2M1,
};

class ExtentGraphs {
public:
  ExtentGraphs() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  }

  std::string tensorText(ElementType type, ArrayRef<int64_t> shape) {
    std::string text;
    llvm::raw_string_ostream(text) << RankedTensorType::get(shape, toMlir(type, &context));
    return text;
  }

  /// Runs one op for each density. `inputs` and `results` are types; `%x0`, `%x1`, ... are the
  /// inputs. `constants` are ops in front of the op, and `operands` the types of its operands.
  void run(const std::string &op, ArrayRef<std::string> inputs, ArrayRef<std::string> results,
           const std::string &constants = "", const std::string &operands = "") {
    std::string types = llvm::join(results, ", ");
    std::string arguments, returned;
    for (auto [i, input] : llvm::enumerate(inputs)) {
      arguments += (i == 0 ? "%x" : ", %x") + std::to_string(i) + ": " + input;
    }
    for (size_t i = 0; i < results.size(); ++i) {
      returned += (i == 0 ? "%0#" : ", %0#") + std::to_string(i);
    }
    run("func.func @main(" + arguments + ") -> (" + types + ") {\n" + constants +
        "  %0:" + std::to_string(results.size()) + " = " + op + " : (" +
        (operands.empty() ? llvm::join(inputs, ", ") : operands) + ") -> (" + types +
        ")\n  return " + returned + " : " + types + "\n}\n");
  }

  int64_t runs = 0;
  int64_t failures = 0;

private:
  void run(const std::string &text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module) {
      return fail(text, "the graph is invalid");
    }
    auto function = *module->getOps<func::FuncOp>().begin();
    graph::numberInterface(function, "x", "y");
    llvm::Expected<HostGraph> graph =
        HostGraph::compile(*module, /*threads=*/1, /*isStrictMath=*/true);
    if (!graph) {
      return fail(text, llvm::toString(graph.takeError()));
    }
    for (double density : kDensities) {
      ++runs;
      std::string problem = compare(*graph, function, density);
      if (!problem.empty()) {
        fail(text, problem + " at density " + std::to_string(density));
      }
    }
  }

  void fail(const std::string &text, const std::string &problem) {
    llvm::outs() << "FAILED: " << problem << "\n" << text;
    ++failures;
  }

  /// Returns a tensor of few different numbers, so that many elements are equal.
  Tensor input(Type type, double density) {
    auto ranked = cast<RankedTensorType>(type);
    ElementType element = fromMlir(ranked.getElementType());
    bool hasNan = isFloat(element) && bitWidth(element) >= 16;
    Tensor tensor(element, ranked.getShape());
    for (int64_t i = 0; i < tensor.size(); ++i) {
      if (!random.chance(density)) {
        continue;
      }
      if (hasNan && random.chance(0.05)) {
        tensor.setDouble(i, std::nan(""));
      } else {
        tensor.setInt(i, element == ElementType::Bool ? 1 : random.between(1, 3));
      }
    }
    return tensor;
  }

  std::string compare(const HostGraph &graph, func::FuncOp function, double density) {
    std::vector<Tensor> inputs;
    std::vector<reference::Datum> data;
    for (Type type : function.getArgumentTypes()) {
      inputs.push_back(input(type, density));
      data.emplace_back(inputs.back());
    }
    auto expected = reference::run(function, data);
    if (failed(expected)) {
      return "the reference cannot run the graph";
    }
    std::vector<Tensor> actual;
    std::string problem = graph.run(inputs, actual);
    if (problem.empty() && actual.size() != expected->size()) {
      problem = "the number of outputs differs";
    }
    for (size_t i = 0; problem.empty() && i < actual.size(); ++i) {
      Sample sample;
      sample.plain = (*expected)[i].tensor;
      problem = whyDifferent(actual[i], sample);
      problem = problem.empty() ? "" : "output " + std::to_string(i) + ", " + problem;
    }
    return problem;
  }

  MLIRContext context;
  Random random{7};
};

void runNonZero(ExtentGraphs &graphs) {
  auto run = [&](ElementType type, Shape shape) {
    Shape result = {static_cast<int64_t>(shape.size()), ShapedType::kDynamic};
    graphs.run("graph.non_zero %x0", graphs.tensorText(type, shape),
               graphs.tensorText(ElementType::I64, result));
  };
  for (ElementType type : kTypes) {
    run(type, {3, 5});
  }
  for (const Shape &shape :
       {Shape{}, {1}, {17}, {4, 0}, {1, 1, 9}, {2, 3, 4}, {2, 3, 2, 5}, {1, 70, 3}}) {
    run(ElementType::F32, shape);
  }
}

/// Returns the type of a result whose size depends on data along the axis.
Shape openAlong(Shape shape, std::optional<int64_t> axis) {
  if (!axis) {
    return {ShapedType::kDynamic};
  }
  shape[*axis] = ShapedType::kDynamic;
  return shape;
}

std::string axisText(std::optional<int64_t> axis) {
  return axis ? "axis = " + std::to_string(*axis) + " : i64" : "";
}

void runCompress(ExtentGraphs &graphs) {
  auto run = [&](ElementType type, Shape shape, std::optional<int64_t> axis, int64_t conditions) {
    graphs.run("graph.compress %x0, %x1 {" + axisText(axis) + "}",
               {graphs.tensorText(type, shape), graphs.tensorText(ElementType::Bool, {conditions})},
               graphs.tensorText(type, openAlong(shape, axis)));
  };
  for (ElementType type : kTypes) {
    run(type, {3, 5}, 0, 3);
    run(type, {3, 5}, std::nullopt, 15);
  }
  run(ElementType::F32, {6}, 0, 6);
  run(ElementType::F32, {6, 1}, 0, 4);
  run(ElementType::F32, {0, 4}, 1, 4);
  run(ElementType::F32, {2, 40, 33}, 1, 40);
  run(ElementType::F32, {2, 3, 4, 5}, 3, 5);
  run(ElementType::F32, {2, 3, 4, 5}, 0, 2);
  run(ElementType::F32, {2, 3, 4, 5}, std::nullopt, 100);
}

void runUnique(ExtentGraphs &graphs) {
  auto run = [&](ElementType type, Shape shape, std::optional<int64_t> axis, bool isSorted) {
    int64_t slices = axis ? shape[*axis] : *elementCount(shape);
    std::string open = graphs.tensorText(ElementType::I64, {ShapedType::kDynamic});
    std::string sorted = isSorted ? "sorted = true" : "sorted = false";
    graphs.run("graph.unique %x0 {" + sorted + (axis ? ", " : "") + axisText(axis) + "}",
               graphs.tensorText(type, shape),
               {graphs.tensorText(type, openAlong(shape, axis)), open,
                graphs.tensorText(ElementType::I64, {slices}), open});
  };
  for (ElementType type : kTypes) {
    run(type, {3, 5}, std::nullopt, true);
    run(type, {5, 2}, 0, false);
  }
  for (bool isSorted : {true, false}) {
    run(ElementType::F32, {}, std::nullopt, isSorted);
    run(ElementType::F32, {1}, 0, isSorted);
    run(ElementType::F32, {300}, 0, isSorted);
    run(ElementType::F32, {2, 9, 2}, 1, isSorted);
    run(ElementType::I64, {2, 2, 2, 7}, 3, isSorted);
    run(ElementType::U8, {33, 1, 2}, 0, isSorted);
  }
}

void runSuppression(ExtentGraphs &graphs) {
  auto run = [&](ElementType type, Shape scores, const std::string &limit, bool isCentered,
                 bool hasThresholds) {
    std::string boxes = graphs.tensorText(type, {scores[0], scores[2], 4});
    std::string lines = graphs.tensorText(type, scores);
    std::string constants = "  %l = graph.constant dense<" + limit + "> : tensor<1xi64>\n" +
                            "  %t = graph.constant dense<0.3> : tensor<f32>\n";
    std::string segments = hasThresholds ? "1, 1, 1, 1, 1" : "1, 1, 1, 0, 0";
    graphs.run(
        "graph.non_max_suppression %x0, %x1, %l" + std::string(hasThresholds ? ", %t, %t" : "") +
            " {boxesAreCentered = " + (isCentered ? "true" : "false") +
            ", operandSegmentSizes = array<i32: " + segments + ">}",
        {boxes, lines}, graphs.tensorText(ElementType::I64, {ShapedType::kDynamic, 3}), constants,
        boxes + ", " + lines + ", tensor<1xi64>" +
            (hasThresholds ? ", tensor<f32>, tensor<f32>" : ""));
  };
  for (ElementType type : {ElementType::F32, ElementType::F64, ElementType::F16}) {
    for (bool isCentered : {false, true}) {
      for (const char *limit : {"-1", "1", "3", "100"}) {
        run(type, {2, 3, 17}, limit, isCentered, /*hasThresholds=*/true);
      }
      run(type, {2, 3, 17}, "5", isCentered, /*hasThresholds=*/false);
    }
    run(type, {1, 1, 1}, "1", /*isCentered=*/false, /*hasThresholds=*/true);
  }
}

} // namespace

int main() {
  ExtentGraphs graphs;
  runNonZero(graphs);
  runCompress(graphs);
  runUnique(graphs);
  runSuppression(graphs);
  llvm::outs() << graphs.runs << " runs, " << graphs.failures << " failed\n";
  return graphs.failures ? 1 : 0;
}

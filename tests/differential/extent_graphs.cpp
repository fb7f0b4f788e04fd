// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs ops whose results have sizes that depend on data on the reference and on the host, and
// compares the outputs. The graphs cover every element type, the ranks 0 to 4, and inputs of which
// none, all or some elements are selected.

#include "Graph/Attributes.h"
#include "Graph/Graph.h"
#include "mlir/Parser/Parser.h"
#include "reference/Reference.h"
#include "tests/differential/Differential.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

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

  /// Runs a function with the inputs `%x` and, if `extra` is not empty, `%c` for each density. The
  /// types of the results follow from the op.
  void run(const std::string &op, ElementType type, ArrayRef<int64_t> shape,
           ArrayRef<std::string> results, const std::string &extra = "") {
    std::string text = functionText(op, tensorText(type, shape), results, extra);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module) {
      return fail(text, "the graph is invalid");
    }
    auto function = *module->getOps<func::FuncOp>().begin();
    graph::numberInterface(function, "x", "y");
    for (double density : kDensities) {
      ++runs;
      std::string problem = compare(*module, function, density);
      if (!problem.empty()) {
        fail(text, problem + " at density " + std::to_string(density));
      }
    }
  }

  std::string tensorText(ElementType type, ArrayRef<int64_t> shape) {
    std::string text;
    llvm::raw_string_ostream(text) << RankedTensorType::get(shape, toMlir(type, &context));
    return text;
  }

  int64_t runs = 0;
  int64_t failures = 0;

private:
  static std::string functionText(const std::string &op, const std::string &input,
                                  ArrayRef<std::string> results, const std::string &extra) {
    std::string types = llvm::join(results, ", ");
    std::string names = "%0";
    std::string returned = "%0#0";
    for (size_t i = 1; i < results.size(); ++i) {
      returned += ", %0#" + std::to_string(i);
    }
    bool hasExtra = !extra.empty();
    return "func.func @main(%x: " + input + (hasExtra ? ", %c: " + extra : "") + ") -> (" + types +
           ") {\n  " + names + ":" + std::to_string(results.size()) + " = " + op + " : (" + input +
           (hasExtra ? ", " + extra : "") + ") -> (" + types + ")\n  return " + returned + " : " +
           types + "\n}\n";
  }

  void fail(const std::string &text, const std::string &problem) {
    llvm::outs() << "FAILED: " << problem << "\n" << text;
    ++failures;
  }

  Tensor input(Type type, double density) {
    auto ranked = cast<RankedTensorType>(type);
    ElementType element = fromMlir(ranked.getElementType());
    Tensor tensor(element, ranked.getShape());
    for (int64_t i = 0; i < tensor.size(); ++i) {
      if (random.chance(density)) {
        tensor.setInt(i, element == ElementType::Bool ? 1 : random.between(1, 3));
      }
    }
    return tensor;
  }

  std::string compare(ModuleOp module, func::FuncOp function, double density) {
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
    std::string problem = runOnHost(module, inputs, actual, /*threads=*/1, /*isStrictMath=*/true);
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
    graphs.run("graph.non_zero %x", type, shape, graphs.tensorText(ElementType::I64, result));
  };
  for (ElementType type : kTypes) {
    run(type, {3, 5});
  }
  for (Shape shape : {Shape{}, {1}, {17}, {4, 0}, {1, 1, 9}, {2, 3, 4}, {2, 3, 2, 5}, {1, 70, 3}}) {
    run(ElementType::F32, shape);
  }
}

void runCompress(ExtentGraphs &graphs) {
  auto run = [&](ElementType type, Shape shape, std::optional<int64_t> axis, int64_t conditions) {
    std::string op = "graph.compress %x, %c";
    Shape result = {ShapedType::kDynamic};
    if (axis) {
      op += " {axis = " + std::to_string(*axis) + " : i64}";
      result = shape;
      result[*axis] = ShapedType::kDynamic;
    }
    graphs.run(op, type, shape, graphs.tensorText(type, result),
               graphs.tensorText(ElementType::Bool, {conditions}));
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

} // namespace

int main() {
  ExtentGraphs graphs;
  runNonZero(graphs);
  runCompress(graphs);
  llvm::outs() << graphs.runs << " runs, " << graphs.failures << " failed\n";
  return graphs.failures ? 1 : 0;
}

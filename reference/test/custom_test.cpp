// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the tables that the reference passes to the function of a custom op, and its errors.

#include "Graph/Custom.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "reference/Reference.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace convoy {
namespace {

/// Writes what it got: the length of the text s (-1: null), the count of ints, whether ints is
/// null, and i.
int32_t describeAttributes(const convoy_custom_tensor *inputs, const convoy_custom_tensor *outputs,
                           const convoy_custom_attribute *attributes) {
  auto *found = static_cast<int64_t *>(outputs[0].data);
  found[0] = attributes[0].s ? static_cast<int64_t>(StringRef(attributes[0].s).size()) : -1;
  found[1] = attributes[1].count;
  found[2] = attributes[1].ints ? 0 : 1;
  found[3] = attributes[2].i + inputs[0].shape[0];
  return 0;
}

int32_t failWithThree(const convoy_custom_tensor *, const convoy_custom_tensor *,
                      const convoy_custom_attribute *) {
  return 3;
}

class TestFunctions : public graph::CustomFunctions {
public:
  using CustomFunctions::CustomFunctions;

  llvm::Expected<convoy_custom_function *> find(StringRef function) const override {
    return function == "describe" ? &describeAttributes : &failWithThree;
  }
};

struct Outcome {
  std::vector<int64_t> values;
  std::string error;
};

/// Evaluates an op whose function has the attributes s, ints and i.
Outcome evaluate(const std::string &function, const std::string &values, bool hasFunctions = true) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect>();
  auto *dialect = context.getOrLoadDialect<graph::GraphDialect>();
  if (hasFunctions) {
    std::unique_ptr<DialectInterface> functions = std::make_unique<TestFunctions>(dialect);
    dialect->addInterface(std::move(functions));
  }
  Outcome outcome;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    outcome.error = outcome.error.empty() ? diagnostic.str() : outcome.error;
    return success();
  });
  std::string text = "func.func @f(%x: tensor<2xf32>) -> tensor<4xi64> { %y = graph.custom %x {"
                     "op = \"d.Op\", function = \"" +
                     function +
                     "\", inputNames = [\"x\"], parameterNames = [\"s\", \"l\", \"i\"],"
                     "parameterValues = [" +
                     values +
                     "], resultTypes = [\"int64\"], resultShapes = [[\"4\"]]}"
                     " : (tensor<2xf32>) -> tensor<4xi64> return %y : tensor<4xi64> }";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    return outcome;
  }
  auto result =
      reference::run(*module->getOps<func::FuncOp>().begin(), {Tensor(ElementType::F32, {2})});
  if (succeeded(result)) {
    const Tensor &found = result->front().tensor;
    for (int64_t i = 0; i < found.size(); ++i) {
      outcome.values.push_back(found.asInt(i));
    }
  }
  return outcome;
}

TEST(Custom, PassesAttributes) {
  Outcome outcome = evaluate("describe", R"("two", array<i64: 7, 8>, 5 : i64)");
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.values, (std::vector<int64_t>{3, 2, 0, 7}));
}

// Compiled code passes "" and null, too.
TEST(Custom, PassesAnEmptyTextAndNoEmptyList) {
  Outcome outcome = evaluate("describe", R"("", array<i64>, 5 : i64)");
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.values, (std::vector<int64_t>{0, 0, 1, 7}));
}

TEST(Custom, ReportsErrors) {
  EXPECT_NE(evaluate("other", R"("", array<i64>, 5 : i64)")
                .error.find("calls the function 'other', which returned 3; 0 is success"),
            std::string::npos);
  EXPECT_NE(evaluate("describe", R"("", array<i64>, 5 : i64)", /*hasFunctions=*/false)
                .error.find("calls the function 'describe' of d.Op, which only --custom-ops "
                            "provides"),
            std::string::npos);
}

} // namespace
} // namespace convoy

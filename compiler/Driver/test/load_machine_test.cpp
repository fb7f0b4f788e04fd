// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests what compiled code does with data that ONNX forbids, as `convoy ops` documents it. The
// reference rejects such data, so a comparison with the reference cannot test this.

#include "Driver/BackendJob.h"
#include "Driver/LoadedProgram.h"
#include "Driver/Operators.h"
#include "Graph/Graph.h"
#include "Pipeline/RunStages.h"
#include "Pipeline/TargetOptions.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::driver;
using namespace mlir;

namespace {

Tensor tensor(ElementType type, const std::vector<int64_t> &values) {
  Tensor result(type, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) {
    result.setDouble(static_cast<int64_t>(i), static_cast<double>(values[i]));
  }
  return result;
}

/// Returns the elements of the only result of a function `@main` on the host.
std::vector<double> runOnHost(llvm::StringRef text, llvm::ArrayRef<Datum> inputs) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<graph::GraphDialect, func::FuncDialect>();
  Model unused = operatorModel("Relu", /*isQuantized=*/false);
  CompileRequest request;
  CompileHooks hooks;
  BackendJob job{unused, request, hooks, machineTarget(targets::detectHost())};
  job.options = optionsFor(job.target.machine, /*threads=*/1);
  job.module = parseSourceString<ModuleOp>(text, &context);
  std::unique_ptr<Executable> model = job.module && succeeded(runStages(*job.module, job.options))
                                          ? job.target.backend->load(job)
                                          : nullptr;
  FailureOr<std::vector<Datum>> outputs =
      model ? model->run(inputs) : FailureOr<std::vector<Datum>>(failure());
  std::vector<double> elements;
  if (succeeded(outputs)) {
    const Tensor &result = outputs->front().tensor;
    for (int64_t i = 0; i < result.size(); ++i) {
      elements.push_back(result.asDouble(i));
    }
  }
  return elements;
}

constexpr int64_t kFar = std::numeric_limits<int64_t>::max();

TEST(LoadMachine, ReadsTheNearestOfAnIndexOutOfRange) {
  EXPECT_EQ(runOnHost(R"(
    func.func @main(%x: tensor<3xf32> {graph.name = "x"}, %i: tensor<6xi64> {graph.name = "i"})
        -> (tensor<6xf32> {graph.name = "y"}) {
      %0 = graph.gather %x, %i {axis = 0 : i64} : (tensor<3xf32>, tensor<6xi64>) -> tensor<6xf32>
      return %0 : tensor<6xf32>
    })",
                      {tensor(ElementType::F32, {10, 20, 30}),
                       tensor(ElementType::I64, {1, 3, kFar, -1, -4, -kFar})}),
            (std::vector<double>{20, 30, 30, 30, 10, 10}));
}

TEST(LoadMachine, WritesNothingForAnIndexOutOfRange) {
  EXPECT_EQ(
      runOnHost(R"(
    func.func @main(%x: tensor<3xf32> {graph.name = "x"}, %i: tensor<4xi64> {graph.name = "i"},
                    %u: tensor<4xf32> {graph.name = "u"}) -> (tensor<3xf32> {graph.name = "y"}) {
      %0 = graph.scatter_elements %x, %i, %u {axis = 0 : i64, kind = 0 : i32}
          : (tensor<3xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    })",
                {tensor(ElementType::F32, {10, 20, 30}), tensor(ElementType::I64, {1, 3, -4, kFar}),
                 tensor(ElementType::F32, {1, 2, 3, 4})}),
      (std::vector<double>{10, 1, 30}));
}

} // namespace

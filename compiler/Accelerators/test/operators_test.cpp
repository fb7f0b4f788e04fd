// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs every operator of the list on every device. The operator runs on the device or stays on the
// CPU with a reason, and the model's result equals the reference.

#include "Accelerators/Registry.h"
#include "Driver/LoadedProgram.h"
#include "Driver/Operators.h"
#include "convoy/compiler.h"
#include "io/InputData.h"
#include <cstring>
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace convoy;
using namespace convoy::driver;

namespace {

std::unique_ptr<accelerators::Accelerator> find(llvm::StringRef target) {
  auto device = accelerators::findAccelerator(target);
  EXPECT_TRUE(device && *device) << target.str();
  return std::move(*device);
}

/// Returns the model's outputs on a target; empty after a test failure.
std::vector<Datum> outputsOf(const Model &model, const std::string &target) {
  CompileRequest request;
  request.target.name = target;
  request.output.emit = Emit::Memory;
  NamedData data;
  for (auto [i, input] : llvm::enumerate(io::dataInputs(model, request.inputs))) {
    data[input.name] = io::randomTensor(input.type, *input.shape, i + 1);
  }
  Result<Artifact> artifact = convoy::compileModel(model, request);
  if (!artifact) {
    ADD_FAILURE() << artifact.problems().firstError();
    return {};
  }
  Result<std::vector<Datum>> outputs = artifact->memory->program().run(data);
  EXPECT_TRUE(bool(outputs)) << outputs.problems().firstError();
  return outputs ? *outputs : std::vector<Datum>();
}

void expectAlike(const Tensor &actual, const Tensor &expected) {
  ASSERT_EQ(actual.type(), expected.type());
  ASSERT_EQ(actual.bytes(), expected.bytes());
  if (!isFloat(expected.type())) {
    EXPECT_EQ(std::memcmp(actual.raw(), expected.raw(), expected.bytes()), 0);
    return;
  }
  for (int64_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual.asDouble(i), expected.asDouble(i), 1e-2) << i;
  }
}

TEST(Operators, RunOrFallBackWithTheirReasons) {
  for (const std::string &target : accelerators::listTargets()) {
    std::unique_ptr<accelerators::Accelerator> device = find(target);
    for (llvm::StringRef name : operatorNames()) {
      SCOPED_TRACE(target + " " + name.str());
      llvm::Expected<OperatorVerdict> verdict = placeOperator(name, *device);
      ASSERT_TRUE(bool(verdict)) << llvm::toString(verdict.takeError());
      EXPECT_TRUE(verdict->isOnDevice || !verdict->reason.empty());
    }
  }
}

TEST(Operators, GiveTheResultsOfTheReference) {
  for (llvm::StringRef target : {"abstract", "example"}) {
    bool isQuantized = isForIntegers(*find(target));
    for (llvm::StringRef name : operatorNames()) {
      SCOPED_TRACE((target + " " + name).str());
      Model model = operatorModel(name, isQuantized);
      std::vector<Datum> actual = outputsOf(model, target.str());
      std::vector<Datum> expected = outputsOf(model, "reference");
      ASSERT_EQ(actual.size(), 1U);
      ASSERT_EQ(expected.size(), 1U);
      expectAlike(actual[0].tensor, expected[0].tensor);
    }
  }
}

/// The exact list of operators that the abstract device leaves to the CPU.
TEST(Operators, OfAnIntegerDevice) {
  std::unique_ptr<accelerators::Accelerator> device = find("abstract");
  std::set<std::string> left;
  for (llvm::StringRef name : operatorNames()) {
    llvm::Expected<OperatorVerdict> verdict = placeOperator(name, *device);
    ASSERT_TRUE(bool(verdict));
    if (!verdict->isOnDevice) {
      left.insert(name.str());
    }
  }
  EXPECT_EQ(left, (std::set<std::string>{"BatchNorm", "LRN", "Softmax", "Transpose"}));
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that the search names the wrong layer of a device that computes one kind of layer wrongly,
// and the wrong pass of a device.

#include "Accelerators/Registry.h"
#include "ConvCore/ConvCore.h"
#include "Driver/Operators.h"
#include "Graph/Graph.h"
#include "check/locate/DeviceFault.h"
#include "io/InputData.h"
#include "io/Npy.h"
#include "io/Samples.h"
#include "io/test/TestModel.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace convoy;
using namespace convoy::check;
using namespace convoy::accelerators;

namespace {

/// Computes a maximum pool as an average pool, and an integer convolution with a wrong zero
/// point.
class WrongDevice : public Accelerator {
public:
  explicit WrongDevice(llvm::StringRef name = "example")
      : right(std::move(*findAccelerator(name))) {}

  llvm::StringRef name() const override { return right->name(); }
  llvm::StringRef summary() const override { return right->summary(); }
  const Capabilities &capabilities() const override { return right->capabilities(); }
  std::optional<Refusal> refuse(Operation *op) const override { return right->refuse(op); }
  ElementType floatType() const override { return right->floatType(); }
  quantize::Arithmetic arithmetic() const override { return right->arithmetic(); }
  void addPasses(OpPassManager &passes) const override { right->addPasses(passes); }
  llvm::ArrayRef<memory::Space> memories() const override { return right->memories(); }
  Cost estimate(Operation *op) const override { return right->estimate(op); }
  std::unique_ptr<Simulator> simulator() const override { return right->simulator(); }

  FailureOr<Program> lower(func::FuncOp region, const DependenceGraph &) const override {
    OwningOpRef<func::FuncOp> copy = region.clone();
    if (isWrong) {
      copy->walk([](convcore::PoolOp pool) { pool.setKind(convcore::PoolKind::Average); });
      copy->walk([](convcore::ConvOp conv) {
        conv.setInputZeroPoint(conv.getInputZeroPoint() + (conv.getRequant() ? 1 : 0));
      });
    }
    return right->lower(*copy, DependenceGraph(copy->getBody().front()));
  }

  bool isWrong = true;

private:
  std::unique_ptr<Accelerator> right;
};

/// A pass of a device that changes a maximum pool to an average pool.
struct WrongPass : PassWrapper<WrongPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrongPass)

  StringRef getArgument() const override { return "test-wrong-pass"; }
  void runOnOperation() override {
    getOperation().walk([](convcore::PoolOp pool) { pool.setKind(convcore::PoolKind::Average); });
  }
};

/// A device whose own pass is wrong.
class DeviceWithWrongPass : public WrongDevice {
public:
  DeviceWithWrongPass() { isWrong = false; }

  void addPasses(OpPassManager &passes) const override {
    passes.addPass(std::make_unique<WrongPass>());
  }
};

NamedData randomInputs(const Model &model) {
  NamedData inputs;
  for (auto [i, input] : llvm::enumerate(io::dataInputs(model, InputPins()))) {
    inputs[input.name] = io::randomTensor(input.type, *input.shape, i + 1);
  }
  return inputs;
}

/// If `samples` is not empty, it is a folder of calibration data, and the model is quantized.
Fault faultFor(llvm::StringRef op, const WrongDevice &device, const std::string &samples = "") {
  Model model = driver::operatorModel(op, /*isQuantized=*/false);
  NamedData inputs = randomInputs(model);
  std::vector<Datum> expected;
  CompileRequest request;
  request.target.name = device.name().str();
  request.numerics.isInteger = !samples.empty();
  Problems problems;
  if (!samples.empty()) {
    request.calibration = io::openSamples(samples, model, {}, {}, problems);
  }
  EXPECT_FALSE(problems.hasErrors()) << problems.firstError();
  return locateDeviceFault({model, request, inputs, expected, Arithmetic::Float}, device);
}

TEST(DeviceFault, NamesTheLayer) {
  Fault fault = faultFor("MaxPool", WrongDevice());
  EXPECT_EQ(fault.op, "'MaxPool' (MaxPool)");
  EXPECT_EQ(fault.note, "in region 0 of example");
  EXPECT_FALSE(fault.measured.empty());
}

TEST(DeviceFault, NamesThePassOfTheDevice) {
  Fault fault = faultFor("MaxPool", DeviceWithWrongPass());
  EXPECT_EQ(fault.op, "'MaxPool' (MaxPool)");
  EXPECT_EQ(fault.pass, "test-wrong-pass");
  EXPECT_EQ(fault.note, "in region 0 of example; the outputs are right without this pass");
}

TEST(DeviceFault, NamesTheLayerOfACalibratedModel) {
  NamedData inputs = randomInputs(driver::operatorModel("ConvWithBias", /*isQuantized=*/false));
  convoy::test::TemporaryFolder folder;
  folder.write("sample.npy", io::encodeNpy(inputs.begin()->second.tensor));
  Fault fault = faultFor("ConvWithBias", WrongDevice("abstract"), folder.file("."));
  EXPECT_EQ(fault.op, "'ConvWithBias' (Conv)") << fault.note;
  EXPECT_EQ(fault.note, "in region 0 of abstract");
}

TEST(DeviceFault, LooksElsewhereWhenLayersAreRight) {
  WrongDevice device;
  EXPECT_EQ(
      faultFor("ConvWithBias", device).note,
      "every region is right on the device, so the error is in the part that runs on the CPU");
  device.isWrong = false;
  EXPECT_EQ(faultFor("MaxPool", device).op, "");
}

} // namespace

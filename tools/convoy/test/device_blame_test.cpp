// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that is wrong in one kind of layer: which layer is found, with its node.

#include "Accelerators/ConvCore/ConvCore.h"
#include "Accelerators/Registry.h"
#include "Graph/Graph.h"
#include "tools/convoy/DeviceBlame.h"
#include "tools/convoy/InputData.h"
#include "tools/convoy/Operators.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace convoy;
using namespace convoy::driver;
using namespace convoy::accelerators;

namespace {

/// The example device, but that it computes maximum pools as averages.
class WrongDevice : public Accelerator {
public:
  WrongDevice() : right(std::move(*findAccelerator("example"))) {}

  llvm::StringRef name() const override { return right->name(); }
  llvm::StringRef summary() const override { return right->summary(); }
  const Capabilities &capabilities() const override { return right->capabilities(); }
  std::optional<Refusal> refuse(Operation *op) const override { return right->refuse(op); }
  ElementType floatType() const override { return right->floatType(); }
  llvm::ArrayRef<memory::Space> memories() const override { return right->memories(); }
  Cost estimate(Operation *op) const override { return right->estimate(op); }
  std::unique_ptr<Simulator> simulator() const override { return right->simulator(); }

  FailureOr<Program> lower(func::FuncOp region, const DependenceGraph &) const override {
    OwningOpRef<func::FuncOp> copy = region.clone();
    if (isWrong) {
      copy->walk([](convcore::PoolOp pool) { pool.setKind(convcore::PoolKind::Average); });
    }
    return right->lower(*copy, DependenceGraph(copy->getBody().front()));
  }

  bool isWrong = true;

private:
  std::unique_ptr<Accelerator> right;
};

Blame blameFor(llvm::StringRef op, const WrongDevice &device) {
  import::Model model = operatorModel(op, /*isQuantized=*/false);
  import::ImportOptions options;
  NamedData inputs;
  for (auto [i, input] : llvm::enumerate(dataInputs(model, options))) {
    inputs[input.name] = randomTensor(input.type, *input.shape, i + 1);
  }
  std::vector<Datum> expected;
  return findDeviceBlame(
      {model, options, inputs, expected, driver::Arithmetic::Float, TargetOptions()}, device);
}

TEST(DeviceBlame, NamesTheLayer) {
  Blame blame = blameFor("MaxPool", WrongDevice());
  EXPECT_EQ(blame.op, "'MaxPool' (MaxPool)");
  EXPECT_EQ(blame.note, "in region 0 of example");
  EXPECT_FALSE(blame.measured.empty());
}

TEST(DeviceBlame, LooksElsewhereWhenLayersAreRight) {
  WrongDevice device;
  EXPECT_EQ(blameFor("ConvWithBias", device).note,
            "every region is right on the device, so the fault is in the CPU's part");
  device.isWrong = false;
  EXPECT_EQ(blameFor("MaxPool", device).op, "");
}

} // namespace

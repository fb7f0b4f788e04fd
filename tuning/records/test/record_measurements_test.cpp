// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the use of records by a compilation.

#include "Layout/Measured.h"
#include "Layout/Passes.h"
#include "RecordCase.h"
#include "mlir/Pass/PassManager.h"
#include "tuning/records/RecordMeasurements.h"
#include "tuning/space/TaskSpace.h"
#include "tuning/space/test/TestKernels.h"

namespace convoy::tuning {
namespace {

using namespace mlir;

class RecordMeasurementsTest : public RecordCase {
protected:
  RecordMeasurementsTest()
      : context(MLIRContext::Threading::DISABLED), task(test::convTask({16, 16, 32, 3, 1})) {
    options.machine.vectorBytes = 32;
  }

  Record record(const Configuration &configuration, int number, double ns) {
    Record result = sampleRecord(number, ns);
    result.taskText = task.text;
    result.configuration = configuration;
    return result;
  }

  /// Returns the configuration that a compilation chooses with these records.
  std::string chosen(llvm::ArrayRef<Record> records, int64_t expectedTuned) {
    RecordStore store = openToWrite(file("tune.db"));
    get(store.append(records));
    Snapshot snapshot = get(Snapshot::read(store, selectionFor("machine", "cold-weights")));
    TaskModule module = get(readTask(task, &context));
    PassManager passes(&context);
    layout::LayoutOptions layouts;
    layouts.measurements = std::make_shared<RecordMeasurements>(std::move(snapshot));
    kernels::setMachine(*module.module, options.machine);
    layout::addLayoutPasses(passes, layouts);
    EXPECT_TRUE(succeeded(passes.run(*module.module)));
    std::optional<layout::UsedMeasurements> used = layout::usedMeasurements(*module.module);
    EXPECT_EQ(used.value().counts.kernels, 1);
    EXPECT_EQ(used.value().counts.tuned, expectedTuned);
    std::string text;
    module.module->walk([&](graph::KernelOp kernel) {
      if (Attribute config = kernel.getConfigAttr()) {
        llvm::raw_string_ostream(text) << config;
      }
    });
    return text;
  }

  MLIRContext context;
  Task task;
  SpaceOptions options;
};

TEST_F(RecordMeasurementsTest, TheFastestIsTaken) {
  TaskModule module = get(readTask(task, &context));
  TaskSpace space = get(spaceOf(module.kernel(), options));
  std::string usual = chosen({}, 0);
  EXPECT_EQ(usual, space.first().configuration.text);
  // The first configuration that the compiler would not choose, with the same layouts.
  const Configuration &first = space.first().configuration;
  auto other = llvm::find_if(space.entries, [&](const SpaceEntry &entry) {
    return entry.configuration.text != first.text && !entry.configuration.text.empty() &&
           entry.configuration.inputLayout == first.inputLayout &&
           entry.configuration.outputLayout == first.outputLayout;
  });
  ASSERT_NE(other, space.entries.end());
  EXPECT_EQ(chosen({record(first, 1, 90000), record(other->configuration, 2, 50000)}, 1),
            other->configuration.text);
}

TEST_F(RecordMeasurementsTest, WhatDoesNotFitIsAMiss) {
  Configuration stale = {"conv_direct", 99, "#kernel.conv_direct<block = 8>", "planar", "planar"};
  Configuration unreadable = {"loops",
                              selectionFor("", "").templateVersions.at("loops") == 1 ? 1 : 0,
                              "#kernel.gone<x = 1>", "planar", "planar"};
  std::string usual = chosen({}, 0);
  EXPECT_EQ(chosen({record(stale, 1, 1000), record(unreadable, 2, 1000)}, 0), usual);
}

} // namespace
} // namespace convoy::tuning

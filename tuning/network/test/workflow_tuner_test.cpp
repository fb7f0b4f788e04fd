// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests workflows with records and with the tuner of this machine.

#include "Driver/Operators.h"
#include "convoy/local_tuner.h"
#include "convoy/workflow.h"
#include "io/test/TestModel.h"
#include <gtest/gtest.h>

using namespace convoy;

namespace {

Workflow conv() {
  return Workflow(Result<Model>(driver::operatorModel("ConvWithBias", /*isQuantized=*/false)));
}

std::string firstErrorOf(const Workflow &workflow) { return workflow.problems().firstError(); }

NamedTensors onesFor(const CompiledModel &model) {
  NamedTensors inputs;
  for (const TensorInfo &input : model.artifact().report.inputs) {
    inputs[input.name] =
        tensorOf(input.shape, std::vector<float>(elementCountOf(input.shape), 1.0F));
  }
  return inputs;
}

TEST(WorkflowTuner, TunesAndCompilesWithItsRecords) {
  test::TemporaryFolder folder;
  int steps = 0;
  TuneBudget budget;
  budget.trials = 4;
  budget.progress = [&](const TuneStep &step) {
    ++steps;
    EXPECT_GT(step.defaultMs, 0);
    return true;
  };
  LocalTunerOptions options;
  options.records = folder.file("tune.db");
  options.waitSeconds = 1;
  Workflow tuned = conv().tune(localTuner(options), budget);
  ASSERT_TRUE(tuned) << firstErrorOf(tuned);
  ASSERT_TRUE(tuned.tuneReport());
  EXPECT_EQ(tuned.tuneReport()->trials, 4);
  EXPECT_FALSE(tuned.tuneReport()->isInterrupted);
  EXPECT_GE(steps, 1);

  CompiledModel compiled = tuned.compile();
  ASSERT_TRUE(compiled) << compiled.problems().firstError();
  const TunedSummary &used = compiled.artifact().report.tuned;
  EXPECT_EQ(used.tuned + used.kept, 1); // the default may be the fastest
  EXPECT_TRUE(compiled.run(onesFor(compiled)));
  // The records are in the file.
  CompiledModel later = conv().records(options.records).compile();
  ASSERT_TRUE(later) << later.problems().firstError();
  EXPECT_EQ(later.artifact().report.hash, compiled.artifact().report.hash);
}

TEST(WorkflowTuner, EndsWhenTheProgramSaysSo) {
  test::TemporaryFolder folder;
  LocalTunerOptions options;
  options.records = folder.file("tune.db");
  options.waitSeconds = 1;
  TuneBudget budget;
  budget.seconds = 60;
  budget.progress = [](const TuneStep &) { return false; };
  Workflow tuned = conv().tune(localTuner(options), budget);
  ASSERT_TRUE(tuned) << firstErrorOf(tuned);
  EXPECT_TRUE(tuned.tuneReport()->isInterrupted);
  EXPECT_GE(tuned.tuneReport()->trials, 1);
  EXPECT_EQ(tuned.tuneReport()->afterMs, 0); // the network was not timed
}

TEST(WorkflowTuner, ReportsProblemsBeforeMeasuring) {
  test::TemporaryFolder folder;
  EXPECT_EQ(firstErrorOf(conv().tune(localTuner(""))),
            "localTuner expects a file for its records, got an empty path");
  LocalTunerOptions options;
  options.records = folder.file("tune.db");
  options.measureProgram = folder.file("missing");
  EXPECT_EQ(firstErrorOf(conv().tune(localTuner(options))),
            "cannot execute '" + options.measureProgram + "'; pass the path of convoy-measure");
  Workflow elsewhere = conv().target("cortex-m85").tune(localTuner(options.records));
  EXPECT_NE(firstErrorOf(elsewhere).find("cannot be measured here"), std::string::npos)
      << firstErrorOf(elsewhere);
  EXPECT_FALSE(elsewhere.tuneReport());
}

TEST(WorkflowTuner, NamesRecordsThatCannotBeRead) {
  CompiledModel compiled = conv().records("no/such/tune.db").compile();
  ASSERT_FALSE(compiled);
  EXPECT_NE(compiled.problems().firstError().find("--records: "), std::string::npos);
  EXPECT_NE(compiled.problems().firstError().find("no/such/tune.db"), std::string::npos)
      << compiled.problems().firstError();
}

} // namespace

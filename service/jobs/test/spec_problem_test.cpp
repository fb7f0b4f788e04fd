// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/api/FileName.h"
#include "service/jobs/SpecProblem.h"
#include <gtest/gtest.h>
#include <limits>

namespace convoy::service {
namespace {

JobSpec plainSpec() {
  JobSpec spec;
  spec.set_project("p");
  spec.set_target_class("c");
  spec.set_objective("latency");
  spec.set_batch(8);
  spec.set_max_trials(10);
  spec.add_tasks()->set_text("task");
  return spec;
}

TEST(SpecProblem, AcceptsAPlainJob) { EXPECT_EQ(problemOf(plainSpec()), ""); }

TEST(SpecProblem, ChecksTheNameOfTheModel) {
  JobSpec spec = plainSpec();
  for (const char *name : {"", "resnet50", "a-b_c.v2"}) {
    spec.set_model_name(name);
    EXPECT_EQ(problemOf(spec), "") << name;
  }
  for (const std::string &name :
       {std::string("../x"), std::string("7net"), std::string("a b"), std::string(101, 'a')}) {
    spec.set_model_name(name);
    EXPECT_EQ(problemOf(spec), "modelName: expected at most 100 letters, digits, '-', '.' and '_', "
                               "and a letter at first")
        << name;
    EXPECT_TRUE(isFileName(toFileName(name)));
  }
  EXPECT_EQ(toFileName("a b/c"), "a_b_c");
  EXPECT_EQ(toFileName("7net"), "model");
  EXPECT_EQ(toFileName(""), "model");
}

TEST(SpecProblem, RefusesLimitsThatAreNone) {
  constexpr char kExpected[] = "maxTrials, maxWallSeconds, maxDeviceSeconds: expected at least 0, "
                               "which means no limit, and at most 1000000000";
  double infinity = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (double value : {-1.0, 1e300, infinity, nan}) {
    JobSpec spec = plainSpec();
    spec.set_max_wall_seconds(value);
    EXPECT_EQ(problemOf(spec), kExpected);
    spec = plainSpec();
    spec.set_max_device_seconds(value);
    EXPECT_EQ(problemOf(spec), kExpected);
    spec = plainSpec();
    spec.set_latency_us(value);
    EXPECT_EQ(problemOf(spec),
              "latencyUs: expected at least 0, which means no limit, and at most 1000000000000000");
    JobExtension extension;
    extension.set_add_wall_seconds(value);
    EXPECT_EQ(problemOf(extension),
              "addTrials, addWallSeconds, addDeviceSeconds: expected at least 0 and at most "
              "1000000000; an extension cannot lower a limit");
  }
  JobSpec spec = plainSpec();
  spec.set_max_trials(std::numeric_limits<int64_t>::max());
  EXPECT_EQ(problemOf(spec), kExpected);
}

} // namespace
} // namespace convoy::service

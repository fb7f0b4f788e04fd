// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files with loads and stage times, and the chart.

#include "service/simulate/GanttChart.h"
#include "service/simulate/LoadFile.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>

using namespace convoy::service;

namespace {

class LoadFileTest : public ::testing::Test {
protected:
  std::string write(const std::string &text) {
    path = std::filesystem::path(::testing::TempDir()) /
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ofstream(path) << text;
    return path;
  }
  /// Returns the error of a load without the path.
  std::string loadError(const std::string &text) {
    llvm::Expected<Load> load = readLoad(write(text), 1);
    return load ? "no error" : llvm::toString(load.takeError()).substr(path.size() + 2);
  }
  std::string timesError(const std::string &text) {
    llvm::Expected<StageSamples> times = readStageSamples(write(text));
    return times ? "no error" : llvm::toString(times.takeError()).substr(path.size() + 2);
  }
  std::string path;
};

constexpr const char *kLoad = R"({
  "name": "two", "searchSlots": 2, "buildSlots": 3, "devices": {"arm": 4},
  "jobs": [{"project": "a", "class": "arm", "release": 5, "rounds": 3},
           {"project": "b", "class": "arm", "rounds": 2, "batch": 8, "tier": 1, "build": 2.5}]
})";

TEST_F(LoadFileTest, readsAPoolAndItsJobsByRelease) {
  llvm::Expected<Load> load = readLoad(write(kLoad), 1);
  ASSERT_TRUE(bool(load)) << llvm::toString(load.takeError());
  EXPECT_EQ(load->name, "two");
  EXPECT_EQ(load->searchSlots, 2);
  EXPECT_EQ(load->buildSlots, 3);
  EXPECT_EQ(load->devices.at("arm"), 4);
  ASSERT_EQ(load->jobs.size(), 2u);
  EXPECT_EQ(load->jobs[0].project, "b");
  EXPECT_EQ(load->jobs[0].batch, 8);
  EXPECT_EQ(load->jobs[0].tier, 1);
  EXPECT_DOUBLE_EQ(load->jobs[0].meanSeconds[1], 2.5);
  EXPECT_DOUBLE_EQ(load->jobs[1].releaseSeconds, 5);
}

TEST_F(LoadFileTest, explainsWhatIsWrong) {
  EXPECT_EQ(loadError("{"), "is not valid JSON");
  EXPECT_EQ(loadError("[]"), "load: expected an object");
  EXPECT_EQ(loadError("{}"), "expected at least one job in 'jobs'");
  EXPECT_EQ(loadError(R"({"buildSlots": 0, "jobs": [{}]})"),
            "load: 'buildSlots' expects a number from 1 to 100000, got 0");
  EXPECT_EQ(loadError(R"({"jobs": [{"class": 3}]})"), "jobs[0]: 'class' expects a string, got 3");
  EXPECT_EQ(loadError(R"({"devices": {"arm": "x"}, "jobs": [{"class": "arm"}]})"),
            "devices: 'arm' expects a number from 1 to 100000, got \"x\"");
  EXPECT_EQ(loadError(R"({"jobs": [{"class": "arm"}]})"),
            "no device of class 'arm', which a job needs; add it to 'devices'");
  llvm::Expected<Load> missing = readLoad("/nonexistent/load.json", 1);
  EXPECT_EQ(llvm::toString(missing.takeError()),
            "/nonexistent/load.json: No such file or directory");
}

TEST_F(LoadFileTest, readsTimesAsJsonOrCsv) {
  llvm::Expected<StageSamples> json = readStageSamples(write(R"({"build": [1.5, 2]})"));
  ASSERT_TRUE(bool(json));
  EXPECT_EQ(json->seconds[1], (std::vector<double>{1.5, 2}));
  llvm::Expected<StageSamples> csv =
      readStageSamples(write("stage,seconds\npropose, 3\nmeasure,0.5\n"));
  ASSERT_TRUE(bool(csv));
  EXPECT_EQ(csv->seconds[0], std::vector<double>{3});
  EXPECT_EQ(csv->seconds[2], std::vector<double>{0.5});
  EXPECT_EQ(timesError("link,3\n"), "expected 'propose|build|measure,seconds', got 'link,3'");
  EXPECT_EQ(timesError(R"({"build": ["x"]})"),
            "'build' expects an array of positive seconds, got \"x\"");
}

TEST_F(LoadFileTest, recordedTimesReplaceTheDefaults) {
  StageSamples samples;
  samples.seconds[1] = {42};
  Load load = makeLoad(*findLoadShape("burst-8"), 1, samples);
  for (const LoadJob &job : load.jobs) {
    EXPECT_DOUBLE_EQ(job.meanSeconds[1], 42);
    EXPECT_NE(job.meanSeconds[2], 42);
  }
}

TEST_F(LoadFileTest, theChartShowsEverySlotAndEscapesNames) {
  llvm::Expected<Load> load = readLoad(write(kLoad), 1);
  ASSERT_TRUE(bool(load));
  load->jobs[0].project = "<b>";
  SimulationOptions options;
  options.keepsSpans = true;
  SimulationResult result =
      simulate(*load, convoy::service::scheduler::makePolicy("balanced"), options);
  std::string svg;
  llvm::raw_string_ostream os(svg);
  writeGantt(os, *load, result, "two & more");
  for (const char *text : {"two &amp; more", ">jobs<", ">search<", ">build<", ">arm<",
                           "job 0 of &lt;b&gt;: build", "virtual seconds", "</svg>"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(svg.find("<b>"), std::string::npos);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sensors and locks of a device, with the files of another machine.

#include "Support/TemporaryFolder.h"
#include "service/worker/CpuLock.h"
#include "service/worker/DeviceSensors.h"
#include "service/worker/Emulation.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::service;

namespace {

TEST(DeviceSensors, reads_frequency_and_temperature) {
  TemporaryFolder folder;
  ASSERT_FALSE(folder.createInSystem());
  auto write = [&](const char *name, const char *text) {
    ASSERT_FALSE(writeFile(folder.file(name), text));
  };
  write("devices/system/cpu/cpu3/cpufreq/scaling_cur_freq", "2400000\n");
  write("class/thermal/thermal_zone0/temp", "41000\n");
  write("class/thermal/thermal_zone1/temp", "56500\n");
  EXPECT_EQ(readKilohertz(folder.path(), 3), 2400000);
  EXPECT_EQ(readKilohertz(folder.path(), 0), 0);
  EXPECT_EQ(readCelsius(folder.path()), 56.5);
  EXPECT_EQ(readCelsius("/nowhere"), 0);
}

TEST(CpuLock, excludes_others) {
  TemporaryFolder folder;
  ASSERT_FALSE(folder.createInSystem());
  {
    llvm::Expected<CpuLock> lock = CpuLock::acquire(folder.path().str(), {1, 0}, 0);
    ASSERT_TRUE(static_cast<bool>(lock));
    std::string problem = llvm::toString(CpuLock::acquire(folder.path().str(), {1}, 0).takeError());
    EXPECT_EQ(problem, "another process measures on CPU 1 and holds '" +
                           folder.file("convoy-cpu1.lock") + "'");
  }
  EXPECT_TRUE(static_cast<bool>(CpuLock::acquire(folder.path().str(), {1}, 0)));
}

TEST(EmulationTables, refuses_other_files) {
  TemporaryFolder folder;
  ASSERT_FALSE(folder.createInSystem());
  std::string path = folder.file("table.json");
  ASSERT_FALSE(writeFile(path, "{}"));
  EXPECT_EQ(llvm::toString(EmulationTables::read(path).takeError()),
            path + " has no \"format\": 1; write it with tests/service/make_tables.py");
}

} // namespace

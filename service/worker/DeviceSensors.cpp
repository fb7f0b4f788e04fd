// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the files of cpufreq and of thermal zones.

#include "service/worker/DeviceSensors.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

namespace convoy::service {

// The system numbers the zones without gaps. Real machines have fewer.
static constexpr int kMaxZones = 256;

/// Returns the number in a file; nothing if there is none.
static std::optional<int64_t> readNumber(const std::string &path) {
  // The size of files in sysfs is not the size of their content.
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  int64_t value = 0;
  if (!buffer || (*buffer)->getBuffer().trim().getAsInteger(10, value)) {
    return std::nullopt;
  }
  return value;
}

int64_t readKilohertz(llvm::StringRef sysFolder, int cpu) {
  return readNumber(llvm::formatv("{0}/devices/system/cpu/cpu{1}/cpufreq/scaling_cur_freq",
                                  sysFolder, cpu))
      .value_or(0);
}

double readCelsius(llvm::StringRef sysFolder) {
  double highest = 0;
  for (int zone = 0; zone < kMaxZones; ++zone) {
    std::optional<int64_t> millidegrees =
        readNumber(llvm::formatv("{0}/class/thermal/thermal_zone{1}/temp", sysFolder, zone));
    if (!millidegrees) {
      break;
    }
    highest = std::max(highest, static_cast<double>(*millidegrees) / 1000);
  }
  return highest;
}

} // namespace convoy::service

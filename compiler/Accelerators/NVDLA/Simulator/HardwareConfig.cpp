// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of configurations, from the hardware's published specification files.

#include "Accelerators/NVDLA/Simulator/HardwareConfig.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::nvdla {

// If a specification gives a range of latencies (nv_small: 50 to 64), the table has the upper end.
// The value of nv_full is that of DRAM.
static constexpr HardwareConfig kConfigs[] = {
    // name, atom, MAC C K, CBUF banks entries bytes, SDP BS BN EW, PDP CDP, wide BDMA SRAM, DRAM
    {"nv_small", 8, 8, 8, 32, 512, 8, 1, 1, 0, 1, 1, false, false, false, 64, 64},
    {"nv_small_256", 8, 32, 8, 32, 128, 32, 1, 1, 0, 1, 1, false, false, false, 64, 64},
    {"nv_small_256_full", 8, 32, 8, 32, 128, 32, 2, 2, 1, 1, 1, false, false, true, 64, 64},
    {"nv_medium_512", 16, 32, 16, 32, 512, 32, 4, 4, 0, 2, 2, false, false, false, 128, 256},
    {"nv_medium_1024_full", 32, 32, 32, 32, 512, 32, 8, 8, 2, 4, 4, false, false, true, 256, 1024},
    {"nv_large", 32, 64, 32, 16, 512, 64, 16, 16, 4, 8, 8, false, false, true, 256, 1024},
    {"nv_full", 32, 64, 32, 16, 256, 128, 16, 16, 4, 8, 8, true, true, true, 512, 1200},
};

llvm::ArrayRef<HardwareConfig> hardwareConfigs() { return kConfigs; }

const HardwareConfig *findHardwareConfig(llvm::StringRef name) {
  const HardwareConfig *found =
      llvm::find_if(kConfigs, [&](const HardwareConfig &config) { return config.name == name; });
  return found == std::end(kConfigs) ? nullptr : found;
}

} // namespace convoy::nvdla

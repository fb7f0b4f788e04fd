// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Register values by name.

#include "Accelerators/NVDLA/Trace/Registers.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"

namespace convoy::nvdla {

namespace {

struct Reset {
  llvm::StringLiteral unit, name;
  uint32_t value;
};

/// Registers with a non-zero reset value that decoders read.
constexpr Reset kResets[] = {
    {"CACC", "D_MISC_CFG", 0x1000},
    {"CDMA", "D_MISC_CFG", 0x1100},
    {"CSC", "D_MISC_CFG", 0x1100},
    {"CDMA", "D_DATAIN_FORMAT", 0xc00},
    {"CDP", "D_DATA_FORMAT", 1},
    {"CDP", "D_DATIN_SCALE", 1},
    {"CDP", "D_DATOUT_SCALE", 1},
    {"RBK", "D_MISC_CFG", 0x100},
    {"SDP", "D_DP_BS_CFG", 0x73},
    {"SDP", "D_DP_BN_CFG", 0x53},
    {"SDP", "D_DP_EW_CFG", 0x53},
    {"SDP", "D_DP_EW_ALU_CFG", 2},
    {"SDP", "D_DP_EW_MUL_CFG", 2},
    {"SDP_RDMA", "D_BRDMA_CFG", 1},
    {"SDP_RDMA", "D_NRDMA_CFG", 1},
    {"SDP_RDMA", "D_ERDMA_CFG", 1},
    {"SDP_RDMA", "D_FEATURE_MODE_CFG", 0x14},
};

bool isShared(llvm::StringRef name) { return name.starts_with("S_") || name.starts_with("CFG_"); }

} // namespace

void UnitRegisters::write(llvm::StringRef name, uint32_t value) {
  (isShared(name) ? shared : groups[producer()])[name] = value;
}

uint32_t UnitRegisters::read(llvm::StringRef name, unsigned group) const {
  const llvm::StringMap<uint32_t> &values = isShared(name) ? shared : groups[group];
  auto found = values.find(name);
  if (found != values.end()) {
    return found->second;
  }
  for (const Reset &reset : kResets) {
    if (reset.unit == unit && reset.name == name) {
      return reset.value;
    }
  }
  return 0;
}

int32_t RegisterView::signedBits(llvm::StringRef name, unsigned lsb, unsigned width) const {
  return int32_t(signExtend(bits(name, lsb, width), width));
}

} // namespace convoy::nvdla

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accelerator as seen by a host: registers to write and interrupts to count. A job runs to its
// end as soon as the last unit that it needs is enabled.

#pragma once

#include "Accelerators/NVDLA/Simulator/Engines.h"
#include "Accelerators/NVDLA/Trace/DecodeRegisters.h"
#include <map>

namespace convoy::nvdla {

class Device {
public:
  Device(const HardwareConfig &config, Memory &memory) : machine{config, memory} {}

  /// Writes one register, for example "SDP" and "D_CVT_SHIFT". Fails if a job that the write starts
  /// fails.
  llvm::Error write(llvm::StringRef unit, llvm::StringRef name, uint32_t value);

  /// Returns the number of completed jobs of SDP, PDP, CDP, RBK, BDMA, or CACC for convolutions.
  unsigned completions(llvm::StringRef unit) const;

  /// Returns the addresses from which images were read, for traces whose pixels are not published.
  const std::vector<uint64_t> &imageAddresses() const { return images; }

private:
  UnitRegisters &unit(llvm::StringRef name);
  /// Returns the registers of the job that the unit runs next.
  RegisterView view(llvm::StringRef name);
  bool isReady(llvm::StringRef name);
  void finish(llvm::ArrayRef<llvm::StringRef> names);

  void writeLut(llvm::StringRef name, LutTables &tables, uint32_t value);
  /// Runs every job whose units are all enabled.
  llvm::Error launch();
  llvm::Expected<bool> launchSdp();
  llvm::Expected<bool> launchOthers();

  Machine machine;
  std::map<std::string, UnitRegisters, std::less<>> units;
  std::map<std::string, unsigned, std::less<>> completed;
  LutTables sdpTables, cdpTables;
  std::vector<uint64_t> images;
};

} // namespace convoy::nvdla

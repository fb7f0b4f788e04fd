// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device simulated in memory. Programs reach it through the function table of convoy/device.h, as
// they reach real hardware, so a run on the simulator covers the whole runtime path.

#pragma once

#include "convoy/artifact.h"
#include "convoy/device.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace convoy::accelerators {

/// The measured time of one layer.
using LayerReport = DeviceLayer;

/// The base class of simulators. The memory is allocated in the process and `submit` runs the
/// commands.
class Simulator {
public:
  virtual ~Simulator() = default;

  /// Returns the function table, which lives as long as the simulator.
  const convoy_device &device();

  /// Requests timing only: from here on the computed data may be wrong.
  virtual void skipData() {}

  /// Returns the times of the layers of the last run; empty if the device has no timing model.
  virtual std::vector<LayerReport> report() const { return {}; }
  /// Returns why the last call failed.
  llvm::StringRef error() const { return message; }

protected:
  /// Runs commands on the memory that the program was given and returns a code of convoy/convoy.h.
  /// The commands are untrusted input.
  virtual int execute(llvm::ArrayRef<uint8_t> commands, llvm::MutableArrayRef<uint8_t> memory) = 0;

  /// Converts a portable program to one for this device, which the simulator keeps. Called only if
  /// `isPortable` returns true.
  virtual int prepare(llvm::ArrayRef<uint8_t> program, llvm::ArrayRef<uint8_t> &prepared);
  virtual bool isPortable() const { return false; }

  /// Stores the reason and returns the code.
  int fail(int code, std::string reason);

private:
  llvm::MutableArrayRef<uint8_t> find(uint64_t address, size_t bytes);

  convoy_device table = {};
  std::map<uint64_t, std::vector<uint8_t>> allocations;
  uint64_t nextAddress = 4096;
  std::string message;

  friend struct SimulatorTable;
};

} // namespace convoy::accelerators

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device in memory. It is reached as real hardware is, through the table of
// convoy/device.h, so whatever runs on the simulator has gone the whole way.

#pragma once

#include "convoy/artefact.h"
#include "convoy/device.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace convoy::accelerators {

/// What one layer took.
using LayerReport = DeviceLayer;

/// The base of simulators: memory as the process has it, commands run in `submit`.
class Simulator {
public:
  virtual ~Simulator() = default;

  /// The table; lives as long as the simulator.
  const convoy_device &device();

  /// Only time is of interest from here on: what is computed may be anything.
  virtual void skipData() {}

  /// What the layers of the last run took; empty where a device has no model of time.
  virtual std::vector<LayerReport> report() const { return {}; }
  /// Why the last call failed.
  llvm::StringRef error() const { return message; }

protected:
  /// Runs commands on the memory that the program was given. Returns a code of
  /// convoy/convoy.h. Commands are data from outside: nothing in them is trusted.
  virtual int execute(llvm::ArrayRef<uint8_t> commands, llvm::MutableArrayRef<uint8_t> memory) = 0;

  /// Makes a portable program one for this device, which it must keep. Only called
  /// when `isPortable`.
  virtual int prepare(llvm::ArrayRef<uint8_t> program, llvm::ArrayRef<uint8_t> &prepared);
  virtual bool isPortable() const { return false; }

  /// Remembers the reason and returns the code.
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

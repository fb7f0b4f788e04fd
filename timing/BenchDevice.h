// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model with a device: its layers in the time of the device's simulator, which is not
// measured, and the CPU's part, which is.

#pragma once

#include "convoy/artefact.h"
#include "convoy/model.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::timing {

/// One model with the device.
struct DeviceRow {
  std::string model, device;
  double cyclesPerNs = 1;
  std::vector<DeviceLayer> layers;
  /// Whether cycles are the simulator's; else they are what placement estimates.
  bool isSimulated = true;
  PlacementSummary placement;
  std::vector<std::string> warnings;
  int64_t regions = 0;
  int64_t cpuOps = 0;
  double deviceMs = 0; // simulated or estimated
  double cpuMs = 0;    // measured, with the copies to and from the device
};

/// Times the device's part, and the CPU's by the median of so many runs.
Result<DeviceRow> benchDevice(const Model &model, const CompileRequest &request, int64_t samples);

void printDeviceRow(llvm::raw_ostream &os, const DeviceRow &row);
std::string toJson(llvm::ArrayRef<DeviceRow> rows);

} // namespace convoy::timing

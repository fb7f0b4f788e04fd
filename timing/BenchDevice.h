// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Benchmarks a model that is placed on a device, for `convoy bench --target DEVICE`. The device's
// simulator estimates the time of the device's layers; the clock measures the part that runs on
// the CPU.

#pragma once

#include "convoy/artefact.h"
#include "convoy/model.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::timing {

/// The times of one model on one device.
struct DeviceRow {
  std::string model, device;
  double cyclesPerNs = 1;
  std::vector<DeviceLayer> layers;
  /// Whether the simulator counted the cycles; otherwise placement estimated them.
  bool isSimulated = true;
  PlacementSummary placement;
  std::vector<std::string> warnings;
  int64_t regions = 0;
  int64_t cpuOps = 0;
  double deviceMs = 0; // simulated or estimated
  double cpuMs = 0;    // measured, with the copies to and from the device
};

/// Returns the time of the device's part and the CPU's part; the latter is the median of `samples`
/// runs.
Result<DeviceRow> benchDevice(const Model &model, const CompileRequest &request, int64_t samples);

void printDeviceRow(llvm::raw_ostream &os, const DeviceRow &row);
std::string toJson(llvm::ArrayRef<DeviceRow> rows);

} // namespace convoy::timing

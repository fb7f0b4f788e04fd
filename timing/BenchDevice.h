// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times a model on a device. The device's simulator times the device's layers; the CPU's part
// is measured.

#pragma once

#include "convoy/artefact.h"
#include "convoy/model.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::timing {

/// The times of one model.
struct DeviceRow {
  std::string model, device;
  double cyclesPerNs = 1;
  std::vector<DeviceLayer> layers;
  /// Whether the simulator gave the cycles; else they are the estimates of the placement.
  bool isSimulated = true;
  PlacementSummary placement;
  std::vector<std::string> warnings;
  int64_t regions = 0;
  int64_t cpuOps = 0;
  double deviceMs = 0; // simulated or estimated
  double cpuMs = 0;    // measured, with the copies to and from the device
};

/// Times the device's part by simulation and the CPU's part by the median of `samples` runs.
Result<DeviceRow> benchDevice(const Model &model, const CompileRequest &request, int64_t samples);

void printDeviceRow(llvm::raw_ostream &os, const DeviceRow &row);
std::string toJson(llvm::ArrayRef<DeviceRow> rows);

} // namespace convoy::timing

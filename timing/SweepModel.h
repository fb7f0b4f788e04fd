// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates a model on each combination of a device's parameters, and on other devices. `convoy
// sweep` and convoy.sweep call it; report/SweepReport.h prints and draws the result.

#pragma once

#include "convoy/model.h"
#include "convoy/request.h"
#include "convoy/result.h"
#include "report/SweepReport.h"
#include <functional>

namespace convoy::timing {

/// The axes of `convoy sweep` in the order of the table of options, without values.
std::vector<report::SweepAxis> sweepAxes();

struct SweepRequest {
  CompileRequest compile; // its target is the device
  /// Axes without values are left out.
  std::vector<report::SweepAxis> axes;
  /// Devices that are measured with their own parameters.
  std::vector<std::string> devices;
  /// Called when the sweep begins to simulate a device, with the number of devices; may be empty.
  std::function<void(const std::string &device, int count)> progress;
  /// Ends the sweep before the next device; may be empty.
  std::function<bool()> isInterrupted;
};

/// Returns the time of each point; an error if no combination places an op on the device.
Result<report::SweepResult> sweepModel(const Model &model, const SweepRequest &request);

} // namespace convoy::timing

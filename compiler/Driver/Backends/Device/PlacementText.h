// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sentences about the placement of a model on a device. Every verb that compiles for a
// device prints the same sentences.

#pragma once

#include "convoy/artifact.h"
#include "convoy/request.h"
#include <optional>

namespace convoy::driver {

/// Returns a warning if the device runs no op of the model, or an error if the request
/// requires the device or wants its programs. Returns nothing if the target is no device.
std::optional<Problem> unusedDevice(const PlacementSummary &placement,
                                    const CompileRequest &request);

/// Returns the flag of a placement request that needs a device; empty if none does.
std::string deviceFlag(const PlacementRequest &request);

/// Says why no op runs on the device and what to change: "0 of 11 ops run on d: ...".
std::string unusedDeviceText(const PlacementSummary &placement, const CompileRequest &request);

/// Compares the estimates of the device and of one CPU core for the placed ops. Empty if
/// the device runs no op.
std::string speedVerdict(const PlacementSummary &placement);

/// Returns the clock by which cycles of the device become times, in GHz; 0 without a device.
double clockOf(const PlacementSummary &placement);

} // namespace convoy::driver

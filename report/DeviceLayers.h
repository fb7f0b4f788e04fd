// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the layers of a device program with their cycles, as a table and as JSON.

#pragma once

#include "convoy/artifact.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::report {

/// Prints one row per layer and the sum of the cycles.
/// Prints the layers and their time at the clock of the device.
void printLayers(llvm::raw_ostream &os, llvm::ArrayRef<DeviceLayer> layers, double gigahertz);
llvm::json::Array layersToJson(llvm::ArrayRef<DeviceLayer> layers);

} // namespace convoy::report

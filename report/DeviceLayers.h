// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of a device, for people and programs.

#pragma once

#include "convoy/artefact.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::report {

/// A line for each, and their sum.
void printLayers(llvm::raw_ostream &os, llvm::ArrayRef<DeviceLayer> layers);
llvm::json::Array layersToJson(llvm::ArrayRef<DeviceLayer> layers);

} // namespace convoy::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a compiled library, so that `convoy bench` measures it without its model.

#pragma once

#include "convoy/artifact.h"
#include "llvm/Support/Error.h"

namespace convoy::timing {

/// Loads the library, which runs its constructor, and returns what its table says: names, types and
/// shapes of inputs and outputs, workspace, weights and threads. The report has no kernels. Fails
/// if the library cannot run on this machine, has another interface or has programs of a device.
llvm::Expected<Artifact> describeLibrary(const std::string &path);

} // namespace convoy::timing

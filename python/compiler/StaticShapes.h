// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells convoy.backend whether it must bind inputs: make them constants because a shape depends
// on their value.

#pragma once

#include "BuildRequest.h"

namespace convoy::python {

/// Returns whether every tensor of the imported model has a static shape. Returns false if the
/// import fails; the compile then reports why.
bool isStatic(const BuildRequest &request);

} // namespace convoy::python

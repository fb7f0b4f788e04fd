// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the expected outputs of the test bench that `--emit=c --with-test` writes.

#pragma once

#include "Codegen/C/Source.h"
#include "convoy/model.h"
#include "convoy/request.h"

namespace convoy::driver {

/// Returns the outputs of the reference for the request's test inputs, and the tolerance of
/// the comparison.
llvm::Expected<codegen::TestCase> makeSourceTest(const Model &model, const CompileRequest &request);

} // namespace convoy::driver

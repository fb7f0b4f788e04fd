// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a generated test bench compares with.

#pragma once

#include "Codegen/C/Source.h"
#include "convoy/model.h"
#include "convoy/request.h"

namespace convoy::driver {

/// The outputs that the reference gives for the request's test inputs, and how far others
/// may be off.
llvm::Expected<codegen::TestCase> makeSourceTest(const Model &model, const CompileRequest &request);

} // namespace convoy::driver

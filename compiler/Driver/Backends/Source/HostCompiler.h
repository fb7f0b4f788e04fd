// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the C compiler for code that runs on this machine.

#pragma once

#include "llvm/Support/Error.h"
#include <string>

namespace convoy::driver {

/// Returns the path of `wanted`, or of the first of clang-19, clang, gcc and cc if it is empty.
llvm::Expected<std::string> findHostCompiler(const std::string &wanted);

} // namespace convoy::driver

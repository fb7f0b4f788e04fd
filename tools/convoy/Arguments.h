// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of `convoy`: text to options, and the verb to call.

#pragma once

#include "Verbs.h"

namespace convoy::tool {

/// Reads the arguments and runs the verb. Help goes to `out`, errors to `err`.
ExitCode runTool(int argc, const char *const *argv, Console &console);

} // namespace convoy::tool

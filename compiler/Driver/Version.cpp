// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Returns the version of the library, which CMake defines.

#include "convoy/version.h"

namespace convoy {

const char *versionText() { return CONVOY_VERSION; }

} // namespace convoy

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version of the library.

#include "convoy/version.h"

namespace convoy {

const char *versionText() { return CONVOY_VERSION; }

} // namespace convoy

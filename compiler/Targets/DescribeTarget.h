// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a machine for people. `convoy targets NAME` prints the properties as a table.

#pragma once

#include "Targets/Target.h"
#include <utility>

namespace convoy::targets {

/// Names and values, in the order of the table.
using Properties = std::vector<std::pair<std::string, std::string>>;

Properties propertiesOf(const Target &machine);

} // namespace convoy::targets

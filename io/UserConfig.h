// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds files of the user's configuration, and the target descriptions that they allow.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace convoy::io {

/// Returns the path of a file in $XDG_CONFIG_HOME/convoy, or in .config/convoy of the home folder;
/// empty if the user has no home folder.
std::string userConfigFile(llvm::StringRef name);

/// Returns the name of a target with the permission to run the commands of its description, if
/// it is a file (Targets/AllowedCommands.h). The user allows them with `allowsToolchain`, or by a
/// line of `sha256sum` in the file allowed-toolchains of the configuration.
std::string permittedTarget(const std::string &name, bool allowsToolchain);

} // namespace convoy::io

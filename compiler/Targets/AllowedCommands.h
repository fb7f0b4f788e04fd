// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the commands of target descriptions in files from running before the user allows them.
// findTarget replaces each command of such a description by one that no system has, so a caller
// that does not check a command cannot run it either. The name of a target carries the permission:
//
//   board.json                    no command may run
//   trusted:board.json            all commands of the file may run
//   trusted=<SHA-256>:board.json  they may run if the file has this hash

#pragma once

#include "Targets/Target.h"

namespace convoy::targets {

/// The name of a target as a request has it.
struct TrustedName {
  llvm::StringRef file; // the name without the permission
  bool isTrusted = false;
  llvm::StringRef hash; // in hexadecimal digits; empty: any
};

/// Splits the name of a target.
TrustedName splitTrust(llvm::StringRef name);

/// Returns the name with a permission. An empty hash trusts the file with any content.
std::string withTrust(llvm::StringRef name, llvm::StringRef hash);

/// Returns the SHA-256 of a description in hexadecimal digits.
std::string hashOf(llvm::StringRef description);

/// Replaces the commands of a description in a file.
void refuseCommands(Target &target, llvm::StringRef file, llvm::StringRef hash);

/// Returns the target with its own commands again, which must not run.
Target withoutRefusals(Target target);

/// Returns the command as the description has it, to print it.
std::vector<std::string> shownCommand(std::vector<std::string> command);

/// Returns an error if the command must not run. The error names the command and the remedies.
llvm::Error checkMayRun(llvm::ArrayRef<std::string> command);

/// Returns an error if any command of the target must not run.
llvm::Error checkMayRunAll(const Target &target);

} // namespace convoy::targets

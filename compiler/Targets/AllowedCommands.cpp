// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A refused command is {kRefused, the remedy, the words of the description}.

#include "Targets/AllowedCommands.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;

namespace convoy::targets {
namespace {

// Programs are searched on the path by this name, and not in the working directory.
constexpr llvm::StringLiteral kRefused = "refused command of a target description";
constexpr llvm::StringLiteral kTrusted = "trusted";

bool isRefused(llvm::ArrayRef<std::string> command) {
  return command.size() > 2 && command.front() == kRefused;
}

/// Calls `change` with each command that is not empty.
void forEachCommand(Target &target, llvm::function_ref<void(std::vector<std::string> &)> change) {
  std::vector<std::vector<std::string> *> commands = {&target.sourceCompiler, &target.emulator};
  if (target.toolchain) {
    commands.push_back(&target.toolchain->linker.command);
    commands.push_back(&target.toolchain->emulator.command);
    for (Tool &compiler : target.toolchain->compilers) {
      commands.push_back(&compiler.command);
    }
  }
  for (std::vector<std::string> *command : commands) {
    if (!command->empty()) {
      change(*command);
    }
  }
}

} // namespace

TrustedName splitTrust(StringRef name) {
  StringRef rest = name;
  if (!rest.consume_front(kTrusted) || !(rest.starts_with(":") || rest.starts_with("="))) {
    return {name, /*isTrusted=*/false, ""};
  }
  if (rest.consume_front(":")) {
    return {rest, /*isTrusted=*/true, ""};
  }
  auto [hash, file] = rest.drop_front().split(':');
  return {file, /*isTrusted=*/true, hash};
}

std::string withTrust(StringRef name, StringRef hash) {
  return kTrusted.str() + (hash.empty() ? "" : "=" + hash.str()) + ":" + name.str();
}

std::string hashOf(StringRef description) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(description)),
                     /*LowerCase=*/true);
}

void refuseCommands(Target &target, StringRef file, StringRef hash) {
  llvm::SmallString<128> path;
  if (llvm::sys::fs::real_path(file, path)) {
    path = file; // of a file that was removed after it was read
  }
  std::string remedy = "read '" + file.str() + "', then pass --allow-toolchain, or add the line '" +
                       hash.str() + "  " + path.str().str() +
                       "' to allowed-toolchains in $XDG_CONFIG_HOME/convoy (default: "
                       "~/.config/convoy)";
  forEachCommand(target, [&](std::vector<std::string> &command) {
    command.insert(command.begin(), {kRefused.str(), remedy});
  });
}

std::vector<std::string> shownCommand(std::vector<std::string> command) {
  if (isRefused(command)) {
    command.erase(command.begin(), command.begin() + 2);
  }
  return command;
}

Target withoutRefusals(Target target) {
  forEachCommand(target, [](std::vector<std::string> &command) {
    command = shownCommand(std::move(command));
  });
  return target;
}

llvm::Error checkMayRun(llvm::ArrayRef<std::string> command) {
  if (!isRefused(command)) {
    return llvm::Error::success();
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::printEscapedString(llvm::join(command.drop_front(2), " "), os);
  return llvm::createStringError("the target description would run the command '" + text +
                                 "'; Convoy runs commands of a description in a file only if the "
                                 "user allows them; " +
                                 command[1]);
}

llvm::Error checkMayRunAll(const Target &target) {
  Target copy = target;
  llvm::Error result = llvm::Error::success();
  forEachCommand(copy, [&](std::vector<std::string> &command) {
    if (!result) {
      result = checkMayRun(command);
    }
  });
  return result;
}

} // namespace convoy::targets

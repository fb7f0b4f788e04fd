// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks programs up on the path. Output of a command is limited to its first lines, because
// emitted C can cause thousands of messages.

#include "Driver/Backends/Micro/MicroTools.h"
#include "Support/MonotonicClock.h"
#include "Support/TypedError.h"
#include "Targets/AllowedCommands.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

namespace convoy::driver {
namespace {

llvm::Expected<std::string> findTool(const targets::Tool &tool) {
  if (llvm::Error error = targets::checkMayRun(tool.command)) {
    return std::move(error);
  }
  const std::string &name = tool.command.front();
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name)) {
    return *found;
  }
  std::string packages = llvm::join(tool.packages, " ");
  return llvm::createStringError("the program '" + name + "' is not on the path; " +
                                 (packages.empty() ? "install it" : "install " + packages));
}

std::string firstLines(llvm::StringRef path) {
  constexpr size_t kShownCharacters = 1000;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().take_front(kShownCharacters).trim().str() : "";
}

} // namespace

llvm::Error checkMicroTools(const targets::Target &target) {
  const targets::Toolchain &chain = *target.toolchain;
  std::string prefix = "cannot run code for target '" + target.name + "' here: ";
  if (chain.emulator.command.empty()) {
    return llvm::createStringError(prefix + "its description names no emulator; `convoy compile "
                                            "--emit=c` writes the C source");
  }
  for (const targets::Tool *tool : {&chain.compilers.front(), &chain.linker, &chain.emulator}) {
    if (llvm::Expected<std::string> found = findTool(*tool); !found) {
      return withPrefix(prefix, found.takeError());
    }
  }
  return llvm::Error::success();
}

llvm::Expected<CommandResult> runTool(const targets::Tool &tool,
                                      llvm::ArrayRef<std::string> arguments, llvm::StringRef log,
                                      int64_t seconds) {
  llvm::Expected<std::string> program = findTool(tool);
  if (!program) {
    return program.takeError();
  }
  std::vector<llvm::StringRef> words(tool.command.begin(), tool.command.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  // The system does not truncate the file, so the text of an earlier command would stay in it.
  [[maybe_unused]] std::error_code removed = llvm::sys::fs::remove(log);
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), log, log};
  std::string problem;
  CommandResult result;
  double begin = monotonicSeconds();
  result.code =
      llvm::sys::ExecuteAndWait(*program, words, /*Env=*/std::nullopt, redirects,
                                static_cast<unsigned>(seconds), /*MemoryLimit=*/0, &problem);
  // LLVM ends a late program and returns the code of a crash.
  constexpr int kCrashed = -2;
  double elapsed = monotonicSeconds() - begin;
  result.isLate = result.code == kCrashed && seconds > 0 && elapsed >= static_cast<double>(seconds);
  result.text = problem.empty() ? firstLines(log) : problem + "; " + firstLines(log);
  return result;
}

} // namespace convoy::driver

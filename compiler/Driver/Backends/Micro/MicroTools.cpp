// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks programs up on the path. Output of a command is limited to its first lines, because
// emitted C can cause thousands of messages.

#include "Driver/Backends/Micro/MicroTools.h"
#include "Support/StartProgram.h"
#include "Support/TypedError.h"
#include "Targets/AllowedCommands.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <fcntl.h>
#include <unistd.h>

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

/// Runs a command for at most `seconds`. A late command ends with its children: an emulator may be
/// a script that starts the emulator.
llvm::Expected<CommandResult> runLimited(const std::string &program,
                                         llvm::ArrayRef<llvm::StringRef> words, llvm::StringRef log,
                                         int64_t seconds) {
  std::vector<std::string> command(words.begin(), words.end());
  command.front() = program;
  ProgramStart how;
  how.output = open(log.str().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (how.output < 0) {
    return llvm::createStringError("cannot write '" + log.str() +
                                   "': " + std::generic_category().message(errno));
  }
  how.errors = how.output;
  how.leadsGroup = how.endsWithParent = true;
  llvm::Expected<pid_t> process = startProgram(command, how);
  close(how.output);
  if (!process) {
    return process.takeError();
  }
  ProgramEnd end = waitForGroup(*process, seconds);
  return CommandResult{end.code, end.isLate, firstLines(log)};
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
  if (seconds > 0) {
    return runLimited(*program, words, log, seconds);
  }
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), log, log};
  std::string problem;
  CommandResult result;
  result.code = llvm::sys::ExecuteAndWait(*program, words, /*Env=*/std::nullopt, redirects,
                                          /*SecondsToWait=*/0, /*MemoryLimit=*/0, &problem);
  result.text = problem.empty() ? firstLines(log) : problem + "; " + firstLines(log);
  return result;
}

} // namespace convoy::driver

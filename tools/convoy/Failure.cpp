// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler may run when the heap is broken or empty. All texts are therefore prepared at
// the start, and handlers only call functions that are safe in signal handlers.

#include "tools/convoy/Failure.h"
#include "Driver/ShellWord.h"
#include "convoy/version.h"
#include "tools/convoy/Verbs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <array>
#include <csignal>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <new>
#include <system_error>
#include <unistd.h>

namespace convoy::tool {
namespace {

/// What the handlers write. Static, since a signal handler takes no argument.
struct Prepared {
  std::string script;                       // the reproducer: a shell script
  std::array<std::string, 2> paths;         // in the working and in the temporary folder
  std::array<std::string, 2> announcements; // of the script at either path
  std::string command;                      // "convoy compile model.onnx"
  std::array<char, 64> step{};              // what runs now, or empty
};

Prepared &prepared() {
  static Prepared texts;
  return texts;
}

void say(std::initializer_list<const char *> parts) {
  for (const char *part : parts) {
    (void)!write(STDERR_FILENO, part, std::strlen(part));
  }
}

/// Writes the script; returns the line that names it, or null if no folder is writable.
const char *writeScript() {
  const Prepared &texts = prepared();
  for (size_t i = 0; i < texts.paths.size(); ++i) {
    // Another user's link at this path must not lead the text to another file.
    unlink(texts.paths[i].c_str());
    int file = open(texts.paths[i].c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
      continue;
    }
    bool isWritten = write(file, texts.script.data(), texts.script.size()) ==
                     static_cast<ssize_t>(texts.script.size());
    close(file);
    if (isWritten) {
      return texts.announcements[i].c_str();
    }
  }
  return nullptr;
}

void onSignal(int number) {
  endAsBug(number == SIGSEGV   ? "invalid memory access"
           : number == SIGBUS  ? "a mapped file could not be read or written; is the disk full?"
           : number == SIGABRT ? "an internal check failed"
           : number == SIGFPE  ? "invalid arithmetic"
                               : "invalid instruction");
}

/// LLVM's fatal errors have a text but no type. They contain the system's text of the cause.
bool isOutOfMemory(llvm::StringRef text) {
  static const std::string kSystemText =
      std::make_error_code(std::errc::not_enough_memory).message();
  return text.contains(kSystemText);
}

void onFatalError(void *, const char *reason, bool) {
  llvm::StringRef text(reason);
  // LLVM's words for a file that could not be written to its end.
  constexpr llvm::StringLiteral kUnwritten = "IO failure on output stream: ";
  if (text.starts_with(kUnwritten)) {
    say({"error: cannot write the output: ", reason + kUnwritten.size(),
         "; free space or choose another folder\n"});
    _exit(kUserError);
  }
  if (isOutOfMemory(text)) {
    endOutOfMemory();
  }
  if (llvm::CrashRecoveryContext::GetCurrent()) {
    // The stage that failed writes a reproducer with its IR.
    say({"error: this is a bug in convoy: ", reason, "\n"});
    std::abort();
  }
  endAsBug(reason);
}

/// An exception that leaves a noexcept function ends here.
void onTerminate() {
  if (std::current_exception()) {
    endByException();
  }
  std::abort();
}

void installSignalHandlers() {
  // A stack overflow needs another stack to be reported on.
  static char handlerStack[1 << 16];
  stack_t stack{};
  stack.ss_sp = handlerStack;
  stack.ss_size = sizeof(handlerStack);
  sigaltstack(&stack, nullptr);
  constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (int number : kSignals) {
    sigaction(number, &action, nullptr);
  }
  // Inside of a stage LLVM's handlers come first; they lack the other stack.
  llvm::CrashRecoveryContext::Enable();
  for (int number : kSignals) {
    sigaction(number, nullptr, &action);
    action.sa_flags |= SA_ONSTACK;
    sigaction(number, &action, nullptr);
  }
}

/// The name of the first file among the arguments of a verb, without folder and suffix.
std::string modelName(llvm::ArrayRef<const char *> arguments) {
  for (llvm::StringRef argument : arguments) {
    if (!argument.starts_with("-")) {
      return llvm::sys::path::stem(argument).str();
    }
  }
  return "convoy";
}

void prepareTexts(llvm::ArrayRef<const char *> arguments) {
  Prepared &texts = prepared();
  llvm::SmallString<128> folder, temporary;
  if (llvm::sys::fs::current_path(folder)) {
    folder = "."; // the replay command then works from the same folder
  }
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, temporary);
  std::string program = llvm::sys::fs::getMainExecutable(arguments.front(), nullptr);
  std::string flags;
  for (llvm::StringRef argument : arguments.drop_front()) {
    flags += " " + driver::shellWord(argument);
  }
  std::string name = modelName(arguments.drop_front(std::min<size_t>(2, arguments.size()))) +
                     ".convoy-reproducer.sh";
  texts.command = "convoy" + flags;
  texts.script = "# Repeats a failure of convoy " + std::string(versionText()) +
                 ". Attach this file and the model to the bug report.\ncd " +
                 driver::shellWord(folder.str()) + " && " + driver::shellWord(program) + flags +
                 "\n";
  texts.paths = {name, (temporary + "/" + name).str()};
  for (size_t i = 0; i < texts.paths.size(); ++i) {
    texts.announcements[i] = "this is a bug in convoy; reproducer: " + texts.paths[i] +
                             "; replay: sh " + driver::shellWord(texts.paths[i]) + "\n";
  }
}

} // namespace

void installFailureHandlers(int argc, const char *const *argv) {
  prepareTexts(llvm::ArrayRef(argv, argc));
  installSignalHandlers();
  llvm::install_fatal_error_handler(onFatalError);
  std::set_terminate(onTerminate);
  // A write beyond the limit on file sizes then fails with an error that the writer reports.
  std::signal(SIGXFSZ, SIG_IGN);
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { endOutOfMemory(); });
}

void noteStep(llvm::StringRef name) {
  std::array<char, 64> &step = prepared().step;
  size_t size = std::min(name.size(), step.size() - 1);
  std::memcpy(step.data(), name.data(), size);
  step[size] = '\0';
}

void writeCommandReproducer(llvm::raw_ostream &os) {
  if (prepared().script.empty()) {
    return;
  }
  if (const char *line = writeScript()) {
    os << "error: " << line;
  }
}

void endByException() {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    endOutOfMemory();
  } catch (const std::system_error &error) {
    // A thread that cannot be created has no memory for its stack.
    if (error.code() == std::errc::resource_unavailable_try_again ||
        error.code() == std::errc::not_enough_memory) {
      endOutOfMemory();
    }
    endAsBug(error.what());
  } catch (const std::exception &error) {
    endAsBug(error.what());
  } catch (...) {
    endAsBug("unknown exception");
  }
}

void endAsBug(const char *reason) {
  const char *step = prepared().step.data();
  say({"error: this is a bug in convoy: ", reason, *step ? ", in step " : "", step, "\n"});
  if (const char *line = writeScript()) {
    say({"error: ", line});
  } else {
    say({"error: please report it with the model and the command line\n"});
  }
  _exit(kBug);
}

void sayOutOfMemory() {
  const char *step = prepared().step.data();
  constexpr const char *kRemedy =
      "; close other programs, raise the limit of `ulimit -v`, or use a "
      "machine with more memory\n";
  say({"error: out of memory in `", prepared().command.c_str(), "`", *step ? " (step " : "", step,
       *step ? ")" : "", kRemedy});
}

void endOutOfMemory() {
  sayOutOfMemory();
  _exit(kUserError);
}

} // namespace convoy::tool

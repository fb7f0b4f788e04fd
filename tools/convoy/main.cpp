// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy, the driver. Whatever ends here unplanned is our bug, and says so.

#include "Arguments.h"
#include "llvm/Support/ErrorHandling.h"
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace convoy::tool;

namespace {

// Only async-signal-safe calls: this also runs in signal handlers.
[[noreturn]] void end(const char *before, const char *reason, const char *after, ExitCode code) {
  for (const char *part : {before, reason, after}) {
    (void)!write(STDERR_FILENO, part, std::strlen(part));
  }
  _exit(code);
}

[[noreturn]] void endAsBug(const char *reason) {
  end("error: this is a bug in convoy: ", reason,
      "; please report it with the model and the command line\n", kBug);
}

void onSignal(int number) {
  endAsBug(number == SIGSEGV   ? "invalid memory access"
           : number == SIGBUS  ? "a file in memory could not be read or written; is the disk full?"
           : number == SIGABRT ? "an internal check failed"
           : number == SIGFPE  ? "invalid arithmetic"
                               : "invalid instruction");
}

void onFatalError(void *, const char *reason, bool) {
  // LLVM's way to say that a file could not be written to its end.
  constexpr llvm::StringLiteral kUnwritten = "IO failure on output stream: ";
  if (llvm::StringRef(reason).starts_with(kUnwritten)) {
    end("error: cannot write a file: ", reason + kUnwritten.size(), "\n", kUserError);
  }
  endAsBug(reason);
}

void installHandlers() {
  // A stack overflow needs another stack to be reported on.
  static char handlerStack[1 << 16];
  stack_t stack{};
  stack.ss_sp = handlerStack;
  stack.ss_size = sizeof(handlerStack);
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) {
    sigaction(number, &action, nullptr);
  }
  llvm::install_fatal_error_handler(onFatalError);
}

/// Returns the columns of the terminal on stderr, 80 if it does not say.
unsigned terminalColumns() {
  winsize size{};
  bool isKnown = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return isKnown ? size.ws_col : 80;
}

} // namespace

int main(int argc, char **argv) {
  installHandlers();
  Console console{llvm::outs(), llvm::errs(), isatty(STDERR_FILENO) != 0};
  console.columns = terminalColumns();
  try {
    return runTool(argc, argv, console);
  } catch (const std::bad_alloc &) {
    endAsBug("out of memory");
  } catch (const std::exception &error) {
    endAsBug(error.what());
  }
}

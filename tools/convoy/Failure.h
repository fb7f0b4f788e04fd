// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How `convoy` ends when it cannot go on: a crash and an internal error end with exit code 3
// and a reproducer, missing memory and a full disk with exit code 1 and a remedy.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tool {

/// Installs the handlers of signals, of LLVM's fatal errors and of failed allocations, and
/// prepares the texts that they write.
void installFailureHandlers(int argc, const char *const *argv);

/// Notes the step that begins, for the messages of the handlers.
void noteStep(llvm::StringRef name);

/// Writes a script with the command line and names it in one line. Does nothing if
/// installFailureHandlers was not called.
void writeCommandReproducer(llvm::raw_ostream &os);

/// Prints that memory is missing, and the remedy, to stderr.
void sayOutOfMemory();

/// Ends the program for the exception that is being handled.
[[noreturn]] void endByException();
[[noreturn]] void endAsBug(const char *reason);
[[noreturn]] void endOutOfMemory();

} // namespace convoy::tool

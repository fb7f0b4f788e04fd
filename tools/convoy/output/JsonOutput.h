// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of a verb, as text for people and as JSON for programs. All verbs print through here,
// so --json[=FILE] means the same in all of them.

#pragma once

#include "tools/convoy/Verbs.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace convoy::tool {

/// Prints to a stream.
using Print = llvm::function_ref<void(llvm::raw_ostream &)>;

/// Prints the result: the text to stdout, or with --json the JSON. With --json=FILE, prints the
/// text and writes the JSON to the file. Returns a user error if the file cannot be written.
ExitCode printResult(const JsonFlag &json, Print printJson, Print printText, Console &console);

/// Prints a value with indentation.
void printJson(llvm::raw_ostream &os, llvm::json::Value value);

} // namespace convoy::tool

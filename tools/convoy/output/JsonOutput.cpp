// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text to stdout, JSON to stdout or to a file.

#include "tools/convoy/output/JsonOutput.h"
#include "Support/TypedError.h"
#include "io/Files.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::tool {

ExitCode printResult(const JsonFlag &json, Print printJson, Print printText, Console &console) {
  if (json.isStdout()) {
    printJson(console.out);
    return kDone;
  }
  printText(console.out);
  if (!json.isGiven()) {
    return kDone;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  printJson(stream);
  if (llvm::Error error = io::writeFile(json.to, stream.str())) {
    console.json = {}; // The JSON of the problem cannot be written either.
    return fail(withPrefix("--json: ", std::move(error)), console);
  }
  return kDone;
}

void printJson(llvm::raw_ostream &os, llvm::json::Value value) {
  os << llvm::formatv("{0:2}", value) << "\n";
}

} // namespace convoy::tool

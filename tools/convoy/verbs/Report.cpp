// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy records report`: what was measured, as a page for a browser. The drawing is in
// tuning/records.

#include "Support/TypedError.h"
#include "io/Files.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tuning/network/RecordNames.h"
#include "tuning/records/TuningReport.h"

namespace convoy::tool {
namespace {

llvm::Error writePage(const ReportFlags &options) {
  llvm::Expected<tuning::RecordStore> store =
      tuning::RecordStore::open(options.tuning, tuning::RecordStore::Access::Read);
  if (!store) {
    return store.takeError();
  }
  llvm::Expected<std::map<std::string, std::string>> names = tuning::recordNames(*store);
  if (!names) {
    return names.takeError();
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  if (llvm::Error error = tuning::writeTuningReport(os, *store, *names)) {
    return error;
  }
  if (llvm::Error error = io::writeFile(options.report, os.str())) {
    return withPrefix("--report: ", std::move(error));
  }
  return llvm::Error::success();
}

} // namespace

ExitCode report(const ReportFlags &options, Console &console) {
  if (llvm::Error error = writePage(options)) {
    return fail(std::move(error), console);
  }
  return printResult(
      options.json,
      [&](llvm::raw_ostream &os) { printJson(os, llvm::json::Object{{"report", options.report}}); },
      [&](llvm::raw_ostream &) { console.summary() << options.report << " written\n"; }, console);
}

} // namespace convoy::tool

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy report`: what was measured, as a page for a browser. The drawing is in
// tuning/records.

#include "JsonOutput.h"
#include "Verbs.h"
#include "io/Files.h"
#include "tuning/network/RecordNames.h"
#include "tuning/records/TuningReport.h"

namespace convoy::tool {
namespace {

llvm::Error writePage(const ReportFlags &options) {
  llvm::Expected<tuning::RecordStore> store =
      tuning::RecordStore::open(options.tuning, tuning::RecordStore::Access::Read);
  if (!store) {
    return llvm::createStringError("--tuning: " + llvm::toString(store.takeError()));
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
    return llvm::createStringError("--report: " + llvm::toString(std::move(error)));
  }
  return llvm::Error::success();
}

} // namespace

ExitCode report(const ReportFlags &options, Console &console) {
  if (llvm::Error error = writePage(options)) {
    console.err << "error: " << llvm::toString(std::move(error)) << "\n";
    return kUserError;
  }
  return printResult(
      options.json,
      [&](llvm::raw_ostream &os) { printJson(os, llvm::json::Object{{"report", options.report}}); },
      [&](llvm::raw_ostream &) { console.summary() << options.report << " written\n"; }, console);
}

} // namespace convoy::tool

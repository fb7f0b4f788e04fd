// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy report`: what was measured, as a page for a browser. The drawing is in
// tuning/records.

#include "Files.h"
#include "Verbs.h"
#include "tuning/records/TuningReport.h"
#include "tuning/space/CanonicalTask.h"

namespace convoy::driver {
namespace {

/// A task's name for people; its text alone is stored. Empty when it cannot be read.
std::string nameOf(const std::string &taskText) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<tuning::TaskModule> module = tuning::readTask({taskText, ""}, &context);
  if (!module) {
    llvm::consumeError(module.takeError());
    return "";
  }
  std::optional<tuning::Task> task = tuning::taskOf(module->kernel(), module->settings);
  std::string threads = module->settings.threads == 1
                            ? ""
                            : ", " + std::to_string(module->settings.threads) + " threads";
  return task ? task->name + threads : "";
}

llvm::Expected<std::map<std::string, std::string>> namesOf(tuning::RecordStore &store) {
  std::map<std::string, std::string> names;
  llvm::Error error = store.forEach([&](tuning::Record &&record) {
    auto [name, isNew] = names.try_emplace(tuning::taskHash(record.taskText));
    if (isNew) {
      name->second = nameOf(record.taskText);
    }
    return llvm::Error::success();
  });
  if (error) {
    return std::move(error);
  }
  for (auto it = names.begin(); it != names.end();) {
    it = it->second.empty() ? names.erase(it) : std::next(it);
  }
  return names;
}

llvm::Error writePage(const ReportOptions &options) {
  llvm::Expected<tuning::RecordStore> store =
      tuning::RecordStore::open(options.tuning, tuning::RecordStore::Access::Read);
  if (!store) {
    return store.takeError();
  }
  llvm::Expected<std::map<std::string, std::string>> names = namesOf(*store);
  if (!names) {
    return names.takeError();
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  if (llvm::Error error = tuning::writeTuningReport(os, *store, *names)) {
    return error;
  }
  return writeFile(options.output, os.str());
}

} // namespace

ExitCode report(const ReportOptions &options, Console &console) {
  if (llvm::Error error = writePage(options)) {
    console.err << "error: " << llvm::toString(std::move(error)) << "\n";
    return kUserError;
  }
  console.out << options.output << " written\n";
  return kDone;
}

} // namespace convoy::driver

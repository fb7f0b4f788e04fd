// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy.records: operations on files of tuning records, as `convoy records` has them. Each returns
// the JSON that the verb prints.

#include "../runtime/Interruptible.h"
#include "Driver/AddProblem.h"
#include "Verbs.h"
#include "io/Files.h"
#include "tuning/network/RecordNames.h"
#include "tuning/records/RecordFiles.h"
#include "tuning/records/TuningReport.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::python {
namespace {

/// Runs `work`, which owns everything that it uses, and returns its JSON; throws its error.
std::string runRecords(std::function<llvm::Expected<llvm::json::Value>()> work) {
  struct Job {
    Problems problems;
    std::string json;
  };
  auto job = std::make_shared<Job>();
  runInterruptibly([job, work = std::move(work)] {
    llvm::Expected<llvm::json::Value> result = work();
    if (result) {
      job->json = llvm::formatv("{0}", *result).str();
    } else {
      addError(job->problems, result.takeError());
    }
  });
  if (job->problems.hasErrors()) {
    raiseProblems(job->problems);
  }
  return job->json;
}

} // namespace

std::string listRecords(const std::vector<std::string> &files) {
  return runRecords([files]() -> llvm::Expected<llvm::json::Value> {
    auto listings = tuning::listFiles(files);
    if (!listings) {
      return listings.takeError();
    }
    return tuning::toJson(*listings);
  });
}

std::string mergeRecords(const std::vector<std::string> &files, const std::string &into) {
  return runRecords([files, into]() -> llvm::Expected<llvm::json::Value> {
    auto added = tuning::mergeFiles(files, into);
    if (!added) {
      return added.takeError();
    }
    return tuning::toJson(*added, into);
  });
}

std::string importRecords(const std::vector<std::string> &files, const std::string &into) {
  return runRecords([files, into]() -> llvm::Expected<llvm::json::Value> {
    std::vector<std::unique_ptr<llvm::MemoryBuffer>> texts;
    std::vector<tuning::LinesFile> lines;
    for (const std::string &file : files) {
      auto text = io::readFile(file);
      if (!text) {
        return text.takeError();
      }
      texts.push_back(std::move(*text));
      lines.push_back({file, texts.back()->getBuffer()});
    }
    auto added = tuning::importFiles(lines, into);
    if (!added) {
      return added.takeError();
    }
    return tuning::toJson(*added, into);
  });
}

std::string exportRecords(const std::vector<std::string> &files) {
  return runRecords([files]() -> llvm::Expected<llvm::json::Value> {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::Expected<int64_t> count = tuning::exportFiles(files, os);
    if (!count) {
      return count.takeError();
    }
    return llvm::json::fixUTF8(os.str());
  });
}

std::string pruneRecords(const std::vector<std::string> &files, double olderThanSeconds,
                         bool isStale, bool isFailed, int64_t keepFastest, bool isDryRun) {
  tuning::PruneRule rule;
  if (olderThanSeconds > 0) {
    rule.olderThanUs = tuning::unixMicroseconds() - static_cast<int64_t>(olderThanSeconds * 1e6);
  }
  rule.isStale = isStale;
  rule.isFailed = isFailed;
  rule.keepFastest = keepFastest;
  rule.isDryRun = isDryRun;
  return runRecords([files, rule]() -> llvm::Expected<llvm::json::Value> {
    auto removed = tuning::pruneFiles(files, rule);
    if (!removed) {
      return removed.takeError();
    }
    return tuning::toJson(*removed);
  });
}

std::string drawRecords(const std::string &file) {
  return runRecords([file]() -> llvm::Expected<llvm::json::Value> {
    llvm::Expected<tuning::RecordStore> store =
        tuning::RecordStore::open(file, tuning::RecordStore::Access::Read);
    if (!store) {
      return store.takeError();
    }
    auto names = tuning::recordNames(*store);
    if (!names) {
      return names.takeError();
    }
    std::string text;
    llvm::raw_string_ostream os(text);
    if (llvm::Error error = tuning::writeTuningReport(os, *store, *names)) {
      return std::move(error);
    }
    return llvm::json::fixUTF8(os.str());
  });
}

} // namespace convoy::python

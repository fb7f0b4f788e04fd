// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy records`: prints what a person does with files of tuning records. The work is in
// tuning/records/RecordFiles.cpp.

#include "Support/TextTable.h"
#include "Support/TypedError.h"
#include "io/Files.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tuning/records/RecordFiles.h"
#include "tuning/records/SampleUnit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <cmath>

namespace convoy::tool {
namespace {

using llvm::json::Object;
using llvm::json::Value;

/// Prints a result; an error that printResult has reported becomes a silent one.
llvm::Error printRecords(const RecordsFlags &options, llvm::function_ref<Value()> toJson,
                         Print printText, Console &console) {
  ExitCode code = printResult(
      options.json, [&](llvm::raw_ostream &os) { printJson(os, toJson()); }, printText, console);
  return code == kDone ? llvm::Error::success() : llvm::createStringError("");
}

llvm::Error printAdditions(const llvm::Expected<std::vector<tuning::FileAdded>> &additions,
                           const RecordsFlags &options, Console &console) {
  auto printText = [&](llvm::raw_ostream &) {
    for (const tuning::FileAdded &addition : *additions) {
      console.summary() << addition.file << ": " << addition.added.added << " records added to "
                        << options.output << ", " << addition.added.known << " already there\n";
    }
  };
  return printRecords(
      options, [&]() -> Value { return tuning::toJson(*additions, options.output); }, printText,
      console);
}

llvm::Error merge(const RecordsFlags &options, Console &console) {
  auto additions = tuning::mergeFiles(options.files, options.output);
  return additions ? printAdditions(additions, options, console) : additions.takeError();
}

llvm::Error importFiles(const RecordsFlags &options, Console &console) {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> texts;
  std::vector<tuning::LinesFile> files;
  for (const std::string &file : options.files) {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text = io::readFile(file);
    if (!text) {
      return text.takeError();
    }
    texts.push_back(std::move(*text));
    files.push_back({file, texts.back()->getBuffer()});
  }
  auto additions = tuning::importFiles(files, options.output);
  return additions ? printAdditions(additions, options, console) : additions.takeError();
}

llvm::Error exportFiles(const RecordsFlags &options, Console &console) {
  bool isStdout = options.output.empty();
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::Expected<int64_t> count = tuning::exportFiles(options.files, os);
  if (!count) {
    return count.takeError();
  }
  if (isStdout) {
    console.out << os.str();
  } else if (llvm::Error error = io::writeFile(options.output, os.str())) {
    return withPrefix("--into: ", std::move(error));
  }
  if (isStdout && !options.json.isFile()) {
    return llvm::Error::success(); // the lines are JSON already
  }
  return printRecords(
      options, [&]() -> Value { return Object{{"output", options.output}, {"records", *count}}; },
      [&](llvm::raw_ostream &) {
        if (!isStdout) {
          console.summary() << *count << " records written to " << options.output << "\n";
        }
      },
      console);
}

llvm::Expected<tuning::PruneRule> pruneRule(const RecordsFlags &options) {
  tuning::PruneRule rule;
  if (options.olderThanSeconds > 0) {
    rule.olderThanUs =
        tuning::unixMicroseconds() - static_cast<int64_t>(options.olderThanSeconds * 1e6);
  }
  rule.isStale = options.isStale;
  rule.isFailed = options.isFailed;
  rule.keepFastest = options.keepFastest;
  rule.isDryRun = options.isDryRun;
  if (rule.isEmpty()) {
    return llvm::createStringError("`convoy records prune` expects a rule: --older-than DURATION, "
                                   "--stale, --failed or --keep N");
  }
  return rule;
}

llvm::Error prune(const RecordsFlags &options, Console &console) {
  llvm::Expected<tuning::PruneRule> rule = pruneRule(options);
  if (!rule) {
    return rule.takeError();
  }
  auto removals = tuning::pruneFiles(options.files, *rule);
  if (!removals) {
    return removals.takeError();
  }
  auto printText = [&](llvm::raw_ostream &) {
    for (const tuning::FilePruned &file : *removals) {
      console.summary() << file.file << ": " << file.removed
                        << (options.isDryRun ? " records would be removed\n"
                                             : " records removed\n");
    }
  };
  return printRecords(
      options, [&]() -> Value { return tuning::toJson(*removals); }, printText, console);
}

void addKey(const tuning::KeyOverview &entry, TextTable &table) {
  bool hasBest = entry.bestNs > 0;
  std::string best = tuning::isCounted(entry.key.policy)
                         ? llvm::formatv("{0:N} instructions", std::llround(entry.bestNs)).str()
                         : llvm::formatv("{0:f3} us", entry.bestNs / 1000).str();
  table.add({llvm::StringRef(entry.key.task).take_front(12).str(),
             entry.key.templateId + " v" + std::to_string(entry.key.templateVersion),
             entry.key.policy, std::to_string(entry.trialCount()),
             std::to_string(entry.trialCount() - entry.okCount()), hasBest ? best : "",
             hasBest ? entry.best.text : ""});
}

void printKeys(llvm::ArrayRef<tuning::KeyOverview> keys, llvm::raw_ostream &os) {
  constexpr ColumnKind kNumber = ColumnKind::Number;
  TextTable table({{"task"},
                   {"template"},
                   {"policy"},
                   {"trials", kNumber},
                   {"failed", kNumber},
                   {"best", kNumber},
                   {"configuration"}});
  for (const tuning::KeyOverview &entry : keys) {
    addKey(entry, table);
  }
  if (!keys.empty()) {
    table.print(os, "  ");
  }
}

void printVerdicts(llvm::ArrayRef<tuning::Verdict> verdicts, llvm::raw_ostream &os) {
  for (const tuning::Verdict &verdict : verdicts) {
    os << "  network " << llvm::StringRef(verdict.network).take_front(12) << ": "
       << (verdict.keepsDefault ? "keeps the default" : "is tuned") << ", by "
       << verdict.samples.size() << " pairs of samples; " << verdict.passedOver.size()
       << " choices passed over\n";
  }
}

void printListing(const tuning::FileListing &listing, llvm::raw_ostream &os) {
  const tuning::Overview &overview = listing.overview;
  os << listing.file << ": " << overview.records << " records, hash " << overview.hash << "\n";
  printKeys(overview.keys, os);
  printVerdicts(listing.verdicts, os);
}

llvm::Error list(const RecordsFlags &options, Console &console) {
  auto listings = tuning::listFiles(options.files);
  if (!listings) {
    return listings.takeError();
  }
  auto printText = [&](llvm::raw_ostream &os) {
    for (const tuning::FileListing &listing : *listings) {
      printListing(listing, os);
    }
  };
  return printRecords(
      options, [&]() -> Value { return tuning::toJson(*listings); }, printText, console);
}

} // namespace

ExitCode records(const RecordsFlags &options, Console &console) {
  using Action = RecordsFlags::Action;
  auto act = [&]() -> llvm::Error {
    switch (options.action) {
    case Action::Merge:
      return merge(options, console);
    case Action::Export:
      return exportFiles(options, console);
    case Action::Import:
      return importFiles(options, console);
    case Action::Prune:
      return prune(options, console);
    case Action::List:
      return list(options, console);
    }
    llvm_unreachable("an action that the command line does not know");
  };
  if (llvm::Error error = act()) {
    std::string text = llvm::toString(std::move(error));
    return text.empty() ? kUserError : fail(llvm::createStringError(text), console);
  }
  return kDone;
}

} // namespace convoy::tool

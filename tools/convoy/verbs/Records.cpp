// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy records`: what a person does with files of tuning records. The work is in
// tuning/records.

#include "Support/TextTable.h"
#include "Support/TypedError.h"
#include "io/Files.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tuning/records/JsonLines.h"
#include "tuning/records/Overview.h"
#include "tuning/records/SampleUnit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <cmath>

namespace convoy::tool {
namespace {

using Access = tuning::RecordStore::Access;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

llvm::Expected<tuning::RecordStore> openFor(llvm::StringRef path, Access access) {
  return tuning::RecordStore::open(path, access);
}

/// Opens the file of --output, which is created if there is none.
llvm::Expected<tuning::RecordStore> openOutput(const RecordsFlags &options) {
  llvm::Expected<tuning::RecordStore> store = openFor(options.output, Access::Write);
  return store ? std::move(store) : withPrefix("--output: ", store.takeError());
}

/// Prints a result; an error that printResult has reported becomes a silent one.
llvm::Error printRecords(const RecordsFlags &options, llvm::function_ref<Value()> toJson,
                         Print printText, Console &console) {
  ExitCode code = printResult(
      options.json, [&](llvm::raw_ostream &os) { printJson(os, toJson()); }, printText, console);
  return code == kDone ? llvm::Error::success() : llvm::createStringError("");
}

/// What was added to a file from several others.
struct Addition {
  std::string file;
  tuning::Added added;
};

llvm::Error printAdditions(llvm::ArrayRef<Addition> additions, const RecordsFlags &options,
                           Console &console) {
  auto toJson = [&]() -> Value {
    Array list;
    for (const Addition &addition : additions) {
      list.push_back(Object{{"file", addition.file},
                            {"added", addition.added.added},
                            {"known", addition.added.known}});
    }
    return Object{{"output", options.output}, {"files", std::move(list)}};
  };
  auto printText = [&](llvm::raw_ostream &) {
    for (const Addition &addition : additions) {
      console.summary() << addition.file << ": " << addition.added.added << " records added to "
                        << options.output << ", " << addition.added.known << " already there\n";
    }
  };
  return printRecords(options, toJson, printText, console);
}

llvm::Error merge(const RecordsFlags &options, Console &console) {
  // All are opened before one is changed: a wrong name leaves the output as it was.
  std::vector<tuning::RecordStore> sources;
  for (const std::string &file : options.files) {
    llvm::Expected<tuning::RecordStore> source = openFor(file, Access::Read);
    if (!source) {
      return source.takeError();
    }
    sources.push_back(std::move(*source));
  }
  llvm::Expected<tuning::RecordStore> output = openOutput(options);
  if (!output) {
    return output.takeError();
  }
  std::vector<Addition> additions;
  for (tuning::RecordStore &source : sources) {
    llvm::Expected<tuning::Added> added = output->merge(source);
    if (!added) {
      return added.takeError();
    }
    additions.push_back({source.path(), *added});
  }
  return printAdditions(additions, options, console);
}

llvm::Error importFiles(const RecordsFlags &options, Console &console) {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> texts;
  for (const std::string &file : options.files) {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text = io::readFile(file);
    if (!text) {
      return text.takeError();
    }
    texts.push_back(std::move(*text));
  }
  llvm::Expected<tuning::RecordStore> output = openOutput(options);
  if (!output) {
    return output.takeError();
  }
  std::vector<Addition> additions;
  for (auto [file, text] : llvm::zip_equal(options.files, texts)) {
    llvm::Expected<tuning::Added> added = importLines(*output, text->getBuffer(), file);
    if (!added) {
      return added.takeError();
    }
    additions.push_back({file, *added});
  }
  return printAdditions(additions, options, console);
}

/// Writes the lines of all files to `os`; returns how many records.
llvm::Expected<int64_t> exportTo(llvm::raw_ostream &os, const RecordsFlags &options) {
  int64_t count = 0;
  for (const std::string &file : options.files) {
    llvm::Expected<tuning::RecordStore> store = openFor(file, Access::Read);
    if (!store) {
      return store.takeError();
    }
    llvm::Expected<int64_t> lines = exportLines(*store, os);
    if (!lines) {
      return lines.takeError();
    }
    count += *lines;
  }
  return count;
}

llvm::Error exportFiles(const RecordsFlags &options, Console &console) {
  bool isStdout = options.output.empty();
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::Expected<int64_t> count = exportTo(os, options);
  if (!count) {
    return count.takeError();
  }
  if (isStdout) {
    console.out << os.str();
  } else if (llvm::Error error = io::writeFile(options.output, os.str())) {
    return withPrefix("--output: ", std::move(error));
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
  std::vector<std::pair<std::string, int64_t>> removals;
  for (const std::string &file : options.files) {
    if (!llvm::sys::fs::exists(file)) {
      return io::fileError("'" + file + "': the file does not exist");
    }
    llvm::Expected<tuning::RecordStore> store = openFor(file, Access::Write);
    if (!store) {
      return store.takeError();
    }
    llvm::Expected<int64_t> removed = store->prune(*rule);
    if (!removed) {
      return removed.takeError();
    }
    removals.emplace_back(file, *removed);
  }
  auto toJson = [&]() -> Value {
    Array list;
    for (const auto &[file, removed] : removals) {
      list.push_back(Object{{"file", file}, {"removed", removed}});
    }
    return list;
  };
  auto printText = [&](llvm::raw_ostream &) {
    for (const auto &[file, removed] : removals) {
      console.summary() << file << ": " << removed
                        << (options.isDryRun ? " records would be removed\n"
                                             : " records removed\n");
    }
  };
  return printRecords(options, toJson, printText, console);
}

Object toJson(const tuning::KeyOverview &entry) {
  Object outcomes;
  for (const auto &[outcome, count] : entry.trials) {
    outcomes[name(outcome)] = count;
  }
  Object object{{"task", entry.taskText},
                {"task_hash", entry.key.task},
                {"target", entry.key.target},
                {"template", entry.key.templateId},
                {"version", entry.key.templateVersion},
                {"policy", entry.key.policy},
                {"trials", std::move(outcomes)}};
  if (entry.bestNs > 0) {
    object["best"] =
        Object{{tuning::isCounted(entry.key.policy) ? "instructions" : "ns", entry.bestNs},
               {"configuration", entry.best.text},
               {"input_layout", entry.best.inputLayout},
               {"output_layout", entry.best.outputLayout}};
  }
  return object;
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

/// What networks showed.
Array verdictsToJson(llvm::ArrayRef<tuning::Verdict> verdicts) {
  Array list;
  for (const tuning::Verdict &verdict : verdicts) {
    list.push_back(Object{{"network", verdict.network},
                          {"target", verdict.target},
                          {"choice", verdict.keepsDefault ? "default" : "tuned"},
                          {"pairs", static_cast<int64_t>(verdict.samples.size())},
                          {"passed_over", static_cast<int64_t>(verdict.passedOver.size())}});
  }
  return list;
}

void printVerdicts(llvm::ArrayRef<tuning::Verdict> verdicts, llvm::raw_ostream &os) {
  for (const tuning::Verdict &verdict : verdicts) {
    os << "  network " << llvm::StringRef(verdict.network).take_front(12) << ": "
       << (verdict.keepsDefault ? "keeps the default" : "is tuned") << ", by "
       << verdict.samples.size() << " pairs of samples; " << verdict.passedOver.size()
       << " choices passed over\n";
  }
}

/// What a file holds.
struct Listing {
  std::string file;
  tuning::Overview overview;
  std::vector<tuning::Verdict> verdicts;
};

llvm::Expected<std::vector<Listing>> readListings(const RecordsFlags &options) {
  std::vector<Listing> listings;
  for (const std::string &file : options.files) {
    llvm::Expected<tuning::RecordStore> store = openFor(file, Access::Read);
    if (!store) {
      return store.takeError();
    }
    llvm::Expected<tuning::Overview> overview = readOverview(*store);
    llvm::Expected<std::vector<tuning::Verdict>> verdicts = store->verdicts();
    if (!overview || !verdicts) {
      return llvm::joinErrors(overview.takeError(), verdicts.takeError());
    }
    listings.push_back({file, std::move(*overview), std::move(*verdicts)});
  }
  return listings;
}

Object toJson(const Listing &listing) {
  Array keys;
  for (const tuning::KeyOverview &entry : listing.overview.keys) {
    keys.push_back(toJson(entry));
  }
  return Object{{"file", listing.file},
                {"hash", listing.overview.hash},
                {"records", listing.overview.records},
                {"networks", verdictsToJson(listing.verdicts)},
                {"keys", std::move(keys)}};
}

void printListing(const Listing &listing, llvm::raw_ostream &os) {
  const tuning::Overview &overview = listing.overview;
  os << listing.file << ": " << overview.records << " records, hash " << overview.hash << "\n";
  printKeys(overview.keys, os);
  printVerdicts(listing.verdicts, os);
}

llvm::Error list(const RecordsFlags &options, Console &console) {
  llvm::Expected<std::vector<Listing>> listings = readListings(options);
  if (!listings) {
    return listings.takeError();
  }
  auto toArray = [&]() -> Value {
    Array files;
    for (const Listing &listing : *listings) {
      files.push_back(toJson(listing));
    }
    return files;
  };
  auto printText = [&](llvm::raw_ostream &os) {
    for (const Listing &listing : *listings) {
      printListing(listing, os);
    }
  };
  return printRecords(options, toArray, printText, console);
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
    if (!text.empty()) {
      console.err << "error: " << text << "\n";
    }
    return kUserError;
  }
  return kDone;
}

} // namespace convoy::tool

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy records`: what a person does with files of tuning records. The work is in
// tuning/records.

#include "Support/TextTable.h"
#include "Verbs.h"
#include "io/Files.h"
#include "tuning/records/JsonLines.h"
#include "tuning/records/Overview.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace convoy::tool {
namespace {

using Access = tuning::RecordStore::Access;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

llvm::Expected<tuning::RecordStore> openFor(llvm::StringRef path, Access access) {
  return tuning::RecordStore::open(path, access);
}

void print(Value value, Console &console) { console.out << llvm::formatv("{0:2}", value) << "\n"; }

/// What was added to a file from several others.
struct Addition {
  std::string file;
  tuning::Added added;
};

void printAdditions(llvm::ArrayRef<Addition> additions, const RecordsOptions &options,
                    Console &console) {
  if (options.isJson) {
    Array list;
    for (const Addition &addition : additions) {
      list.push_back(Object{{"file", addition.file},
                            {"added", addition.added.added},
                            {"known", addition.added.known}});
    }
    print(Object{{"output", options.output}, {"files", std::move(list)}}, console);
    return;
  }
  for (const Addition &addition : additions) {
    console.out << addition.file << ": " << addition.added.added << " records added to "
                << options.output << ", " << addition.added.known << " were there\n";
  }
}

llvm::Error merge(const RecordsOptions &options, Console &console) {
  // All are opened before one is changed: a wrong name leaves the output as it was.
  std::vector<tuning::RecordStore> sources;
  for (const std::string &file : options.files) {
    llvm::Expected<tuning::RecordStore> source = openFor(file, Access::Read);
    if (!source) {
      return source.takeError();
    }
    sources.push_back(std::move(*source));
  }
  llvm::Expected<tuning::RecordStore> output = openFor(options.output, Access::Write);
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
  printAdditions(additions, options, console);
  return llvm::Error::success();
}

llvm::Error importFiles(const RecordsOptions &options, Console &console) {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> texts;
  for (const std::string &file : options.files) {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text = io::readFile(file);
    if (!text) {
      return text.takeError();
    }
    texts.push_back(std::move(*text));
  }
  llvm::Expected<tuning::RecordStore> output = openFor(options.output, Access::Write);
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
  printAdditions(additions, options, console);
  return llvm::Error::success();
}

/// Writes the lines of all files to `os`; returns how many records.
llvm::Expected<int64_t> exportTo(llvm::raw_ostream &os, const RecordsOptions &options) {
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

llvm::Error exportFiles(const RecordsOptions &options, Console &console) {
  if (options.output.empty()) {
    return exportTo(console.out, options).takeError();
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::Expected<int64_t> count = exportTo(os, options);
  if (!count) {
    return count.takeError();
  }
  if (llvm::Error error = io::writeFile(options.output, os.str())) {
    return error;
  }
  if (options.isJson) {
    print(Object{{"output", options.output}, {"records", *count}}, console);
  } else {
    console.out << *count << " records written to " << options.output << "\n";
  }
  return llvm::Error::success();
}

llvm::Expected<tuning::PruneRule> pruneRule(const RecordsOptions &options) {
  constexpr int64_t kDayUs = int64_t(24) * 3600 * 1000000;
  tuning::PruneRule rule;
  if (options.olderThanDays > 0) {
    rule.olderThanUs = tuning::unixMicroseconds() - options.olderThanDays * kDayUs;
  }
  rule.isStale = options.isStale;
  rule.isFailed = options.isFailed;
  rule.keepFastest = options.keepFastest;
  rule.isDryRun = options.isDryRun;
  if (rule.isEmpty()) {
    return llvm::createStringError("prune: say what to take away: --older-than DAYS, --stale, "
                                   "--failed or --keep N");
  }
  return rule;
}

llvm::Error prune(const RecordsOptions &options, Console &console) {
  llvm::Expected<tuning::PruneRule> rule = pruneRule(options);
  if (!rule) {
    return rule.takeError();
  }
  Array list;
  for (const std::string &file : options.files) {
    if (!llvm::sys::fs::exists(file)) {
      return io::fileError("'" + file + "': there is no such file");
    }
    llvm::Expected<tuning::RecordStore> store = openFor(file, Access::Write);
    if (!store) {
      return store.takeError();
    }
    llvm::Expected<int64_t> removed = store->prune(*rule);
    if (!removed) {
      return removed.takeError();
    }
    list.push_back(Object{{"file", file}, {"removed", *removed}});
    if (!options.isJson) {
      console.out << file << ": " << *removed
                  << (options.isDryRun ? " records would be removed\n" : " records removed\n");
    }
  }
  if (options.isJson) {
    print(std::move(list), console);
  }
  return llvm::Error::success();
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
    object["best"] = Object{{"ns", entry.bestNs},
                            {"configuration", entry.best.text},
                            {"input_layout", entry.best.inputLayout},
                            {"output_layout", entry.best.outputLayout}};
  }
  return object;
}

void addKey(const tuning::KeyOverview &entry, TextTable &table) {
  bool hasBest = entry.bestNs > 0;
  table.add({llvm::StringRef(entry.key.task).take_front(12).str(),
             entry.key.templateId + " v" + std::to_string(entry.key.templateVersion),
             entry.key.policy, std::to_string(entry.trialCount()),
             std::to_string(entry.trialCount() - entry.okCount()),
             hasBest ? llvm::formatv("{0:f3}", entry.bestNs / 1000).str() : "",
             hasBest ? entry.best.text : ""});
}

void printKeys(llvm::ArrayRef<tuning::KeyOverview> keys, llvm::raw_ostream &os) {
  constexpr ColumnKind kNumber = ColumnKind::Number;
  TextTable table({{"task"},
                   {"template"},
                   {"policy"},
                   {"trials", kNumber},
                   {"failed", kNumber},
                   {"best us", kNumber},
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

llvm::Error list(const RecordsOptions &options, Console &console) {
  Array files;
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
    if (options.isJson) {
      Array keys;
      for (const tuning::KeyOverview &entry : overview->keys) {
        keys.push_back(toJson(entry));
      }
      files.push_back(Object{{"file", file},
                             {"hash", overview->hash},
                             {"records", overview->records},
                             {"networks", verdictsToJson(*verdicts)},
                             {"keys", std::move(keys)}});
      continue;
    }
    console.out << file << ": " << overview->records << " records, hash " << overview->hash << "\n";
    printKeys(overview->keys, console.out);
    printVerdicts(*verdicts, console.out);
  }
  if (options.isJson) {
    print(std::move(files), console);
  }
  return llvm::Error::success();
}

} // namespace

ExitCode records(const RecordsOptions &options, Console &console) {
  using Action = RecordsOptions::Action;
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
    console.err << "error: " << llvm::toString(std::move(error)) << "\n";
    return kUserError;
  }
  return kDone;
}

} // namespace convoy::tool

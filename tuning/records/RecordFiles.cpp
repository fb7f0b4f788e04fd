// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the files, calls RecordStore and JsonLines, and converts the results to JSON.

#include "tuning/records/RecordFiles.h"
#include "Support/TypedError.h"
#include "tuning/records/JsonLines.h"
#include "tuning/records/SampleUnit.h"
#include "llvm/Support/FileSystem.h"

namespace convoy::tuning {
namespace {

using llvm::json::Array;
using llvm::json::Object;

/// Opens the file to which records are added.
llvm::Expected<RecordStore> openOutput(const std::string &into) {
  llvm::Expected<RecordStore> store = RecordStore::open(into, RecordStore::Access::Write);
  return store ? std::move(store) : withPrefix("--into: ", store.takeError());
}

Object toJson(const KeyOverview &entry) {
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
    object["best"] = Object{{isCounted(entry.key.policy) ? "instructions" : "ns", entry.bestNs},
                            {"configuration", entry.best.text},
                            {"input_layout", entry.best.inputLayout},
                            {"output_layout", entry.best.outputLayout}};
  }
  return object;
}

/// What networks showed.
Array verdictsToJson(llvm::ArrayRef<Verdict> verdicts) {
  Array list;
  for (const Verdict &verdict : verdicts) {
    list.push_back(Object{{"network", verdict.network},
                          {"target", verdict.target},
                          {"choice", verdict.keepsDefault ? "default" : "tuned"},
                          {"pairs", static_cast<int64_t>(verdict.samples.size())},
                          {"passed_over", static_cast<int64_t>(verdict.passedOver.size())}});
  }
  return list;
}

Object toJson(const FileListing &listing) {
  Array keys;
  for (const KeyOverview &entry : listing.overview.keys) {
    keys.push_back(toJson(entry));
  }
  return Object{{"file", llvm::json::fixUTF8(listing.file)},
                {"hash", listing.overview.hash},
                {"records", listing.overview.records},
                {"networks", verdictsToJson(listing.verdicts)},
                {"keys", std::move(keys)}};
}

} // namespace

llvm::Expected<std::vector<FileAdded>> mergeFiles(llvm::ArrayRef<std::string> files,
                                                  const std::string &into) {
  std::vector<RecordStore> sources;
  for (const std::string &file : files) {
    llvm::Expected<RecordStore> source = RecordStore::open(file, RecordStore::Access::Read);
    if (!source) {
      return source.takeError();
    }
    sources.push_back(std::move(*source));
  }
  llvm::Expected<RecordStore> output = openOutput(into);
  if (!output) {
    return output.takeError();
  }
  std::vector<FileAdded> additions;
  for (RecordStore &source : sources) {
    llvm::Expected<Added> added = output->merge(source);
    if (!added) {
      return added.takeError();
    }
    additions.push_back({source.path(), *added});
  }
  return additions;
}

llvm::Expected<std::vector<FileAdded>> importFiles(llvm::ArrayRef<LinesFile> files,
                                                   const std::string &into) {
  llvm::Expected<RecordStore> output = openOutput(into);
  if (!output) {
    return output.takeError();
  }
  std::vector<FileAdded> additions;
  for (const LinesFile &file : files) {
    llvm::Expected<Added> added = importLines(*output, file.text, file.name);
    if (!added) {
      return added.takeError();
    }
    additions.push_back({file.name, *added});
  }
  return additions;
}

llvm::Expected<int64_t> exportFiles(llvm::ArrayRef<std::string> files, llvm::raw_ostream &os) {
  int64_t count = 0;
  for (const std::string &file : files) {
    llvm::Expected<RecordStore> store = RecordStore::open(file, RecordStore::Access::Read);
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

llvm::Expected<std::vector<FilePruned>> pruneFiles(llvm::ArrayRef<std::string> files,
                                                   const PruneRule &rule) {
  std::vector<FilePruned> removals;
  for (const std::string &file : files) {
    if (!llvm::sys::fs::exists(file)) { // Access::Write would create it
      return llvm::createStringError("'" + file + "': the file does not exist");
    }
    llvm::Expected<RecordStore> store = RecordStore::open(file, RecordStore::Access::Write);
    if (!store) {
      return store.takeError();
    }
    llvm::Expected<int64_t> removed = store->prune(rule);
    if (!removed) {
      return removed.takeError();
    }
    removals.push_back({file, *removed});
  }
  return removals;
}

llvm::Expected<std::vector<FileListing>> listFiles(llvm::ArrayRef<std::string> files) {
  std::vector<FileListing> listings;
  for (const std::string &file : files) {
    llvm::Expected<RecordStore> store = RecordStore::open(file, RecordStore::Access::Read);
    if (!store) {
      return store.takeError();
    }
    llvm::Expected<Overview> overview = readOverview(*store);
    if (!overview) {
      return overview.takeError();
    }
    llvm::Expected<std::vector<Verdict>> verdicts = store->verdicts();
    if (!verdicts) {
      return verdicts.takeError();
    }
    listings.push_back({file, std::move(*overview), std::move(*verdicts)});
  }
  return listings;
}

Object toJson(llvm::ArrayRef<FileAdded> files, const std::string &into) {
  Array list;
  for (const FileAdded &file : files) {
    list.push_back(Object{{"file", llvm::json::fixUTF8(file.file)},
                          {"added", file.added.added},
                          {"known", file.added.known}});
  }
  return Object{{"output", llvm::json::fixUTF8(into)}, {"files", std::move(list)}};
}

Array toJson(llvm::ArrayRef<FilePruned> files) {
  Array list;
  for (const FilePruned &file : files) {
    list.push_back(Object{{"file", llvm::json::fixUTF8(file.file)}, {"removed", file.removed}});
  }
  return list;
}

Array toJson(llvm::ArrayRef<FileListing> files) {
  Array list;
  for (const FileListing &file : files) {
    list.push_back(toJson(file));
  }
  return list;
}

} // namespace convoy::tuning

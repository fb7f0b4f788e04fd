// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// records_writer FILE FIRST COUNT BATCH: adds trials starting at FIRST in batches, and prints
// the number of each stored trial. Tests kill this process or fill its disk.

#include "SampleRecord.h"
#include "tuning/records/RecordStore.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace convoy::tuning;

namespace {

/// Writes without buffering, so that the test sees the output even if it kills this process.
void say(const std::string &text) {
  if (write(STDOUT_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    std::abort();
  }
}

int report(llvm::Error error) {
  llvm::errs() << llvm::toString(std::move(error)) << "\n";
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5) {
    llvm::errs() << "usage: records_writer FILE FIRST COUNT BATCH\n";
    return 2;
  }
  // A limit on the file size must be an error, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  int first = std::atoi(argv[2]), count = std::atoi(argv[3]), batch = std::atoi(argv[4]);
  llvm::errs() << "ready\n";
  llvm::Expected<RecordStore> store = RecordStore::open(argv[1], RecordStore::Access::Write);
  if (!store) {
    return report(store.takeError());
  }
  for (int i = first; i < first + count; i += batch) {
    std::vector<Record> records;
    std::string stored;
    for (int k = i; k < i + batch; ++k) {
      records.push_back(sampleRecord(k));
      stored += std::to_string(k) + "\n";
    }
    llvm::Expected<Added> added = store->append(records);
    if (!added) {
      return report(added.takeError());
    }
    say(stored);
  }
  return 0;
}

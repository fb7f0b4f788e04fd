// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary text to the reader of exported tuning records. An accepted record must be the
// same when it is written and read again.

#include "tests/fuzz/Target.h"
#include "tuning/records/JsonLines.h"

using namespace convoy;
using namespace convoy::tuning;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<RecordLines> lines = readLines(fuzz::textOf(data, size), "fuzz.jsonl");
  if (!fuzz::isAccepted(lines)) {
    return 0;
  }
  for (const Record &record : lines->records) {
    std::string line = toJsonLine(record);
    llvm::Expected<Record> again = fromJsonLine(line);
    if (!again) {
      fuzz::reportFinding("the writer's line is refused: " + llvm::toString(again.takeError()) +
                          "\n" + line);
    }
    fuzz::expectEqual(line, toJsonLine(*again), "a record");
  }
  return 0;
}

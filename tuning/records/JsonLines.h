// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes records as text, one JSON object per line, for exchange and for
// repositories. Equal records have equal text.

#pragma once

#include "tuning/records/RecordStore.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tuning {

/// Formats samples as "[[runs, wallNs, cpuNs, isClean], ...]".
std::string samplesToJson(llvm::ArrayRef<Sample> samples);
llvm::Expected<std::vector<Sample>> samplesFromJson(llvm::StringRef text);

/// Formats a record without a line end.
std::string toJsonLine(const Record &record);
llvm::Expected<Record> fromJsonLine(llvm::StringRef line);

/// Checks that a record can be stored. The error names the trial and the field.
llvm::Error checkRecord(const Record &record);
/// Checks what checkRecord() checks of samples: their number, runs and times.
llvm::Error checkSamples(llvm::ArrayRef<Sample> samples);

/// Returns the first line of an exported text, with the version of the format.
std::string headerLine();

struct RecordLines {
  std::vector<Record> records;
  std::vector<Verdict> verdicts;
};

/// Reads an exported text, or several of them in sequence. Errors name `origin` and the line.
llvm::Expected<RecordLines> readLines(llvm::StringRef text, llvm::StringRef origin);

/// Writes a header line with the version, then all records sorted by trial id, then all
/// verdicts sorted by id. Returns the number of records.
llvm::Expected<int64_t> exportLines(RecordStore &store, llvm::raw_ostream &os);

/// Adds all records of a text, or none. The text may consist of several exported texts. Errors
/// name `origin` and the line.
llvm::Expected<Added> importLines(RecordStore &store, llvm::StringRef text, llvm::StringRef origin);

} // namespace convoy::tuning

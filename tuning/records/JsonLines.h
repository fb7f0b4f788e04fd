// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records as text, one JSON object per line: to exchange, to keep in a repository, to
// look at. The same record is always the same text.

#pragma once

#include "tuning/records/RecordStore.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tuning {

/// "[[runs, wallNs, cpuNs, isClean], ...]".
std::string samplesToJson(llvm::ArrayRef<Sample> samples);
llvm::Expected<std::vector<Sample>> samplesFromJson(llvm::StringRef text);

/// Without a line end.
std::string toJsonLine(const Record &record);
llvm::Expected<Record> fromJsonLine(llvm::StringRef line);

/// What a record must hold to be stored; the error names the trial and the field.
llvm::Error checkRecord(const Record &record);

/// Writes a first line that says what this is, then all records by trial id and all
/// verdicts by theirs. Returns how many records.
llvm::Expected<int64_t> exportLines(RecordStore &store, llvm::raw_ostream &os);

/// Adds all records of a text, or none. Several texts in a row are fine too. Errors
/// name `origin` and the line.
llvm::Expected<Added> importLines(RecordStore &store, llvm::StringRef text, llvm::StringRef origin);

} // namespace convoy::tuning

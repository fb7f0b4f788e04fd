// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the samples of both files and computes the ratio of their medians with its interval.

#include "timing/BenchCompare.h"
#include "Support/Json.h"
#include "Support/TextTable.h"
#include "io/Files.h"
#include "timing/MeasureProgram.h"
#include "timing/NumberText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

namespace convoy::timing {
namespace {

// The median of the peak on an idle machine varies by about 2 % between measurements.
constexpr double kMaxPeakChange = 0.05;

llvm::Error notABench(llvm::StringRef origin, const llvm::Twine &found) {
  return llvm::createStringError("'" + origin +
                                 "': expects a file of `convoy bench --json=FILE`, found " + found);
}

std::string textOf(const llvm::json::Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

/// Returns nothing for a cell of a matrix that failed.
llvm::Expected<std::optional<SavedRow>> parseRow(const llvm::json::Value &value,
                                                 llvm::StringRef origin) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object || !object->getString("model")) {
    return notABench(origin, "an entry without 'model'");
  }
  if (object->getString("problem")) {
    return std::nullopt;
  }
  SavedRow row;
  row.model = textOf(*object, "model");
  row.options = textOf(*object, "options");
  if (const llvm::json::Object *built = object->getObject("built")) {
    row.target = textOf(*built, "target");
  }
  row.threads = object->getInteger("threads").value_or(1);
  row.samplesMs = numbers(*object, "samples_ms");
  row.peakGflops = object->getNumber("peak_gflops").value_or(0);
  auto isTime = [](double ms) { return std::isfinite(ms) && ms > 0; };
  if (row.samplesMs.empty() || !llvm::all_of(row.samplesMs, isTime)) {
    return llvm::createStringError("'" + origin + "': expects the samples of " + row.name() +
                                   " as positive numbers in 'samples_ms', found none; measure "
                                   "again with `convoy bench --json=FILE`, without --layers");
  }
  return row;
}

llvm::Expected<std::vector<SavedRow>> readRows(const std::string &path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = io::readFile(path);
  if (!buffer) {
    return buffer.takeError();
  }
  return parseSavedRows((*buffer)->getBuffer(), path);
}

const SavedRow *find(llvm::ArrayRef<SavedRow> rows, const SavedRow &wanted) {
  const SavedRow *found =
      llvm::find_if(rows, [&](const SavedRow &row) { return row.name() == wanted.name(); });
  return found == rows.end() ? nullptr : found;
}

void warnOfPeak(const ComparedRow &row, std::vector<std::string> &warnings) {
  double before = row.before.peakGflops, after = row.after.peakGflops;
  if (before > 0 && after > 0 && std::abs(after / before - 1) > kMaxPeakChange) {
    warnings.push_back(row.after.name() + ": the peak of the machine changed from " +
                       fixedText(before, 1) + " to " + fixedText(after, 1) +
                       " GFLOP/s; the ratio contains this change. Measure both again");
  }
}

} // namespace

std::string SavedRow::name() const {
  std::string text = model + (target.empty() ? "" : " on " + target) + ", " +
                     std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  return options.empty() ? text : text + ", " + options;
}

llvm::Expected<std::vector<SavedRow>> parseSavedRows(llvm::StringRef text, llvm::StringRef origin) {
  llvm::Expected<llvm::json::Value> value = parseJson(text);
  if (!value) {
    return notABench(origin, llvm::toString(value.takeError()));
  }
  const llvm::json::Array *list = value->getAsArray();
  if (!list) {
    return notABench(origin, "no array");
  }
  std::vector<SavedRow> rows;
  for (const llvm::json::Value &entry : *list) {
    llvm::Expected<std::optional<SavedRow>> row = parseRow(entry, origin);
    if (!row) {
      return row.takeError();
    }
    if (*row) {
      rows.push_back(std::move(**row));
    }
  }
  return rows;
}

llvm::StringRef verdictText(Verdict verdict) {
  switch (verdict) {
  case Verdict::Faster:
    return "faster";
  case Verdict::Slower:
    return "slower";
  case Verdict::NoDifference:
    return "no difference";
  }
  llvm_unreachable("unknown verdict");
}

Verdict ComparedRow::verdict() const {
  return ratio.high < 1 ? Verdict::Faster : ratio.low > 1 ? Verdict::Slower : Verdict::NoDifference;
}

size_t BenchComparison::count(Verdict verdict) const {
  return llvm::count_if(rows, [&](const ComparedRow &row) { return row.verdict() == verdict; });
}

llvm::Expected<BenchComparison> compareBenches(const std::string &before,
                                               const std::string &after) {
  llvm::Expected<std::vector<SavedRow>> old = readRows(before), fresh = readRows(after);
  if (!old || !fresh) {
    return llvm::joinErrors(old.takeError(), fresh.takeError());
  }
  BenchComparison result{before, after, {}, {}};
  for (const SavedRow &row : *old) {
    if (const SavedRow *other = find(*fresh, row)) {
      result.rows.push_back({row, *other, ratioOfSeparateMedians(other->samplesMs, row.samplesMs)});
      warnOfPeak(result.rows.back(), result.warnings);
    } else {
      result.warnings.push_back(row.name() + " is only in '" + before + "'");
    }
  }
  for (const SavedRow &row : *fresh) {
    if (!find(*old, row)) {
      result.warnings.push_back(row.name() + " is only in '" + after + "'");
    }
  }
  if (result.rows.empty()) {
    return llvm::createStringError("'" + before + "' and '" + after +
                                   "' have no model with the same target and threads in common");
  }
  return result;
}

void printComparison(llvm::raw_ostream &os, const BenchComparison &comparison) {
  constexpr ColumnKind kNumber = ColumnKind::Number;
  TextTable table({{"model"},
                   {"before ms", kNumber},
                   {"after ms", kNumber},
                   {"ratio", kNumber},
                   {"95 % interval", kNumber},
                   {"verdict"}});
  for (const ComparedRow &row : comparison.rows) {
    table.add({row.after.name(), msText(median(row.before.samplesMs)),
               msText(median(row.after.samplesMs)), fixedText(row.ratio.value, 3),
               intervalText(row.ratio), verdictText(row.verdict()).str()});
  }
  table.print(os);
  os << comparison.count(Verdict::Faster) << " faster, " << comparison.count(Verdict::Slower)
     << " slower, " << comparison.count(Verdict::NoDifference) << " without a difference\n";
}

std::string toJson(const BenchComparison &comparison) {
  llvm::json::Array list;
  for (const ComparedRow &row : comparison.rows) {
    list.push_back(llvm::json::Object{{"model", llvm::json::fixUTF8(row.after.model)},
                                      {"target", llvm::json::fixUTF8(row.after.target)},
                                      {"options", llvm::json::fixUTF8(row.after.options)},
                                      {"threads", row.after.threads},
                                      {"before_ms", median(row.before.samplesMs)},
                                      {"after_ms", median(row.after.samplesMs)},
                                      {"ratio", row.ratio.value},
                                      {"ratio_low", row.ratio.low},
                                      {"ratio_high", row.ratio.high},
                                      {"verdict", verdictText(row.verdict())}});
  }
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(list))).str();
}

} // namespace convoy::timing

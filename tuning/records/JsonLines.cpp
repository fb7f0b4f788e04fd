// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line does not contain the hash of its task. The importer computes the hash from the text,
// so an edited line cannot claim to belong to a different task.

#include "JsonLines.h"
#include "Support/Json.h"
#include "tuning/records/Schema.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

namespace convoy::tuning {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

// Messages of failed builds can be long.
constexpr size_t kMaxTextBytes = 1 << 20;
constexpr size_t kMaxSamples = 100000;
constexpr llvm::StringLiteral kHeader = "convoy-records";

Array toArray(llvm::ArrayRef<Sample> samples) {
  Array list;
  for (const Sample &sample : samples) {
    list.push_back(Array{sample.runs, sample.wallNs, sample.cpuNs, sample.isClean ? 1 : 0});
  }
  return list;
}

llvm::Expected<Sample> toSample(const Value &value) {
  const Array *parts = value.getAsArray();
  if (!parts || parts->size() != 4) {
    return llvm::createStringError(
        "expected a sample to be a list of runs, wallNs, cpuNs and isClean");
  }
  int64_t numbers[4];
  for (auto [part, number] : llvm::zip_equal(*parts, numbers)) {
    std::optional<int64_t> whole = part.getAsInteger();
    if (!whole || *whole < 0) {
      return llvm::createStringError("expected a sample to contain integers, none below 0");
    }
    number = *whole;
  }
  return Sample{numbers[0], numbers[1], numbers[2], numbers[3] != 0};
}

llvm::Expected<std::vector<Sample>> toSamples(const Array &list) {
  std::vector<Sample> samples;
  for (const Value &value : list) {
    llvm::Expected<Sample> sample = toSample(value);
    if (!sample) {
      return sample.takeError();
    }
    samples.push_back(*sample);
  }
  return samples;
}

/// Reads the fields of an object and stores an error for the first missing field.
struct RecordReader {
  const Object &object;
  std::string missing;

  std::string text(llvm::StringRef key) {
    std::optional<llvm::StringRef> value = object.getString(key);
    note(key, value.has_value(), "a string");
    return value.value_or("").str();
  }
  int64_t number(llvm::StringRef key) {
    std::optional<int64_t> value = object.getInteger(key);
    note(key, value.has_value(), "an integer");
    return value.value_or(0);
  }
  void note(llvm::StringRef key, bool isThere, llvm::StringRef kind) {
    if (!isThere && missing.empty()) {
      missing = ("expected '" + key + "' to be " + kind).str();
    }
  }
};

bool isHeader(const Object &object) { return object.get(kHeader) != nullptr; }

llvm::Error checkHeader(const Object &object) {
  std::optional<int64_t> version = object.getInteger(kHeader);
  if (!version) {
    return llvm::createStringError("'" + kHeader + "' is not a version number");
  }
  if (*version > kSchemaVersion) {
    return llvm::createStringError("these records have version " + llvm::Twine(*version) +
                                   ", but this convoy reads versions up to " +
                                   llvm::Twine(kSchemaVersion) +
                                   "; import them with the convoy that exported them, or a newer "
                                   "one");
  }
  return llvm::Error::success();
}

llvm::Expected<Record> fromObject(const Object &object) {
  RecordReader reader{object, ""};
  Record record;
  record.trial = reader.text("trial");
  record.taskText = reader.text("task");
  record.target = reader.text("target");
  record.configuration.templateId = reader.text("template");
  int64_t version = reader.number("version");
  reader.note("version", llvm::isInt<32>(version), "an integer of 32 bits");
  record.configuration.templateVersion = static_cast<int>(version);
  record.policy = reader.text("policy");
  record.configuration.text = reader.text("configuration");
  record.configuration.inputLayout = reader.text("inputLayout");
  record.configuration.outputLayout = reader.text("outputLayout");
  std::optional<Outcome> outcome = outcomeFromName(reader.text("outcome"));
  reader.note("outcome", outcome.has_value(),
              "one of ok, build-error, crash, time-out, wrong-result");
  record.outcome = outcome.value_or(Outcome::Ok);
  record.message = reader.text("message");
  record.sentinelNs = reader.number("sentinelNs");
  record.compiler = reader.text("compiler");
  record.artifact = reader.text("artefact");
  record.unixUs = reader.number("unixUs");
  const Array *samples = object.getArray("samples");
  reader.note("samples", samples != nullptr, "a list");
  if (!reader.missing.empty()) {
    return llvm::createStringError(reader.missing);
  }
  llvm::Expected<std::vector<Sample>> list = toSamples(*samples);
  if (!list) {
    return list.takeError();
  }
  record.samples = std::move(*list);
  return record;
}

llvm::Error atLine(llvm::StringRef origin, size_t line, llvm::Error error) {
  return llvm::createStringError("'" + origin + "', line " + llvm::Twine(line) + ": " +
                                 llvm::toString(std::move(error)) + "; nothing was imported");
}

/// The content of a line: a record, a verdict, or neither in a header line.
struct Line {
  std::optional<Record> record;
  std::optional<Verdict> verdict;
};

llvm::Expected<Line> readLine(llvm::StringRef line) {
  llvm::Expected<Value> value = parseJson(line);
  if (!value) {
    return value.takeError();
  }
  const Object *object = value->getAsObject();
  if (!object) {
    return llvm::createStringError("expected a JSON object on each line");
  }
  if (isHeader(*object)) {
    if (llvm::Error error = checkHeader(*object)) {
      return error;
    }
    return Line();
  }
  if (object->get("verdict")) {
    llvm::Expected<Verdict> verdict = verdictFromJson(*object);
    if (!verdict) {
      return verdict.takeError();
    }
    return Line{std::nullopt, std::move(*verdict)};
  }
  llvm::Expected<Record> record = fromObject(*object);
  if (!record) {
    return record.takeError();
  }
  if (llvm::Error error = checkRecord(*record)) {
    return error;
  }
  return Line{std::move(*record), std::nullopt};
}

} // namespace

std::string samplesToJson(llvm::ArrayRef<Sample> samples) {
  return llvm::formatv("{0}", Value(toArray(samples))).str();
}

llvm::Expected<std::vector<Sample>> samplesFromJson(llvm::StringRef text) {
  llvm::Expected<Value> value = parseJson(text);
  if (!value) {
    return value.takeError();
  }
  const Array *list = value->getAsArray();
  if (!list) {
    return llvm::createStringError("expected the samples to be a list");
  }
  return toSamples(*list);
}

std::string toJsonLine(const Record &record) {
  Object object{{"trial", record.trial},
                {"task", record.taskText},
                {"target", record.target},
                {"template", record.configuration.templateId},
                {"version", record.configuration.templateVersion},
                {"policy", record.policy},
                {"configuration", record.configuration.text},
                {"inputLayout", record.configuration.inputLayout},
                {"outputLayout", record.configuration.outputLayout},
                {"outcome", name(record.outcome)},
                {"message", llvm::json::fixUTF8(record.message)},
                {"samples", toArray(record.samples)},
                {"sentinelNs", record.sentinelNs},
                {"compiler", record.compiler},
                {"artefact", record.artifact},
                {"unixUs", record.unixUs}};
  // JSON keys are sorted by name.
  return llvm::formatv("{0}", Value(std::move(object))).str();
}

llvm::Expected<Record> fromJsonLine(llvm::StringRef line) {
  llvm::Expected<Line> read = readLine(line);
  if (!read) {
    return read.takeError();
  }
  if (!read->record) {
    return llvm::createStringError("this line does not contain a record");
  }
  return std::move(*read->record);
}

llvm::Error checkSamples(llvm::ArrayRef<Sample> samples) {
  if (samples.size() > kMaxSamples) {
    return llvm::createStringError("it has more than " + llvm::Twine(kMaxSamples) + " samples");
  }
  for (const Sample &sample : samples) {
    if (sample.runs < 1 || sample.wallNs < 0 || sample.cpuNs < 0) {
      return llvm::createStringError("a sample has " + llvm::Twine(sample.runs) + " runs in " +
                                     llvm::Twine(sample.wallNs) + " ns; expected at least one run");
    }
  }
  return llvm::Error::success();
}

llvm::Error checkRecord(const Record &record) {
  auto refuse = [&](const llvm::Twine &text) {
    return llvm::createStringError("trial '" + llvm::json::fixUTF8(record.trial) + "': " + text);
  };
  struct Field {
    llvm::StringRef name, text;
    bool mayBeEmpty;
  };
  for (const Field &field : {Field{"trial", record.trial, false},
                             {"task", record.taskText, false},
                             {"target", record.target, false},
                             {"template", record.configuration.templateId, false},
                             {"policy", record.policy, false},
                             {"configuration", record.configuration.text, true},
                             {"inputLayout", record.configuration.inputLayout, true},
                             {"outputLayout", record.configuration.outputLayout, true},
                             {"message", record.message, true},
                             {"compiler", record.compiler, true},
                             {"artefact", record.artifact, true}}) {
    if (!field.mayBeEmpty && field.text.empty()) {
      return refuse("its " + field.name + " is empty");
    }
    if (field.text.size() > kMaxTextBytes) {
      return refuse("its " + field.name + " has " + llvm::Twine(field.text.size()) +
                    " bytes, at most " + llvm::Twine(kMaxTextBytes) + " are stored");
    }
    if (!llvm::json::isUTF8(field.text) || field.text.contains('\0')) {
      return refuse("its " + field.name + " is not valid UTF-8");
    }
  }
  if (llvm::Error error = checkSamples(record.samples)) {
    return refuse(llvm::toString(std::move(error)));
  }
  if (record.outcome == Outcome::Ok && medianNs(record.samples) <= 0) {
    return refuse("its outcome is ok, but it has no clean sample");
  }
  return llvm::Error::success();
}

std::string headerLine() { return llvm::formatv("{{\"{0}\":{1}}", kHeader, kSchemaVersion).str(); }

llvm::Expected<int64_t> exportLines(RecordStore &store, llvm::raw_ostream &os) {
  os << headerLine() << "\n";
  int64_t count = 0;
  auto write = [&](Record &&record) {
    os << toJsonLine(record) << "\n";
    ++count;
  };
  if (llvm::Error error =
          store.readAll(write, [&](Verdict &&verdict) { os << toJsonLine(verdict) << "\n"; })) {
    return error;
  }
  return count;
}

llvm::Expected<RecordLines> readLines(llvm::StringRef text, llvm::StringRef origin) {
  RecordLines lines;
  size_t number = 0;
  while (!text.empty()) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    ++number;
    if (line.trim().empty()) {
      continue;
    }
    llvm::Expected<Line> read = readLine(line);
    if (!read) {
      return atLine(origin, number, read.takeError());
    }
    if (read->record) {
      lines.records.push_back(std::move(*read->record));
    } else if (read->verdict) {
      lines.verdicts.push_back(std::move(*read->verdict));
    }
  }
  return lines;
}

llvm::Expected<Added> importLines(RecordStore &store, llvm::StringRef text,
                                  llvm::StringRef origin) {
  llvm::Expected<RecordLines> lines = readLines(text, origin);
  if (!lines) {
    return lines.takeError();
  }
  return store.append(lines->records, lines->verdicts);
}

} // namespace convoy::tuning

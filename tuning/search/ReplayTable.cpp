// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes tables.

#include "tuning/search/ReplayTable.h"
#include "Support/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <zlib.h>

namespace convoy::tuning {
namespace {

namespace json = llvm::json;

constexpr int64_t kFormat = 1;
constexpr llvm::StringRef kColumns = "template,version,configuration,input,output,seconds";
/// The maximum size of a table. Real tables are much smaller.
constexpr size_t kMostBytes = size_t{64} << 20;

llvm::Expected<std::string> readCompressed(const std::string &path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) {
    return llvm::createStringError(path + ": cannot be opened");
  }
  std::string text;
  char buffer[1 << 16];
  int count = 0;
  while ((count = gzread(file, buffer, sizeof(buffer))) > 0 && text.size() < kMostBytes) {
    text.append(buffer, static_cast<size_t>(count));
  }
  bool isGood = gzclose(file) == Z_OK && count == 0;
  if (!isGood) {
    return llvm::createStringError(path + ": is damaged or exceeds 64 MiB");
  }
  return text;
}

std::string quoted(const std::string &field) {
  return llvm::StringRef(field).contains(',') ? "\"" + field + "\"" : field;
}

/// Splits a line into fields. A field in quotes may contain commas.
std::vector<std::string> fieldsOf(llvm::StringRef line) {
  std::vector<std::string> fields(1);
  bool isQuoted = false;
  for (char c : line) {
    if (c == '"') {
      isQuoted = !isQuoted;
    } else if (c == ',' && !isQuoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

llvm::Error wrong(llvm::StringRef path, size_t line, const llvm::Twine &what) {
  return llvm::createStringError(path + ":" + std::to_string(line) + ": " + what);
}

llvm::Error readHeader(llvm::StringRef line, llvm::StringRef path, ReplayTable &table) {
  if (!line.consume_front("# ")) {
    return wrong(path, 1, "expected '# ' and a JSON object");
  }
  llvm::Expected<json::Value> value = parseJson(line);
  if (!value) {
    return wrong(path, 1, llvm::toString(value.takeError()));
  }
  const json::Object *header = value->getAsObject();
  if (!header || header->getInteger("format") != kFormat) {
    return wrong(path, 1, "expected a JSON object with \"format\": 1");
  }
  auto task = header->getString("task");
  auto weight = header->getNumber("weight");
  const json::Object *target = header->getObject("target");
  if (!task || !weight || !target) {
    return wrong(path, 1, "expected a task, its weight and a target");
  }
  table.task.text = task->str();
  table.task.name = header->getString("name").value_or("").str();
  table.weight = *weight;
  table.isHeldOut = header->getBoolean("isHeldOut").value_or(false);
  std::string text = llvm::formatv("{0}", json::Value(json::Object(*target)));
  llvm::Expected<targets::Target> parsed = targets::parseTarget(text, path);
  if (!parsed) {
    return parsed.takeError();
  }
  table.target = std::move(*parsed);
  return llvm::Error::success();
}

llvm::Expected<ReplayRow> readRow(llvm::StringRef line, llvm::StringRef path, size_t number) {
  std::vector<std::string> fields = fieldsOf(line);
  ReplayRow row;
  double seconds = 0;
  bool isRow = fields.size() == 6 &&
               !llvm::StringRef(fields[1]).getAsInteger(10, row.configuration.templateVersion);
  if (isRow && !fields[5].empty()) {
    isRow = !llvm::StringRef(fields[5]).getAsDouble(seconds) && seconds > 0;
    row.seconds = seconds;
  }
  if (!isRow) {
    return wrong(path, number, "expected " + kColumns + ", got '" + line.take_front(80) + "'");
  }
  row.configuration.templateId = fields[0];
  row.configuration.text = fields[2];
  row.configuration.inputLayout = fields[3];
  row.configuration.outputLayout = fields[4];
  return row;
}

} // namespace

llvm::Error writeTable(const ReplayTable &table, llvm::StringRef path) {
  llvm::Expected<json::Value> target = parseJson(targets::toJson(table.target));
  if (!target) {
    return target.takeError();
  }
  json::Object header{
      {"format", kFormat},      {"name", table.task.name},      {"task", table.task.text},
      {"weight", table.weight}, {"isHeldOut", table.isHeldOut}, {"target", std::move(*target)}};
  std::string text = llvm::formatv("# {0}\n{1}\n", json::Value(std::move(header)), kColumns);
  for (const ReplayRow &row : table.rows) {
    const Configuration &c = row.configuration;
    text += c.templateId + "," + std::to_string(c.templateVersion) + "," + quoted(c.text) + "," +
            quoted(c.inputLayout) + "," + quoted(c.outputLayout) + ",";
    text += row.seconds ? llvm::formatv("{0:e6}", *row.seconds).str() : "";
    text += "\n";
  }
  // The gzip header contains no time stamp, so equal tables are equal files.
  gzFile file = gzopen(path.str().c_str(), "wb9");
  bool isWritten = file && gzwrite(file, text.data(), static_cast<unsigned>(text.size())) ==
                               static_cast<int>(text.size());
  if ((file && gzclose(file) != Z_OK) || !isWritten) {
    return llvm::createStringError(path + ": cannot be written");
  }
  return llvm::Error::success();
}

llvm::Expected<ReplayTable> readTable(llvm::StringRef path) {
  llvm::Expected<std::string> text = readCompressed(path.str());
  if (!text) {
    return text.takeError();
  }
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(*text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  ReplayTable table;
  if (lines.size() < 2 || lines[1] != kColumns) {
    return wrong(path, 2, "expected the columns " + kColumns);
  }
  if (llvm::Error error = readHeader(lines[0], path, table)) {
    return std::move(error);
  }
  for (size_t i = 2; i < lines.size(); ++i) {
    llvm::Expected<ReplayRow> row = readRow(lines[i], path, i + 1);
    if (!row) {
      return row.takeError();
    }
    table.rows.push_back(std::move(*row));
  }
  return table;
}

} // namespace convoy::tuning

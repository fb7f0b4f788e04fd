// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each track has metadata events ("M") with its name and position, and a complete event ("X") for
// each event. Times are microseconds with three decimals, which are nanoseconds.

#include "report/TraceFile.h"
#include "Support/OutputFile.h"
#include "Support/TypedError.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::report {
namespace {

class TraceWriter {
public:
  explicit TraceWriter(llvm::raw_ostream &os) : json(os, /*IndentSize=*/1) {}

  void write(llvm::ArrayRef<TraceProcess> processes) {
    json.object([&] {
      json.attribute("displayTimeUnit", "ns");
      json.attributeObject("otherData", [&] { json.attribute("writer", "convoy"); });
      json.attributeArray("traceEvents", [&] {
        for (const TraceProcess &process : processes) {
          ++processId;
          writeProcess(process);
        }
      });
    });
  }

private:
  void writeProcess(const TraceProcess &process) {
    writeMetadata("process_name", /*thread=*/0, "name", llvm::json::fixUTF8(process.name));
    for (size_t i = 0; i < process.tracks.size(); ++i) {
      auto thread = static_cast<int64_t>(i);
      writeMetadata("thread_name", thread, "name", llvm::json::fixUTF8(process.tracks[i].name));
      writeMetadata("thread_sort_index", thread, "sort_index", thread);
      for (const TraceEvent &event : process.tracks[i].events) {
        writeEvent(event, thread);
      }
    }
  }

  void writeMetadata(llvm::StringRef name, int64_t thread, llvm::StringRef key,
                     llvm::json::Value value) {
    json.object([&] {
      json.attribute("name", name);
      json.attribute("ph", "M");
      json.attribute("pid", processId);
      json.attribute("tid", thread);
      json.attributeObject("args", [&] { json.attribute(key, value); });
    });
  }

  void writeEvent(const TraceEvent &event, int64_t thread) {
    json.object([&] {
      json.attribute("name", llvm::json::fixUTF8(event.name));
      json.attribute("cat", event.category);
      json.attribute("ph", "X");
      writeMicroseconds("ts", event.beginNs);
      writeMicroseconds("dur", event.endNs - event.beginNs);
      json.attribute("pid", processId);
      json.attribute("tid", thread);
      json.attribute("args", llvm::json::Value(llvm::json::Object(event.facts)));
    });
  }

  /// Writes all digits. A double would have digits that mean nothing.
  void writeMicroseconds(llvm::StringRef key, int64_t ns) {
    json.attributeBegin(key);
    json.rawValue(llvm::formatv("{0}.{1,0+3}", ns / 1000, ns % 1000).str());
    json.attributeEnd();
  }

  llvm::json::OStream json;
  int64_t processId = 0;
};

} // namespace

std::string traceText(llvm::ArrayRef<TraceProcess> processes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  TraceWriter(os).write(processes);
  os << "\n";
  return text;
}

llvm::Error checkTraceFile(llvm::StringRef path) {
  namespace fs = llvm::sys::fs;
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  folder = folder.empty() ? "." : folder;
  std::error_code error = fs::is_directory(folder)
                              ? fs::access(folder, fs::AccessMode::Write)
                              : std::make_error_code(std::errc::not_a_directory);
  if (!error && fs::is_directory(path)) {
    error = std::make_error_code(std::errc::is_a_directory);
  }
  if (!error) {
    return llvm::Error::success();
  }
  return llvm::createStringError("--trace: cannot write '" + path + "': " + error.message());
}

llvm::Error writeTrace(const std::string &path, llvm::ArrayRef<TraceProcess> processes) {
  if (llvm::Error error = writeFile(path, traceText(processes))) {
    return withPrefix("--trace: ", std::move(error));
  }
  return llvm::Error::success();
}

} // namespace convoy::report

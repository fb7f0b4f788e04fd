// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the matrix, starts one `convoy bench` per cell and collects the results.

#include "timing/BenchMatrix.h"
#include "Support/Json.h"
#include "Support/StartProgram.h"
#include "Support/TemporaryFolder.h"
#include "Support/TypedError.h"
#include "io/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fs = llvm::sys::fs;

namespace convoy::timing {
namespace {

using io::readFile;
using io::writeFile;

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

/// Parses the fields of a matrix file and keeps the first error.
class MatrixReader {
public:
  MatrixReader(const Object &object) : object(object) {}

  std::vector<std::string> texts(const Object &from, llvm::StringRef key) {
    std::vector<std::string> result;
    const Value *value = from.get(key);
    const Array *list = value ? value->getAsArray() : nullptr;
    bool isRight = !value || list;
    for (size_t i = 0; list && i < list->size(); ++i) {
      std::optional<llvm::StringRef> text = (*list)[i].getAsString();
      isRight &= text.has_value();
      result.push_back(text.value_or("").str());
    }
    note(isRight, "'" + key.str() + "' must be a list of strings");
    return result;
  }

  /// Parses a list of strings, or of objects with a string `key` and flags.
  std::vector<MatrixEntry> entries(llvm::StringRef list, llvm::StringRef key) {
    std::vector<MatrixEntry> result;
    const Value *value = object.get(list);
    const Array *array = value ? value->getAsArray() : nullptr;
    std::string form =
        ("'" + list + "' must be a list of names or of objects with '" + key + "' and 'flags'")
            .str();
    note(!value || array, form);
    for (size_t i = 0; array && i < array->size(); ++i) {
      const Object *entry = (*array)[i].getAsObject();
      std::optional<llvm::StringRef> name =
          entry ? entry->getString(key) : (*array)[i].getAsString();
      note(name.has_value(), form);
      result.push_back(
          {name.value_or("").str(), entry ? texts(*entry, "flags") : std::vector<std::string>()});
    }
    return result;
  }

  std::vector<int64_t> counts(llvm::StringRef key) {
    std::vector<int64_t> result;
    const Value *value = object.get(key);
    const Array *list = value ? value->getAsArray() : nullptr;
    bool isRight = !value || list;
    for (size_t i = 0; list && i < list->size(); ++i) {
      result.push_back((*list)[i].getAsInteger().value_or(0));
      isRight &= result.back() > 0;
    }
    note(isRight, "'" + key.str() + "' must be a list of numbers above 0");
    return result;
  }

  /// Notes an unknown key. `older` are spellings of the previous version.
  void checkKeys(llvm::ArrayRef<llvm::StringRef> known, llvm::ArrayRef<llvm::StringRef> older) {
    for (const auto &[name, value] : object) {
      llvm::StringRef key(name);
      note(llvm::is_contained(known, key) || llvm::is_contained(older, key),
           "unknown key '" + key.str() + "'; expected one of " + llvm::join(known, ", "));
    }
  }

  void note(bool isRight, const std::string &text) {
    if (!isRight && problem.empty()) {
      problem = text;
    }
  }

  const Object &object;
  std::string problem;
};

template <typename T>
void setUnlessEmpty(std::vector<T> &to, std::vector<T> from) {
  if (!from.empty()) {
    to = std::move(from);
  }
}

/// Runs a program in its own process group. On a timeout, kills the whole group, because child
/// processes would continue to measure. Returns the error, or an empty text.
std::string runGroup(llvm::ArrayRef<std::string> arguments, const std::string &errors,
                     double seconds) {
  ProgramStart how;
  how.errors = open(errors.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  how.leadsGroup = true;
  llvm::Expected<pid_t> started = startProgram(arguments, how);
  close(how.errors);
  if (!started) {
    return llvm::toString(started.takeError());
  }
  pid_t child = *started;
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > end) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      return llvm::formatv("timed out after {0:f0} s", seconds).str();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (WIFSIGNALED(status)) {
    return "ended by signal " + std::to_string(WTERMSIG(status));
  }
  return WEXITSTATUS(status) == 0 ? "" : "ended with code " + std::to_string(WEXITSTATUS(status));
}

/// Returns the first error in the output of a process, or an empty text.
std::string firstError(const std::string &path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text = readFile(path);
  if (!text) {
    llvm::consumeError(text.takeError());
    return "";
  }
  llvm::SmallVector<llvm::StringRef> lines;
  (*text)->getBuffer().split(lines, '\n');
  for (llvm::StringRef line : lines) {
    size_t place = line.find("error: ");
    if (place != llvm::StringRef::npos) {
      return line.drop_front(place + 7).str();
    }
  }
  return "";
}

/// Returns a number of a cell's result as text, or an empty text if the cell lacks it.
std::string factText(const MatrixCell &cell, llvm::StringRef key, const char *form) {
  std::optional<double> number = cell.facts.getNumber(key);
  return number ? llvm::formatv(form, *number).str() : "";
}

std::string inCell(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    result += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
  }
  return result;
}

class Sweep {
public:
  Sweep(const MatrixFiles &files, llvm::raw_ostream &progress) : files(files), progress(progress) {}

  llvm::Expected<std::vector<MatrixCell>> run() {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text = readFile(files.matrix);
    if (!text) {
      return named("--matrix", text.takeError());
    }
    llvm::Expected<Matrix> read = Matrix::parse((*text)->getBuffer(), files.matrix);
    if (!read) {
      return named("--matrix", read.takeError());
    }
    matrix = std::move(*read);
    if (llvm::Error error = scratch.createInSystem()) {
      return error;
    }
    program =
        inFolder(llvm::sys::path::parent_path(fs::getMainExecutable(nullptr, nullptr)), "convoy");
    if (llvm::Error error = runAll()) {
      return error;
    }
    return std::move(cells);
  }

private:
  /// Puts the name of a flag before an error.
  static llvm::Error named(const char *flag, llvm::Error error) {
    return error ? llvm::createStringError(flag + (": " + llvm::toString(std::move(error))))
                 : std::move(error);
  }

  llvm::Error runAll() {
    for (const MatrixEntry &model : matrix.models) {
      for (const std::string &target : matrix.targets) {
        for (int64_t threads : matrix.threads) {
          for (const MatrixEntry &option : matrix.options) {
            runCell(model, target, threads, option);
            if (llvm::Error error = save()) {
              return error;
            }
          }
        }
      }
    }
    return llvm::Error::success();
  }

  void runCell(const MatrixEntry &model, const std::string &target, int64_t threads,
               const MatrixEntry &option) {
    std::string facts = scratch.file("cell.json"), errors = scratch.file("errors.txt");
    // Remove the result of an earlier cell.
    [[maybe_unused]] std::error_code error = fs::remove(facts);
    std::vector<std::string> arguments = {program,
                                          "bench",
                                          model.name,
                                          "--target",
                                          target,
                                          "--threads",
                                          std::to_string(threads),
                                          "--json=" + facts};
    llvm::append_range(arguments, matrix.flags);
    llvm::append_range(arguments, model.flags);
    llvm::append_range(arguments, option.flags);
    MatrixCell cell;
    cell.model = llvm::sys::path::stem(model.name).str();
    cell.target = target;
    cell.option = option.name;
    cell.threads = threads;
    cell.problem = runGroup(arguments, errors, matrix.timeoutSeconds);
    std::string words = cell.problem.empty() ? "" : firstError(errors);
    cell.problem = words.empty() ? cell.problem : words;
    readFacts(cell, facts);
    progress << "[" << cells.size() + 1 << "/" << matrix.cellCount() << "] " << cell.model << ", "
             << target << ", " << threads << (threads == 1 ? " thread, " : " threads, ")
             << option.name << ": "
             << (cell.problem.empty() ? factText(cell, "convoy_ms", "{0:f3} ms") : cell.problem)
             << "\n";
    cells.push_back(std::move(cell));
  }

  static void readFacts(MatrixCell &cell, const std::string &path) {
    auto give = [&](llvm::Error error) {
      llvm::consumeError(std::move(error));
      cell.problem = cell.problem.empty() ? "it wrote no result" : cell.problem;
    };
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text = readFile(path);
    if (!text) {
      return give(text.takeError());
    }
    llvm::Expected<Value> value = parseJson((*text)->getBuffer());
    if (!value) {
      return give(value.takeError());
    }
    const Array *rows = value->getAsArray();
    if (!rows || rows->empty() || !rows->front().getAsObject()) {
      return give(llvm::Error::success());
    }
    cell.facts = *rows->front().getAsObject();
  }

  llvm::Error save() {
    if (!files.json.empty()) {
      if (llvm::Error error = writeFile(files.json, toJson(cells))) {
        return named("--json", std::move(error));
      }
    }
    if (files.table.empty()) {
      return llvm::Error::success();
    }
    return named("--table", writeFile(files.table, toMarkdown(cells)));
  }

  const MatrixFiles &files;
  llvm::raw_ostream &progress;
  Matrix matrix;
  TemporaryFolder scratch;
  std::string program;
  std::vector<MatrixCell> cells;
};

} // namespace

llvm::Expected<Matrix> Matrix::parse(llvm::StringRef text, llvm::StringRef origin) {
  llvm::Expected<Value> value = parseJson(text);
  if (!value) {
    return withPrefix("'" + origin + "': ", value.takeError());
  }
  const Object *object = value->getAsObject();
  if (!object) {
    return llvm::createStringError("'" + origin + "': expects an object with 'models'");
  }
  MatrixReader reader(*object);
  reader.checkKeys({"models", "targets", "threads", "options", "flags", "timeout_seconds"},
                   /*older=*/{"timeoutSeconds"});
  Matrix matrix;
  matrix.models = reader.entries("models", "path");
  reader.note(!matrix.models.empty(), "'models' is missing or empty");
  setUnlessEmpty(matrix.targets, reader.texts(*object, "targets"));
  setUnlessEmpty(matrix.threads, reader.counts("threads"));
  setUnlessEmpty(matrix.options, reader.entries("options", "name"));
  matrix.flags = reader.texts(*object, "flags");
  matrix.timeoutSeconds =
      object->getNumber("timeout_seconds")
          .value_or(object->getNumber("timeoutSeconds").value_or(matrix.timeoutSeconds));
  reader.note(matrix.timeoutSeconds > 0, "'timeout_seconds' must be a number above 0");
  if (!reader.problem.empty()) {
    return llvm::createStringError("'" + origin + "': " + reader.problem);
  }
  return matrix;
}

std::string toMarkdown(llvm::ArrayRef<MatrixCell> cells) {
  bool hasPeer = llvm::any_of(
      cells, [](const MatrixCell &cell) { return cell.facts.getNumber("peer_ms").has_value(); });
  std::string text = "| model | target | threads | options | ms |";
  text += hasPeer ? " peer ms | ratio | 95 % interval |" : "";
  text += " GFLOP/s | of peak | remark |\n|---|---|--:|---|--:|";
  text += hasPeer ? "--:|--:|--:|" : "";
  text += "--:|--:|---|\n";
  for (const MatrixCell &cell : cells) {
    text += "| " + inCell(cell.model) + " | " + inCell(cell.target) + " | " +
            std::to_string(cell.threads) + " | " + inCell(cell.option) + " | " +
            factText(cell, "convoy_ms", "{0:f3}") + " | ";
    if (hasPeer) {
      std::string low = factText(cell, "ratio_low", "{0:f3}");
      text += factText(cell, "peer_ms", "{0:f3}") + " | " + factText(cell, "ratio", "{0:f3}") +
              " | " + (low.empty() ? "" : low + " .. " + factText(cell, "ratio_high", "{0:f3}")) +
              " | ";
    }
    text += factText(cell, "gflops", "{0:f1}") + " | " + factText(cell, "peak_share", "{0:P0}") +
            " | " + inCell(cell.problem) + " |\n";
  }
  return text;
}

std::string toJson(llvm::ArrayRef<MatrixCell> cells) {
  Array list;
  for (const MatrixCell &cell : cells) {
    Object object = cell.facts;
    object["model"] = llvm::json::fixUTF8(cell.model);
    object["target"] = llvm::json::fixUTF8(cell.target);
    object["threads"] = cell.threads;
    object["options"] = llvm::json::fixUTF8(cell.option);
    object["problem"] =
        cell.problem.empty() ? Value(nullptr) : Value(llvm::json::fixUTF8(cell.problem));
    list.push_back(std::move(object));
  }
  return llvm::formatv("{0:2}\n", Value(std::move(list))).str();
}

llvm::Expected<std::vector<MatrixCell>> benchMatrix(const MatrixFiles &files,
                                                    llvm::raw_ostream &progress) {
  return Sweep(files, progress).run();
}

} // namespace convoy::timing

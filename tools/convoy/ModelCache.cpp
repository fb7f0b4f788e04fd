// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry is a library and entry.json, which has what `run` prints about a compile. A request with
// calibration samples, tuning records, custom ops or injected faults is not for the cache.

#include "tools/convoy/ModelCache.h"
#include "Driver/AddProblem.h"
#include "Driver/CompileModel.h"
#include "Driver/LoopsWarning.h"
#include "Driver/ResolveTarget.h"
#include "convoy/version.h"
#include "io/CacheFolder.h"
#include "io/ExternalData.h"
#include "io/Files.h"
#include "io/ModelFlags.h"
#include "report/Built.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <sys/stat.h>

namespace convoy::tool {
namespace {

// Free bytes of the disk beyond three times the model, for the object, the library and the link.
constexpr uint64_t kSpareBytes = 32 << 20;

/// A hash of named values. The length of each part is hashed too, so that parts cannot run
/// together.
class Key {
public:
  void add(llvm::StringRef name, llvm::StringRef text) {
    part(name);
    part(text);
  }
  void add(llvm::StringRef name, const std::string &text) { add(name, llvm::StringRef(text)); }
  template <typename Value,
            std::enable_if_t<std::is_arithmetic_v<Value> || std::is_enum_v<Value>, int> = 0>
  void add(llvm::StringRef name, Value value) {
    add(name, llvm::StringRef(reinterpret_cast<const char *>(&value), sizeof(value)));
  }
  template <typename Value>
  void add(llvm::StringRef name, const std::vector<Value> &values) {
    add(name, values.size());
    for (const Value &value : values) {
      add("", value);
    }
  }
  template <typename Value>
  void add(llvm::StringRef name, const std::map<std::string, Value> &values) {
    add(name, values.size());
    for (const auto &[key, value] : values) {
      add(key, value);
    }
  }
  template <typename Value>
  void add(llvm::StringRef name, const std::optional<Value> &value) {
    add(name, value.has_value());
    if (value) {
      add("", *value);
    }
  }
  void add(llvm::StringRef name, const TensorData &tensor) {
    add(name, tensor.type);
    add("shape", tensor.shape);
    add("strings", tensor.strings);
    if (tensor.bytes) {
      add("bytes", llvm::StringRef(static_cast<const char *>(tensor.bytes.get()),
                                   elementCountOf(tensor.shape) * elementBytes(tensor.type)));
    }
  }

  std::string text() {
    llvm::BLAKE3Result<> result = hasher.final();
    return llvm::toHex(llvm::ArrayRef<uint8_t>(result.data(), result.size()), /*LowerCase=*/true);
  }

private:
  void part(llvm::StringRef bytes) {
    uint64_t length = bytes.size();
    hasher.update(llvm::StringRef(reinterpret_cast<const char *>(&length), sizeof(length)));
    hasher.update(bytes);
  }

  llvm::BLAKE3 hasher;
};

/// Adds this compiler: the version, and the file of the program, which a build replaces.
bool addCompiler(Key &key) {
  struct stat status{};
  if (stat("/proc/self/exe", &status) != 0) {
    return false;
  }
  key.add("version", llvm::StringRef(versionText()));
  key.add("program bytes", status.st_size);
  key.add("program seconds", status.st_mtim.tv_sec);
  key.add("program nanoseconds", status.st_mtim.tv_nsec);
  return true;
}

/// Adds the content of the model and of the files with its weights.
bool addModel(const Model &model, Key &key) {
  std::optional<std::string> bytes = io::bytesOf(model);
  if (!bytes) {
    return false;
  }
  key.add("name", model.name());
  key.add("model", *bytes);
  for (const std::string &file : io::externalFiles(model)) {
    auto content = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                               /*RequiresNullTerminator=*/false);
    if (!content) {
      return false;
    }
    key.add(file, (*content)->getBuffer());
  }
  return true;
}

/// Returns the CPU whose code a library of the request has; nothing if no library can run it here.
std::optional<targets::Target> machineOf(const CompileRequest &request) {
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(request.target, /*isForMemory=*/true);
  if (!target) {
    llvm::consumeError(target.takeError());
    return std::nullopt;
  }
  bool isLibrary = target->backend == &driver::machineBackend() && !target->device &&
                   target->backend->whyNotNative(*target).empty();
  return isLibrary ? std::optional(target->machine) : std::nullopt;
}

bool isForCache(const Request &request) {
  const CompileRequest &compile = request.compile;
  return io::hasPlainValues(request.model) && !request.injected && !compile.calibration &&
         !compile.measurements && compile.inputs.customOps.empty() &&
         compile.debugging.stopAfter.empty() && !compile.inputs.allowsOpenDims;
}

/// Returns the folder of --cache, or of the home folder; empty: no cache.
std::string folderOf(const CacheFlags &flags) {
  if (!flags.folder.empty()) {
    return flags.folder == "off" ? "" : flags.folder;
  }
  const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  return cache && *cache ? std::string(cache) + "/convoy"
         : home && *home ? std::string(home) + "/.cache/convoy"
                         : "";
}

class ModelCache {
public:
  ModelCache(const Request &request, const CacheFlags &flags, const std::string &folder,
             Problems &problems)
      : request(request), folder(folder), limitBytes(flags.limitBytes),
        isGiven(!flags.folder.empty()), problems(problems), cache(folder, flags.limitBytes) {}

  std::optional<CachedModel> run() {
    std::string key = cacheKey(request);
    if (key.empty()) {
      return std::nullopt;
    }
    if (std::optional<std::string> entry = cache.find(key)) {
      if (std::optional<CachedModel> model = load(*entry)) {
        model->isHit = true;
        return model;
      }
      io::CacheFolder::discard(*entry); // an incomplete entry, after a crash of the machine
    }
    return compile(key);
  }

private:
  /// Returns whether the disk and the limit have room for a library of the model.
  bool hasSpace() const {
    uint64_t bytes = io::byteCountOf(request.model);
    for (const std::string &file : io::externalFiles(request.model)) {
      uint64_t size = 0;
      bytes += llvm::sys::fs::file_size(file, size) ? 0 : size;
    }
    llvm::ErrorOr<llvm::sys::fs::space_info> space = llvm::sys::fs::disk_space(folder);
    return bytes < static_cast<uint64_t>(limitBytes) && space &&
           space->available > 3 * bytes + kSpareBytes;
  }

  std::optional<CachedModel> compile(const std::string &key) {
    llvm::Expected<std::string> aside = cache.begin();
    if (!aside) {
      std::string reason = llvm::toString(aside.takeError());
      // A home folder that cannot be written is usual in containers.
      addWarning(problems, isGiven ? "--cache: " + reason + "; every run compiles the model" : "");
      return std::nullopt;
    }
    if (!hasSpace()) {
      io::CacheFolder::discard(*aside);
      return std::nullopt;
    }
    std::optional<CachedModel> model;
    bool isWritten = write(*aside);
    // A file with weights may have changed since the hash.
    if (isWritten && cacheKey(request) == key) {
      llvm::Expected<std::string> entry = cache.commit(*aside, key);
      if (entry) {
        return load(*entry);
      }
      llvm::consumeError(entry.takeError());
      return std::nullopt;
    }
    if (isWritten) {
      model = load(*aside); // the loaded library stays valid without its file
    }
    io::CacheFolder::discard(*aside);
    return model;
  }

  /// Compiles the library and describes it in entry.json.
  bool write(const std::string &aside) {
    CompileRequest compile = request.compile;
    compile.output.emit = Emit::Library;
    compile.output.folder = aside;
    compile.debugging.writesReproducer = false; // the compile in memory writes it
    Result<Artifact> artifact = driver::compileModel(request.model, compile, {});
    uint64_t bytes = 0;
    if (!artifact || llvm::sys::fs::file_size(artifact->files.library, bytes)) {
      return false;
    }
    // Only a compile to files warns of generic loops.
    std::string loops = driver::loopsWarning(request.model, compile, artifact->report);
    llvm::json::Array warnings;
    for (const Problem &problem : artifact.problems().all()) {
      if (problem.text != loops) {
        warnings.push_back(llvm::json::fixUTF8(problem.text));
      }
    }
    llvm::StringRef file = llvm::sys::path::filename(artifact->files.library);
    llvm::json::Object entry{{"library", llvm::json::fixUTF8(file)},
                             {"bytes", static_cast<int64_t>(bytes)},
                             {"target", llvm::json::fixUTF8(artifact->report.target)},
                             {"built", report::builtToJson(artifact->report)},
                             {"warnings", std::move(warnings)}};
    llvm::Error error = io::writeFile(
        aside + "/entry.json", llvm::formatv("{0}\n", llvm::json::Value(std::move(entry))).str());
    bool isWritten = !error;
    llvm::consumeError(std::move(error));
    return isWritten;
  }

  /// Returns nothing if a file is missing or has another size than it was written with.
  std::optional<CachedModel> load(const std::string &path) {
    auto text = llvm::MemoryBuffer::getFile(path + "/entry.json");
    if (!text) {
      return std::nullopt;
    }
    llvm::Expected<llvm::json::Value> parsed = llvm::json::parse((*text)->getBuffer());
    llvm::json::Object *entry = parsed ? parsed->getAsObject() : nullptr;
    std::string library =
        path + "/" + (entry ? entry->getString("library").value_or("") : "").str();
    uint64_t bytes = 0;
    bool isWhole = entry && entry->getObject("built") && entry->getArray("warnings") &&
                   !llvm::sys::fs::file_size(library, bytes) &&
                   entry->getInteger("bytes") == static_cast<int64_t>(bytes);
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
    }
    if (!isWhole) {
      return std::nullopt;
    }
    auto program = driver::LibraryProgram::load(library);
    if (!program) {
      llvm::consumeError(program.takeError());
      return std::nullopt;
    }
    for (const llvm::json::Value &warning : *entry->getArray("warnings")) {
      problems.add({ProblemKind::Warning, warning.getAsString().value_or("").str(), {}});
    }
    return CachedModel{std::move(*program), std::move(*entry->getObject("built")),
                       entry->getString("target").value_or("").str()};
  }

  const Request &request;
  const std::string &folder;
  int64_t limitBytes;
  bool isGiven; // the folder, by a flag
  Problems &problems;
  io::CacheFolder cache;
};

} // namespace

std::string cacheKey(const Request &wanted) {
  std::optional<targets::Target> machine = machineOf(wanted.compile);
  Key key;
  if (!isForCache(wanted) || !machine || !addCompiler(key) || !addModel(wanted.model, key)) {
    return "";
  }
  key.add("machine", targets::toJson(*machine));
  key.add("cores", jobsOrCores(0)); // --threads 0
  const CompileRequest &request = wanted.compile;
#include "tools/convoy/RequestKey.inc"
  return key.text();
}

std::optional<CachedModel> compileByCache(const Request &request, const CacheFlags &flags,
                                          Problems &problems) {
  std::string folder = folderOf(flags);
  return folder.empty() ? std::nullopt : ModelCache(request, flags, folder, problems).run();
}

} // namespace convoy::tool

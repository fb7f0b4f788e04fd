// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock file is JSON:
//
//   {"convoy_lock": 1, "version": "0.2.0", "target": "host: avx2,fma,...", "records": "",
//    "flags": ["--threads=2"], "model": {"net.onnx": "<SHA-256>"}, "files": {"net.so":
//    "<SHA-256>"}}
//
// The flags of a lock file become flags of the command line, so a lock file must not contain flags
// that run code of the user or choose files to write.

#include "tools/convoy/LockFile.h"
#include "Driver/ResolveTarget.h"
#include "Support/Json.h"
#include "Support/TypedError.h"
#include "convoy/version.h"
#include "io/ExternalData.h"
#include "io/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

namespace convoy::tool {
namespace {

using llvm::StringRef;

constexpr int64_t kFormat = 1;

// Flags that do not change the result, and are not in a lock file.
constexpr StringRef kNotLocked[] = {
    "--output",          "--lock",   "--locked", "--json",          "--quiet",
    "--schedule-report", "--report", "--trace",  "--verify-stages", "--allow-toolchain",
    "--service-certs"};
// Flags that run code of the user, and a flag without files as the result.
constexpr StringRef kRefused[] = {"--load-pass-plugin", "--inject", "--custom-ops", "--stop-after"};

StringRef nameOf(StringRef flag) { return flag.split('=').first; }

std::string hashOf(StringRef bytes) {
  llvm::SHA256 hash;
  hash.update(bytes);
  std::array<uint8_t, 32> result = hash.final();
  return llvm::toHex(result, /*LowerCase=*/true);
}

llvm::Error addFile(std::map<std::string, std::string> &hashes, const std::string &path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = io::readFile(path);
  if (!file) {
    return file.takeError();
  }
  hashes[llvm::sys::path::filename(path).str()] = hashOf((*file)->getBuffer());
  return llvm::Error::success();
}

llvm::Error damaged(const std::string &path, const llvm::Twine &problem) {
  return io::fileError("--locked: '" + path + "' " + problem +
                       "; write it again with `convoy compile --lock`");
}

std::vector<std::string> textsOf(const llvm::json::Object &object, StringRef key) {
  std::vector<std::string> texts;
  if (const llvm::json::Array *array = object.getArray(key)) {
    for (const llvm::json::Value &value : *array) {
      texts.push_back(value.getAsString().value_or("").str());
    }
  }
  return texts;
}

std::map<std::string, std::string> mapOf(const llvm::json::Object &object, StringRef key) {
  std::map<std::string, std::string> map;
  if (const llvm::json::Object *inner = object.getObject(key)) {
    for (const auto &[name, value] : *inner) {
      map[name.str()] = value.getAsString().value_or("").str();
    }
  }
  return map;
}

llvm::Expected<Lock> readLock(const std::string &path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = io::readFile(path);
  if (!file) {
    return io::fileError("--locked: " + llvm::toString(file.takeError()));
  }
  llvm::Expected<llvm::json::Value> value = parseJson((*file)->getBuffer());
  if (!value) {
    return damaged(path, "is no JSON: " + llvm::toString(value.takeError()));
  }
  const llvm::json::Object *object = value->getAsObject();
  if (!object || object->getInteger("convoy_lock") != kFormat) {
    return damaged(path, "is no lock file of format " + llvm::Twine(kFormat));
  }
  auto text = [&](StringRef key) { return object->getString(key).value_or("").str(); };
  Lock lock{text("version"),           text("target"),          text("records"),
            textsOf(*object, "flags"), mapOf(*object, "model"), mapOf(*object, "files")};
  for (StringRef flag : lock.flags) {
    StringRef name = nameOf(flag);
    if (!name.starts_with("--") || llvm::is_contained(kNotLocked, name) ||
        llvm::is_contained(kRefused, name)) {
      return damaged(path, "has the flag '" + name + "', which a lock file must not have");
    }
  }
  return lock;
}

llvm::json::Object jsonOf(const std::map<std::string, std::string> &map) {
  llvm::json::Object object;
  for (const auto &[name, hash] : map) {
    object[llvm::json::fixUTF8(name)] = hash;
  }
  return object;
}

llvm::Error writeLock(const std::string &path, const Lock &lock) {
  llvm::json::Array flags;
  for (const std::string &flag : lock.flags) {
    flags.push_back(llvm::json::fixUTF8(flag));
  }
  llvm::json::Object object{{"convoy_lock", kFormat},     {"version", lock.version},
                            {"target", lock.target},      {"records", lock.records},
                            {"flags", std::move(flags)},  {"model", jsonOf(lock.model)},
                            {"files", jsonOf(lock.files)}};
  std::string text = llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
  llvm::Error error = io::writeFile(path, text);
  return error ? withPrefix("--lock: ", std::move(error)) : llvm::Error::success();
}

/// Adds a line if two facts differ.
void compare(std::vector<std::string> &lines, StringRef fact, StringRef expected, StringRef found) {
  if (expected != found) {
    lines.push_back((fact + ": expected " + (expected.empty() ? "none" : expected) + ", found " +
                     (found.empty() ? "none" : found))
                        .str());
  }
}

void compare(std::vector<std::string> &lines, StringRef kind,
             const std::map<std::string, std::string> &expected,
             const std::map<std::string, std::string> &found) {
  auto hashIn = [](const std::map<std::string, std::string> &map, const std::string &name) {
    auto at = map.find(name);
    return at == map.end() ? "" : "SHA-256 " + at->second;
  };
  std::map<std::string, std::string> all = expected;
  all.insert(found.begin(), found.end());
  for (const auto &[name, hash] : all) {
    compare(lines, (kind + " " + name).str(), hashIn(expected, name), hashIn(found, name));
  }
}

llvm::Error differs(const std::string &path, llvm::ArrayRef<std::string> lines,
                    llvm::StringRef remedy) {
  return lines.empty() ? llvm::Error::success()
                       : io::fileError("--locked: this compile differs from '" + path +
                                       "': " + llvm::join(lines, "; ") + "; " + remedy);
}

} // namespace

llvm::Error addLockedFlags(std::vector<std::string> &arguments) {
  if (arguments.empty() || arguments[0] != "compile") {
    return llvm::Error::success();
  }
  for (size_t i = 1; i < arguments.size(); ++i) {
    StringRef flag = arguments[i];
    bool isNext = flag == "--locked" && i + 1 < arguments.size();
    if (!isNext && !flag.consume_front("--locked=")) {
      continue;
    }
    llvm::Expected<Lock> lock = readLock(isNext ? arguments[i + 1] : flag.str());
    if (!lock) {
      return lock.takeError();
    }
    arguments.insert(arguments.begin() + 1, lock->flags.begin(), lock->flags.end());
    return llvm::Error::success();
  }
  return llvm::Error::success();
}

llvm::Expected<Lock> lockOf(const CompileFlags &options, const Model &model) {
  Lock lock;
  lock.version = versionText();
  for (const std::string &flag : options.build.lines) {
    if (llvm::is_contained(kRefused, nameOf(flag))) {
      return createUnsupported("not supported: --lock or --locked with " + nameOf(flag));
    }
    if (!llvm::is_contained(kNotLocked, nameOf(flag))) {
      lock.flags.push_back(flag);
    }
  }
  llvm::sort(lock.flags);
  TargetRequest wanted;
  wanted.name = options.build.target;
  wanted.cpu = options.build.cpu;
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(wanted, /*isForMemory=*/false);
  if (!target) {
    return target.takeError();
  }
  lock.target = target->name + ": " + llvm::join(target->machine.features, ",");
  llvm::Error error = addFile(lock.model, options.build.model.path);
  for (const std::string &file : io::externalFiles(model)) {
    error = llvm::joinErrors(std::move(error), addFile(lock.model, file));
  }
  if (error) {
    return std::move(error);
  }
  return lock;
}

llvm::Error checkLocked(const CompileFlags &options, const Lock &found) {
  if (options.locked.empty()) {
    return llvm::Error::success();
  }
  llvm::Expected<Lock> lock = readLock(options.locked);
  if (!lock) {
    return lock.takeError();
  }
  std::vector<std::string> lines;
  compare(lines, "version", lock->version, found.version);
  compare(lines, "target", lock->target, found.target);
  compare(lines, "flags", llvm::join(lock->flags, " "), llvm::join(found.flags, " "));
  compare(lines, "model", lock->model, found.model);
  return differs(options.locked, lines, "no file was written");
}

llvm::Error finishLock(const CompileFlags &options, const Artifact &artifact, Lock &found) {
  const ArtifactFiles &written = artifact.files;
  std::vector<std::string> paths = written.programs;
  for (const std::string &path :
       {written.library, written.header, written.weights, written.weightsAssembly, written.test}) {
    if (!path.empty()) {
      paths.push_back(path);
    }
  }
  for (const std::string &path : paths) {
    if (llvm::Error error = addFile(found.files, path)) {
      return error;
    }
  }
  found.records = artifact.report.tuned.hash;
  if (!options.locked.empty()) {
    llvm::Expected<Lock> lock = readLock(options.locked);
    if (!lock) {
      return lock.takeError();
    }
    std::vector<std::string> lines;
    compare(lines, "tuning records", lock->records, found.records);
    compare(lines, "file", lock->files, found.files);
    if (llvm::Error error = differs(options.locked, lines, "the files were written")) {
      return error;
    }
  }
  return options.lock.empty() ? llvm::Error::success() : writeLock(options.lock, found);
}

} // namespace convoy::tool

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ledger of proofs. A proof that sees the same data as an earlier one is a further try, so the
// ledger counts the tries in a file that all runs share:
//
//     {"format": "convoy proof ledger", "version": 1,
//      "data": {"<hash>": {"attempts": 2,
//                          "proofs": [{"description": "...", "alpha": 0.025,
//                                      "samples": 5000, "lost": 40, "gained": 31,
//                                      "bound": 0.0046}]}}}
//
// A proof without "bound" was declared and not finished. The ledger cannot recognize proof data
// that overlaps with earlier proof data; the split by content hash of io/Dataset.h avoids this.

#include "Support/Json.h"
#include "Support/OutputFile.h"
#include "io/Files.h"
#include "quantizer/proof/Promise.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace convoy::quantizer {
namespace {

namespace json = llvm::json;

constexpr llvm::StringLiteral kFormat = "convoy proof ledger";
constexpr int64_t kVersion = 1;

/// Holds the lock of a ledger. The lock is a file of its own, because each write replaces the
/// ledger's file.
class LedgerLock {
public:
  explicit LedgerLock(const std::string &path)
      : file(::open((path + ".lock").c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0666)) {
    // A process holds the lock for milliseconds.
    for (int tries = 0; file >= 0 && !isHeld && tries < kTries; ++tries) {
      isHeld = flock(file, LOCK_EX | LOCK_NB) == 0;
      if (!isHeld) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
  }
  LedgerLock(const LedgerLock &) = delete;
  LedgerLock &operator=(const LedgerLock &) = delete;
  ~LedgerLock() {
    if (file >= 0) {
      close(file);
    }
  }

  llvm::Error check(const std::string &path) const {
    if (file < 0) {
      return cannotWrite(path + ".lock", std::error_code(errno, std::generic_category()));
    }
    if (!isHeld) {
      return io::fileError("cannot lock '" + path +
                           ".lock' within 2 s: another process holds the lock of the ledger; wait "
                           "until it ends, then repeat the command");
    }
    return llvm::Error::success();
  }

private:
  static constexpr int kTries = 100;
  int file;
  bool isHeld = false;
};

llvm::Error notALedger(const std::string &path, const llvm::Twine &found) {
  return io::fileError("expects a ledger of proofs in '" + path + "', got " + found +
                       "; restore the file from a copy, because a new ledger does not know the "
                       "earlier proofs");
}

/// Checks the entry of one data set. Returns what is wrong, or an empty text.
std::string whyInvalid(const json::Value &entry) {
  const json::Object *object = entry.getAsObject();
  const json::Array *proofs = object ? object->getArray("proofs") : nullptr;
  if (!proofs || object->getInteger("attempts").value_or(0) < 1) {
    return "an entry without positive \"attempts\" and \"proofs\"";
  }
  for (const json::Value &proof : *proofs) {
    if (!proof.getAsObject() || !proof.getAsObject()->getString("description")) {
      return "a proof without \"description\"";
    }
  }
  return "";
}

/// Reads a ledger. A missing file is an empty ledger.
llvm::Expected<json::Object> readLedger(const std::string &path) {
  if (!llvm::sys::fs::exists(path)) {
    return json::Object{{"format", kFormat}, {"version", kVersion}, {"data", json::Object{}}};
  }
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = io::readFile(path);
  if (!file) {
    return file.takeError();
  }
  llvm::Expected<json::Value> value = parseJson((*file)->getBuffer());
  if (!value) {
    return notALedger(path, "invalid JSON: " + llvm::toString(value.takeError()));
  }
  json::Object *ledger = value->getAsObject();
  if (!ledger || ledger->getString("format") != std::optional(llvm::StringRef(kFormat)) ||
      !ledger->getObject("data")) {
    return notALedger(path, "JSON without \"format\": \"" + kFormat + "\" and \"data\"");
  }
  if (std::optional<int64_t> version = ledger->getInteger("version"); version != kVersion) {
    return notALedger(path, "version " + llvm::Twine(version.value_or(0)) +
                                " (this version of convoy reads " + llvm::Twine(kVersion) + ")");
  }
  for (const auto &[hash, entry] : *ledger->getObject("data")) {
    if (std::string why = whyInvalid(entry); !why.empty()) {
      return notALedger(path, why);
    }
  }
  return std::move(*ledger);
}

/// Replaces the file as a whole, so that a reader or a crash never sees a part of it.
llvm::Error writeLedger(const std::string &path, json::Object ledger) {
  std::string text = llvm::formatv("{0:2}\n", json::Value(std::move(ledger)));
  return writeFile(path, text);
}

llvm::StringRef shortHash(llvm::StringRef hash) { return hash.take_front(12); }

/// Returns "'a', 'b'": the descriptions of the proofs.
std::string listProofs(const json::Array &proofs) {
  std::string list;
  for (const json::Value &proof : proofs) {
    list +=
        (list.empty() ? "'" : ", '") + proof.getAsObject()->getString("description")->str() + "'";
  }
  return list;
}

/// Returns an error if the data has no attempt left, or other attempts were declared.
llvm::Error checkAttempt(const std::string &path, llvm::StringRef hash, const json::Object &entry,
                         int64_t attempts) {
  int64_t declared = *entry.getInteger("attempts");
  const json::Array &proofs = *entry.getArray("proofs");
  if (declared != attempts) {
    return io::fileError("cannot prove with " + llvm::Twine(attempts) +
                         (attempts == 1 ? " attempt" : " attempts") + ": the ledger '" + path +
                         "' expects the " + llvm::Twine(declared) +
                         " that the first proof declared for this data (hash " + shortHash(hash) +
                         "); repeat the command with --attempts " + llvm::Twine(declared) +
                         ", or use samples that no proof has used");
  }
  if (static_cast<int64_t>(proofs.size()) >= declared) {
    return io::fileError("cannot prove again on this data (hash " + shortHash(hash) +
                         "): the ledger '" + path + "' counts " + llvm::Twine(proofs.size()) +
                         " of " + llvm::Twine(declared) +
                         " declared attempts: " + listProofs(proofs) +
                         "; use samples that no proof has used, or keep the earlier result. "
                         "Declare --attempts before the first proof to try several plans");
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Ledger> Ledger::open(const std::string &path) {
  llvm::Expected<json::Object> ledger = readLedger(path);
  if (!ledger) {
    return ledger.takeError();
  }
  return Ledger(path);
}

llvm::Expected<bool> Ledger::knows(const std::string &dataHash) const {
  llvm::Expected<json::Object> ledger = readLedger(path);
  if (!ledger) {
    return ledger.takeError();
  }
  return ledger->getObject("data")->getObject(dataHash) != nullptr;
}

llvm::Error Ledger::check(const std::string &dataHash, int64_t attempts) const {
  llvm::Expected<json::Object> ledger = readLedger(path);
  if (!ledger) {
    return ledger.takeError();
  }
  const json::Object *entry = ledger->getObject("data")->getObject(dataHash);
  return entry ? checkAttempt(path, dataHash, *entry, attempts) : llvm::Error::success();
}

llvm::Expected<double> Ledger::begin(const std::string &dataHash, int64_t attempts,
                                     const std::string &description) {
  if (attempts < 1) {
    return io::fileError("cannot begin a proof: expects at least 1 attempt, got " +
                         llvm::Twine(attempts) + "; use for example --attempts 1");
  }
  if (llvm::Error error = createParentFolder(path)) {
    return error;
  }
  LedgerLock lock(path);
  if (llvm::Error error = lock.check(path)) {
    return error;
  }
  llvm::Expected<json::Object> ledger = readLedger(path);
  if (!ledger) {
    return ledger.takeError();
  }
  json::Object &data = *ledger->getObject("data");
  json::Object fresh{{"attempts", attempts}, {"proofs", json::Array{}}};
  json::Object &entry = *data.try_emplace(dataHash, std::move(fresh)).first->second.getAsObject();
  if (llvm::Error error = checkAttempt(path, dataHash, entry, attempts)) {
    return error;
  }
  double alpha = kPromiseAlpha / static_cast<double>(attempts);
  json::Array &proofs = *entry.getArray("proofs");
  proofs.push_back(json::Object{{"description", json::fixUTF8(description)}, {"alpha", alpha}});
  size_t number = proofs.size() - 1;
  if (llvm::Error error = writeLedger(path, std::move(*ledger))) {
    return error;
  }
  begun[dataHash] = number;
  return alpha;
}

llvm::Error Ledger::finish(const std::string &dataHash, const PairedCounts &counts, double bound) {
  LedgerLock lock(path);
  if (llvm::Error error = lock.check(path)) {
    return error;
  }
  llvm::Expected<json::Object> ledger = readLedger(path);
  if (!ledger) {
    return ledger.takeError();
  }
  json::Object *entry = ledger->getObject("data")->getObject(dataHash);
  json::Array *proofs = entry ? entry->getArray("proofs") : nullptr;
  auto number = begun.find(dataHash);
  if (number == begun.end() || !proofs || number->second >= proofs->size()) {
    return io::fileError("cannot record a result in the ledger '" + path +
                         "': expects a proof that was begun on this data (hash " +
                         shortHash(dataHash) +
                         "), got none; do not change the file during a proof");
  }
  json::Object &proof = *(*proofs)[number->second].getAsObject();
  proof["samples"] = counts.samples;
  proof["lost"] = counts.lost;
  proof["gained"] = counts.gained;
  proof["bound"] = bound;
  return writeLedger(path, std::move(*ledger));
}

} // namespace convoy::quantizer

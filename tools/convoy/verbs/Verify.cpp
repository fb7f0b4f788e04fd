// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy verify`: whether the files of a compiled model are undamaged, belong together and are
// signed.

#include "io/VerifyFile.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"

namespace convoy::tool {
namespace {

void printText(llvm::raw_ostream &os, const std::vector<io::VerifiedFile> &files) {
  for (const io::VerifiedFile &file : files) {
    os << file.path << ": correct";
    if (!file.hash.empty()) {
      os << ", hash " << file.hash;
    }
    if (!file.sha256.empty()) {
      os << ", SHA-256 " << file.sha256;
    }
    if (!file.key.empty()) {
      os << ", signed with key " << file.key << " (" << file.comment << ")";
    }
    os << "\n";
  }
}

llvm::json::Array toJson(const std::vector<io::VerifiedFile> &files) {
  llvm::json::Array array;
  for (const io::VerifiedFile &file : files) {
    array.push_back(llvm::json::Object{{"path", llvm::json::fixUTF8(file.path)},
                                       {"hash", file.hash},
                                       {"sha256", file.sha256},
                                       {"key", file.key},
                                       {"comment", llvm::json::fixUTF8(file.comment)}});
  }
  return array;
}

} // namespace

ExitCode verify(const VerifyFlags &options, Console &console) {
  std::optional<io::PublicKey> key;
  if (!options.publicKey.empty()) {
    llvm::Expected<io::PublicKey> read = io::readPublicKey(options.publicKey);
    if (!read) {
      return fail(read.takeError(), console);
    }
    key = *read;
  }
  llvm::Expected<std::vector<io::VerifiedFile>> files = io::verifyFiles(options.file, key);
  if (!files) {
    return fail(files.takeError(), console);
  }
  return printResult(
      options.json,
      [&](llvm::raw_ostream &os) { printJson(os, llvm::json::Object{{"files", toJson(*files)}}); },
      [&](llvm::raw_ostream &os) { printText(os, *files); }, console);
}

} // namespace convoy::tool

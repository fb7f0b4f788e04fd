// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries and weights files have a digest at their end (runtime/load/digest.h). A header has the
// hash of the model in a macro. Other files, such as loadables, have a signature only.

#include "io/VerifyFile.h"
#include "Driver/InspectLibrary.h"
#include "io/ReadOpening.h"
#include "runtime/load/digest.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

namespace convoy::io {
namespace {

using llvm::StringRef;

llvm::Error problem(const llvm::Twine &text) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), text);
}

/// Returns the hash in a header, or nothing if the file is no header of a model.
std::string hashOfHeader(const std::string &path) {
  constexpr size_t kOpening = 64 << 10; // the macro is near the start
  llvm::Expected<std::string> opening = readOpening(path, kOpening);
  if (!opening) {
    llvm::consumeError(opening.takeError());
    return "";
  }
  llvm::SmallVector<StringRef, 2> found;
  llvm::Regex macro("#define [A-Z0-9_]+_HASH \"([0-9a-f]{32})\"");
  return macro.match(*opening, &found) ? found[1].str() : "";
}

/// Verifies one file without the files beside it.
llvm::Expected<VerifiedFile> verifyFile(const std::string &path,
                                        const std::optional<PublicKey> &key) {
  VerifiedFile file;
  file.path = path;
  StringRef name = path;
  if (driver::isLibraryFile(path) || name.ends_with(".so") || name.ends_with(".weights")) {
    char hash[2 * CONVOY_DIGEST_HASH_BYTES + 1], sha[2 * CONVOY_DIGEST_SHA_BYTES + 1], text[1024];
    if (!convoy_verify_file(path.c_str(), hash, sha, text, sizeof(text))) {
      return problem(text);
    }
    file.hash = hash;
    file.sha256 = sha;
  } else if (name.ends_with(".h")) {
    file.hash = hashOfHeader(path);
  }
  if (!key) {
    return file.hash.empty() ? problem("'" + path +
                                       "' is no library, weights file or header of "
                                       "Convoy; give --public-key to verify its signature")
                             : llvm::Expected<VerifiedFile>(std::move(file));
  }
  llvm::Expected<std::string> comment = verifySignature(path, *key);
  if (!comment) {
    return comment.takeError();
  }
  file.key = key->number();
  file.comment = std::move(*comment);
  return file;
}

} // namespace

llvm::Expected<std::vector<VerifiedFile>> verifyFiles(const std::string &path,
                                                      const std::optional<PublicKey> &key) {
  llvm::Expected<VerifiedFile> first = verifyFile(path, key);
  if (!first) {
    return first.takeError();
  }
  std::vector<VerifiedFile> files = {std::move(*first)};
  if (!StringRef(path).ends_with(".so")) {
    return files;
  }
  for (const char *ending : {"weights", "h"}) {
    llvm::SmallString<256> beside(path);
    llvm::sys::path::replace_extension(beside, ending);
    if (!llvm::sys::fs::exists(beside)) {
      continue;
    }
    llvm::Expected<VerifiedFile> file = verifyFile(beside.str().str(), key);
    if (!file) {
      return file.takeError();
    }
    if (file->hash != files[0].hash) {
      return problem("'" + file->path + "' has hash " + file->hash + ", and '" + path +
                     "' has hash " + files[0].hash +
                     "; they are of different compilations: copy "
                     "the files of one compilation, or compile the model again");
    }
    files.push_back(std::move(*file));
  }
  return files;
}

} // namespace convoy::io

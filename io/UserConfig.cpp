// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "io/UserConfig.h"
#include "Targets/AllowedCommands.h"
#include "io/Files.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace convoy::io {
namespace {

/// Returns whether the list has a line with the hash and the path.
bool isListed(llvm::StringRef hash, llvm::StringRef path) {
  std::string list = userConfigFile("allowed-toolchains");
  auto text = readFile(list);
  if (!text) {
    llvm::consumeError(text.takeError()); // most users have no list
    return false;
  }
  llvm::SmallVector<llvm::StringRef> lines;
  (*text)->getBuffer().split(lines, '\n');
  return llvm::any_of(lines, [&](llvm::StringRef line) {
    auto [listedHash, listedPath] = line.rtrim('\r').split(' ');
    // `sha256sum` writes a blank or an asterisk before the path.
    bool hasMark = listedPath.consume_front(" ") || listedPath.consume_front("*");
    return hasMark && listedHash.equals_insensitive(hash) && listedPath == path;
  });
}

} // namespace

std::string userConfigFile(llvm::StringRef name) {
  llvm::SmallString<128> path;
  if (!llvm::sys::path::user_config_directory(path)) {
    return "";
  }
  llvm::sys::path::append(path, "convoy", name);
  return path.str().str();
}

std::string permittedTarget(const std::string &name, bool allowsToolchain) {
  llvm::StringRef file(name);
  if (!file.ends_with(".json")) {
    file = file.rsplit(':').first; // NAME:COMPILER
  }
  if (!file.ends_with(".json")) {
    return name;
  }
  if (allowsToolchain) {
    return targets::withTrust(name, "");
  }
  llvm::SmallString<128> path;
  auto text = readFile(file);
  if (!text || llvm::sys::fs::real_path(file, path)) {
    llvm::consumeError(text.takeError()); // the reader of the target reports it
    return name;
  }
  std::string hash = targets::hashOf((*text)->getBuffer());
  return isListed(hash, path) ? targets::withTrust(name, hash) : name;
}

} // namespace convoy::io

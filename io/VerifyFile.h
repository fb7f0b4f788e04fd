// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies a file of a compiled model without running its code: the SHA-256 at its end, the hash
// that it shares with the files beside it, and its signature.

#pragma once

#include "io/Minisign.h"
#include <vector>

namespace convoy::io {

/// What is known of a verified file.
struct VerifiedFile {
  std::string path;
  std::string hash;    // of the model; empty: the file has none
  std::string sha256;  // at the end of the file; empty: the file has none
  std::string key;     // the number of the key that signed the file; empty: not checked
  std::string comment; // the trusted comment of the signature
};

/// Verifies the file, and for a library the weights and the header beside it. With a key, each of
/// the files needs a signature.
llvm::Expected<std::vector<VerifiedFile>> verifyFiles(const std::string &path,
                                                      const std::optional<PublicKey> &key);

} // namespace convoy::io

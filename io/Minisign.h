// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies signatures in the format of minisign (Ed25519 of a BLAKE2b-512 of the file). Signing is
// left to minisign, so that Convoy reads no private key.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <string>

namespace convoy::io {

/// A public key of minisign.
struct PublicKey {
  std::array<unsigned char, 8> id;
  std::array<unsigned char, 32> bytes;

  /// The number of the key as minisign prints it: 16 hexadecimal digits.
  std::string number() const;
};

/// Reads a key: the path of a file that `minisign -G` wrote, or its second line.
llvm::Expected<PublicKey> readPublicKey(const std::string &key);

/// Verifies `<path>.minisig`. Returns the trusted comment, which the signature covers.
llvm::Expected<std::string> verifySignature(const std::string &path, const PublicKey &key);

} // namespace convoy::io

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the SHA-256 of the runtime, which verifies compiled libraries with it. It uses the SHA
// instructions if the CPU has them.

#include "tuning/build/HashFile.h"
#include "runtime/load/digest.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace convoy::tuning {

std::string fastSha256(llvm::StringRef bytes) {
  uint8_t digest[CONVOY_DIGEST_SHA_BYTES];
  convoy_sha256(bytes.data(), bytes.size(), digest);
  return llvm::toHex(digest, /*LowerCase=*/true);
}

std::string hashOfFile(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return file ? fastSha256((*file)->getBuffer()) : "";
}

} // namespace convoy::tuning

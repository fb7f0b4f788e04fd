// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps the file instead of reading it, because weights may be larger than the memory.

#include "Codegen/LLVM/FileDigest.h"
#include "Support/OutputFile.h"
#include "Support/TypedError.h"
#include "runtime/core/library.h"
#include "runtime/load/digest.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace convoy::codegen {

static_assert(CONVOY_WEIGHTS_DIGEST_BYTES == CONVOY_DIGEST_BYTES);

llvm::Error appendDigest(llvm::StringRef path, llvm::StringRef shown, const std::string &hash) {
  uint8_t digest[CONVOY_DIGEST_BYTES];
  {
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    if (std::error_code error = file.getError()) {
      return cannotWrite(shown, error);
    }
    if (!convoy_make_digest((*file)->getBufferStart(), (*file)->getBufferSize(), hash.c_str(),
                            digest)) {
      return createBug("the hash '%s' of a model has a wrong form; this is a bug in convoy",
                       hash.c_str());
    }
  }
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::FA_Write,
                              llvm::sys::fs::OF_Append);
  if (error) {
    return cannotWrite(shown, error);
  }
  return printTo(stream, shown, [&](llvm::raw_fd_ostream &os) {
    os.write(reinterpret_cast<const char *>(digest), sizeof(digest));
    return llvm::Error::success();
  });
}

} // namespace convoy::codegen

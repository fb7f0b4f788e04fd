// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The certificates of one side of a connection. Servers and clients check each other: both
// certificates must come from the same authority.

#pragma once

#include "llvm/Support/Error.h"
#include <string>

namespace convoy::service {

/// Paths of PEM files.
struct TlsFiles {
  std::string authority, certificate, key;
};

/// Returns ca.crt, NAME.crt and NAME.key of a folder. The error names a file that cannot be read.
llvm::Expected<TlsFiles> tlsFiles(llvm::StringRef folder, llvm::StringRef name);

} // namespace convoy::service

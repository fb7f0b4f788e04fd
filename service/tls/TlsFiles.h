// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files with which a program of the service proves its identity and checks its peers. All
// connections of the service use them: gRPC, HTTPS and NATS.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace convoy::service {

/// Paths of PEM files.
struct TlsFiles {
  std::string authority;   // certificates of the authorities that sign the peers' certificates
  std::string certificate; // the certificate of this program
  std::string key;         // its private key

  /// Returns the files ca.crt, <name>.crt and <name>.key of a folder.
  static TlsFiles inFolder(const std::string &folder, const std::string &name);
};

/// Returns an error that names the first file that cannot be read.
llvm::Error checkTlsFiles(const TlsFiles &files);

/// Returns the readable files of a folder. The error names a file that cannot be read.
llvm::Expected<TlsFiles> tlsFiles(llvm::StringRef folder, llvm::StringRef name);

} // namespace convoy::service

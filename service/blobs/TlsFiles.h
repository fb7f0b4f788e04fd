// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files with which a program of the service proves its identity and checks its peers. The
// blob server, the blob client and the connection to NATS use them.

#pragma once

#include "llvm/Support/Error.h"
#include <string>

namespace convoy::service {

struct TlsFiles {
  std::string ca;   // certificates of the authorities that sign the peers' certificates
  std::string cert; // the certificate of this program
  std::string key;  // its private key

  /// Returns the files ca.crt, <name>.crt and <name>.key of a folder.
  static TlsFiles inFolder(const std::string &folder, const std::string &name) {
    return {folder + "/ca.crt", folder + "/" + name + ".crt", folder + "/" + name + ".key"};
  }
};

/// Returns an error that names the first file that cannot be read.
llvm::Error checkTlsFiles(const TlsFiles &files);

} // namespace convoy::service

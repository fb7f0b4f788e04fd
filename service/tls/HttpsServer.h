// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates the HTTPS server of convoy-tuningd. The JSON interface and the blobs add their paths to
// it.

#pragma once

#include "service/tls/TlsFiles.h"
#include <memory>

namespace httplib {
class Server;
} // namespace httplib

namespace convoy::service {

/// Returns a server that accepts only clients with a certificate of the authority. The caller adds
/// paths, binds and listens. A connection keeps one of the threads while it is open.
llvm::Expected<std::unique_ptr<httplib::Server>> makeHttpsServer(const TlsFiles &files,
                                                                 int threads = 64);

} // namespace convoy::service

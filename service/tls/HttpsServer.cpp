// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/tls/HttpsServer.h"
#include <httplib.h>

namespace convoy::service {

llvm::Expected<std::unique_ptr<httplib::Server>> makeHttpsServer(const TlsFiles &files,
                                                                 int threads) {
  if (llvm::Error error = checkTlsFiles(files)) {
    return std::move(error);
  }
  auto server = std::make_unique<httplib::SSLServer>(files.certificate.c_str(), files.key.c_str(),
                                                     files.authority.c_str());
  if (!server->is_valid()) {
    return llvm::createStringError("cannot use the certificate '" + files.certificate +
                                   "' with the key '" + files.key + "' and the authority '" +
                                   files.authority + "'");
  }
  SSL_CTX_set_min_proto_version(server->ssl_context(), TLS1_2_VERSION);
  server->new_task_queue = [threads] { return new httplib::ThreadPool(threads); };
  server->set_tcp_nodelay(true);
  server->set_keep_alive_max_count(100000);
  // Stopping the server waits for this time.
  server->set_keep_alive_timeout(2);
  return std::unique_ptr<httplib::Server>(std::move(server));
}

} // namespace convoy::service

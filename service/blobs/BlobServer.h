// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serves a blob store over HTTPS. convoy-tuningd mounts it beside the JSON interface.
//
//   HEAD /blobs/<sha256>   200 with Content-Length, or 404; 404 has the header Convoy-Received if
//                          an upload is incomplete
//   GET  /blobs/<sha256>   the bytes; `Range` resumes a download
//   PUT  /blobs/<sha256>   201 stored; `Content-Range: bytes 100-199/200` continues an upload and
//                          gives 202 if the blob is not complete; 409 with Convoy-Received if the
//                          offset is wrong; 413, 422 (wrong hash), 507 (store is full)

#pragma once

#include "service/blobs/BlobStore.h"

namespace httplib {
class Server;
} // namespace httplib

namespace convoy::service {

/// Adds the routes of blobs to a server. The store must live longer than the server.
class BlobServer {
public:
  BlobServer(httplib::Server &server, BlobStore &store);
};

} // namespace convoy::service

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON interface of the tuning service: /v1/... and /healthz on an HTTPS server of the caller,
// which may serve other paths too. docs/reference/tuning-api.md lists the paths.

#pragma once

#include "service/api/TuningApi.h"
#include <atomic>
#include <memory>

namespace httplib {
class Server;
struct Request;
struct Response;
} // namespace httplib

namespace convoy::service {

struct JsonLimits {
  size_t bodyBytes = 16U << 20U;     // of a call
  size_t recordsBytes = 256U << 20U; // of POST /v1/records
  int watchers = 32;                 // streams at the same time; each keeps a thread
};

class JsonServer {
public:
  /// Adds the paths to a server. The JsonServer must outlive the server's threads.
  JsonServer(TuningApi &api, httplib::Server &server, JsonLimits limits = {});

  /// Ends all streams soon. To be called before the server is stopped.
  void stop() { isStopping = true; }

private:
  void addBest(httplib::Server &server);
  void addJobs(httplib::Server &server);
  void addRecords(httplib::Server &server);
  void addDevices(httplib::Server &server);
  void addHealth(httplib::Server &server);
  void watch(const std::string &id, const httplib::Request &request, httplib::Response &response);
  void exportRecords(const httplib::Request &request, httplib::Response &response);

  TuningApi &api;
  JsonLimits limits;
  std::atomic<int> watchers{0};
  std::atomic<bool> isStopping{false};
};

} // namespace convoy::service

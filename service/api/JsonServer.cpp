// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The paths of the JSON interface. Each handler reads a message, calls the TuningApi and writes a
// message; ApiJson.h converts them.

#include "service/api/JsonServer.h"
#include "service/api/ApiJson.h"
#include "service/api/ErrorJson.h"
#include <cmath>
#include <httplib.h>

namespace convoy::service {
namespace {

constexpr char kJson[] = "application/json";

int statusOf(ErrorCode code) {
  switch (code) {
  case ErrorCode::Invalid:
    return 400;
  case ErrorCode::NotFound:
    return 404;
  case ErrorCode::Conflict:
    return 409;
  case ErrorCode::Exhausted:
    return 429;
  case ErrorCode::Unavailable:
    return 503;
  case ErrorCode::Internal:
    break;
  }
  return 500;
}

void reply(httplib::Response &response, llvm::Error error) {
  ApiError problem = takeApiError(std::move(error));
  response.status = statusOf(problem.code);
  if (problem.retrySeconds > 0) {
    auto seconds = static_cast<int64_t>(std::ceil(problem.retrySeconds));
    response.set_header("Retry-After", std::to_string(seconds));
  }
  response.set_content(toJson(problem) + "\n", kJson);
}

template <typename Object>
void reply(httplib::Response &response, llvm::Expected<Object> object) {
  if (!object) {
    reply(response, object.takeError());
    return;
  }
  response.set_content(toJson(*object) + "\n", kJson);
}

/// Reads a body of at most `limit` bytes. A longer body is read to its end within reason, because
/// the connection would take the rest for the next request.
llvm::Expected<std::string> readBody(const httplib::Request &request,
                                     const httplib::ContentReader &reader, size_t limit) {
  if (request.is_multipart_form_data()) {
    return apiError(ErrorCode::Invalid,
                    "the body: expected application/json, got multipart/form-data");
  }
  // httplib would read until the client closes the connection.
  if (!request.has_header("Content-Length") && !request.has_header("Transfer-Encoding")) {
    return "";
  }
  std::string body;
  size_t size = 0;
  bool isWhole = reader([&](const char *data, size_t length) {
    size += length;
    if (size <= limit) {
      body.append(data, length);
    }
    return size <= 4 * limit;
  });
  if (size > limit) {
    return apiError(ErrorCode::Invalid, "the body: expected at most " + llvm::Twine(limit) +
                                            " bytes, got more; send it in parts");
  }
  if (!isWhole) {
    return apiError(ErrorCode::Invalid, "the body ended too early");
  }
  return body;
}

template <typename Object>
llvm::Expected<Object> readObject(const httplib::Request &request,
                                  const httplib::ContentReader &reader, size_t limit) {
  llvm::Expected<std::string> body = readBody(request, reader, limit);
  if (!body) {
    return body.takeError();
  }
  return fromJson<Object>(*body, UnknownFields::Refuse);
}

/// Reads a body whose content is optional.
template <typename Object>
llvm::Expected<Object> readOptional(const httplib::Request &request,
                                    const httplib::ContentReader &reader, size_t limit) {
  llvm::Expected<std::string> body = readBody(request, reader, limit);
  if (!body) {
    return body.takeError();
  }
  return body->empty() ? Object() : fromJson<Object>(*body, UnknownFields::Refuse);
}

/// Counts a stream while it lives.
class StreamCount {
public:
  explicit StreamCount(std::atomic<int> &count) : count(count) { ++count; }
  ~StreamCount() { --count; }
  StreamCount(const StreamCount &) = delete;
  StreamCount &operator=(const StreamCount &) = delete;

private:
  std::atomic<int> &count;
};

} // namespace

JsonServer::JsonServer(TuningApi &api, httplib::Server &server, JsonLimits limits)
    : api(api), limits(limits) {
  addBest(server);
  addJobs(server);
  addRecords(server);
  addDevices(server);
  addHealth(server);
  server.set_error_handler([](const httplib::Request &request, httplib::Response &response) {
    bool isOurs = request.path.rfind("/blobs/", 0) != 0;
    if (isOurs && response.body.empty() && response.status == 404) {
      reply(response,
            apiError(ErrorCode::NotFound, "no call " + request.method + " " + request.path +
                                              "; docs/reference/tuning-api.md lists the calls"));
    }
  });
}

void JsonServer::addBest(httplib::Server &server) {
  server.Post("/v1/best:lookup", [this](const httplib::Request &request,
                                        httplib::Response &response,
                                        const httplib::ContentReader &reader) {
    auto query = readObject<BestQuery>(request, reader, limits.bodyBytes);
    query ? reply(response, api.lookupBest(*query)) : reply(response, query.takeError());
  });
}

void JsonServer::addJobs(httplib::Server &server) {
  server.Post("/v1/jobs", [this](const httplib::Request &request, httplib::Response &response,
                                 const httplib::ContentReader &reader) {
    auto spec = readObject<JobSpec>(request, reader, limits.bodyBytes);
    spec ? reply(response, api.createJob(*spec)) : reply(response, spec.takeError());
  });
  server.Get("/v1/jobs", [this](const httplib::Request &request, httplib::Response &response) {
    auto filter = fromParameters<JobFilter>(request.params);
    filter ? reply(response, api.listJobs(*filter)) : reply(response, filter.takeError());
  });
  server.Get(R"(/v1/jobs/([^/:]+))",
             [this](const httplib::Request &request, httplib::Response &response) {
               reply(response, api.getJob(request.matches[1]));
             });
  server.Get(R"(/v1/jobs/([^/:]+):watch)",
             [this](const httplib::Request &request, httplib::Response &response) {
               watch(request.matches[1], request, response);
             });
  using Change = llvm::Expected<JobStatus> (TuningApi::*)(const std::string &);
  for (auto [verb, change] :
       std::initializer_list<std::pair<const char *, Change>>{{"pause", &TuningApi::pauseJob},
                                                              {"resume", &TuningApi::resumeJob},
                                                              {"cancel", &TuningApi::cancelJob}}) {
    server.Post(std::string(R"(/v1/jobs/([^/:]+):)") + verb,
                [this, change = change](const httplib::Request &request,
                                        httplib::Response &response,
                                        const httplib::ContentReader &reader) {
                  auto empty = readOptional<Empty>(request, reader, limits.bodyBytes);
                  empty ? reply(response, (api.*change)(request.matches[1]))
                        : reply(response, empty.takeError());
                });
  }
  server.Post(R"(/v1/jobs/([^/:]+):extend)",
              [this](const httplib::Request &request, httplib::Response &response,
                     const httplib::ContentReader &reader) {
                auto extension = readObject<JobExtension>(request, reader, limits.bodyBytes);
                if (!extension) {
                  reply(response, extension.takeError());
                  return;
                }
                extension->set_id(request.matches[1]);
                reply(response, api.extendJob(*extension));
              });
}

void JsonServer::watch(const std::string &id, const httplib::Request &request,
                       httplib::Response &response) {
  // A stream cannot change its status later, so a wrong id must be found first.
  llvm::Expected<JobStatus> job = api.getJob(id);
  if (!job) {
    reply(response, job.takeError());
    return;
  }
  auto count = std::make_shared<StreamCount>(watchers);
  if (watchers > limits.watchers) {
    reply(response, exhausted("this server serves " + llvm::Twine(limits.watchers) +
                                  " watchers at the same time, and all are in use; ask for the "
                                  "job's status instead",
                              5));
    return;
  }
  bool isEvents = request.get_header_value("Accept").find("text/event-stream") != std::string::npos;
  auto stream = [this, id, isEvents, count](size_t, httplib::DataSink &sink) {
    auto send = [&](const std::string &line) {
      std::string text = isEvents ? "data: " + line + "\n\n" : line + "\n";
      return sink.write(text.data(), text.size()) && sink.is_writable() && !isStopping;
    };
    llvm::Error error =
        api.watchJob(id, [&](const JobStatus &status) { return send(toJson(status)); });
    if (error) {
      send(errorLine(takeApiError(std::move(error))));
    }
    sink.done();
    return true;
  };
  response.set_header("Cache-Control", "no-store");
  response.set_chunked_content_provider(isEvents ? "text/event-stream" : "application/x-ndjson",
                                        stream);
}

void JsonServer::addRecords(httplib::Server &server) {
  server.Get("/v1/records", [this](const httplib::Request &request, httplib::Response &response) {
    exportRecords(request, response);
  });
  server.Post("/v1/records", [this](const httplib::Request &request, httplib::Response &response,
                                    const httplib::ContentReader &reader) {
    auto query = fromParameters<RecordsQuery>(request.params);
    auto body = query ? readBody(request, reader, limits.recordsBytes) : query.takeError();
    if (!body) {
      reply(response, body.takeError());
      return;
    }
    RecordsImport import;
    import.set_project(query->project());
    import.set_lines(std::move(*body));
    reply(response, api.importRecords(import));
  });
}

void JsonServer::exportRecords(const httplib::Request &request, httplib::Response &response) {
  auto query = fromParameters<RecordsQuery>(request.params);
  auto health = query ? api.health() : query.takeError();
  if (!health || !health->is_leader()) {
    // A stream cannot change its status later.
    reply(response, health ? standby(health->leader()) : health.takeError());
    return;
  }
  auto stream = [this, query = *query](size_t, httplib::DataSink &sink) {
    llvm::Error error = api.exportRecords(query, [&](llvm::StringRef lines) {
      return sink.write(lines.data(), lines.size()) && !isStopping;
    });
    if (error) {
      std::string line = errorLine(takeApiError(std::move(error))) + "\n";
      sink.write(line.data(), line.size());
    }
    sink.done();
    return true;
  };
  response.set_chunked_content_provider("application/x-ndjson", stream);
}

void JsonServer::addDevices(httplib::Server &server) {
  server.Get("/v1/devices", [this](const httplib::Request &, httplib::Response &response) {
    reply(response, api.listDevices());
  });
  for (auto [verb, state] : std::initializer_list<std::pair<const char *, DeviceState>>{
           {"drain", DeviceState::DRAINING},
           {"quarantine", DeviceState::QUARANTINED},
           {"activate", DeviceState::ACTIVE}}) {
    server.Post(std::string(R"(/v1/devices/([^/:]+):)") + verb,
                [this, state = state](const httplib::Request &request, httplib::Response &response,
                                      const httplib::ContentReader &reader) {
                  auto wanted = readOptional<DeviceRequest>(request, reader, limits.bodyBytes);
                  if (!wanted) {
                    reply(response, wanted.takeError());
                    return;
                  }
                  wanted->set_name(request.matches[1]);
                  reply(response, api.changeDevice(*wanted, state));
                });
  }
}

void JsonServer::addHealth(httplib::Server &server) {
  server.Get("/v1/usage", [this](const httplib::Request &request, httplib::Response &response) {
    auto query = fromParameters<UsageQuery>(request.params);
    query ? reply(response, api.usage(*query)) : reply(response, query.takeError());
  });
  server.Get("/healthz", [this](const httplib::Request &, httplib::Response &response) {
    llvm::Expected<Health> health = api.health();
    bool isStandby = health && !health->is_leader();
    reply(response, std::move(health));
    if (isStandby) {
      response.status = 503;
    }
  });
}

} // namespace convoy::service

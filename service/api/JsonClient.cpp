// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends the calls of a TuningApi as HTTPS requests. A connection per server is kept open for
// calls that may be repeated; other calls and streams have their own.

#include "service/api/JsonClient.h"
#include "service/api/ApiJson.h"
#include "service/api/ErrorJson.h"
#include "service/api/JsonStream.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

namespace convoy::service {
namespace {

constexpr char kJson[] = "application/json";
// The service sends the status of a watched job at least every 2 s.
constexpr time_t kStreamSeconds = 10;

std::string reasonOf(httplib::Error error) {
  switch (error) {
  case httplib::Error::Connection:
    return "no server answers at this address";
  case httplib::Error::ConnectionTimeout:
    return "the server did not answer in time";
  case httplib::Error::SSLConnection:
    return "the TLS handshake failed; check the certificates";
  case httplib::Error::SSLLoadingCerts:
    return "the certificate of the authority cannot be loaded";
  case httplib::Error::SSLServerVerification:
    return "the server's certificate is not from the same authority or is for another host";
  default:
    // With TLS 1.3, a server refuses a client's certificate after the handshake.
    return "the connection ended before the answer; the server may have refused the certificate";
  }
}

/// Whether the server cannot have received the request.
bool isUnsent(httplib::Error error) {
  return error == httplib::Error::Connection || error == httplib::Error::ConnectionTimeout ||
         error == httplib::Error::SSLConnection || error == httplib::Error::SSLLoadingCerts ||
         error == httplib::Error::SSLServerVerification;
}

ErrorCode codeOf(int status) {
  switch (status) {
  case 404:
    return ErrorCode::NotFound;
  case 409:
    return ErrorCode::Conflict;
  case 429:
    return ErrorCode::Exhausted;
  case 502:
  case 503:
  case 504:
    return ErrorCode::Unavailable;
  default:
    return status >= 500 ? ErrorCode::Internal : ErrorCode::Invalid;
  }
}

/// Encodes a text for a URL.
std::string encode(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if (llvm::isAlnum(c) || llvm::StringRef("-._~,").contains(c)) {
      result += c;
    } else {
      result += "%" + llvm::toHex(llvm::StringRef(&c, 1));
    }
  }
  return result;
}

/// The parameters of a URL; empty and zero values are left out.
class UrlParameters {
public:
  void add(llvm::StringRef name, llvm::StringRef value) {
    if (!value.empty()) {
      text += (text.empty() ? "?" : "&") + name.str() + "=" + encode(value);
    }
  }
  void add(llvm::StringRef name, int64_t value) {
    add(name, value == 0 ? "" : std::to_string(value));
  }
  const std::string &str() const { return text; }

private:
  std::string text;
};

/// Checks a name that becomes part of a path.
llvm::Error checkName(llvm::StringRef kind, llvm::StringRef name) {
  bool isPlain = !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '-' || c == '.' || c == '_';
  });
  return isPlain
             ? llvm::Error::success()
             : apiError(ErrorCode::Invalid,
                        kind + ": expected letters, digits, '-', '.' and '_', got '" + name + "'");
}

Attempt failedAttempt(httplib::Error error, const std::string &url, bool isIdempotent) {
  return {llvm::make_error<ApiError>(ErrorCode::Unavailable,
                                     "cannot reach " + url + ": " + reasonOf(error)),
          isIdempotent || isUnsent(error), false};
}

Attempt refusedAttempt(llvm::Error refusal) {
  ApiError error = takeApiError(std::move(refusal));
  return {toError(error), error.code == ErrorCode::Unavailable, true};
}

Attempt attemptOf(const StreamResult &result, const std::string &url) {
  switch (result.end) {
  case StreamEnd::Complete:
  case StreamEnd::Stopped:
    return {llvm::Error::success(), false, true};
  case StreamEnd::ErrorLine:
    return refusedAttempt(errorFromLine(result.text));
  case StreamEnd::Refused:
    return refusedAttempt(errorFromJson(result.text, codeOf(result.status)));
  case StreamEnd::Broken:
    break;
  }
  return failedAttempt(result.error, url, /*isIdempotent=*/true);
}

} // namespace

struct JsonClient::Connections {
  /// Returns a new client, or null if the files cannot be used.
  static std::unique_ptr<httplib::Client> open(const std::string &url,
                                               const JsonClientOptions &options) {
    auto client =
        std::make_unique<httplib::Client>(url, options.files.certificate, options.files.key);
    if (!client->is_valid()) {
      return nullptr;
    }
    auto seconds = [](double value) { return static_cast<time_t>(value + 0.999); };
    client->set_ca_cert_path(options.files.authority);
    client->enable_server_certificate_verification(true);
    client->set_connection_timeout(seconds(options.connectSeconds));
    client->set_read_timeout(seconds(options.answerSeconds));
    client->set_write_timeout(seconds(options.answerSeconds));
    client->set_keep_alive(true);
    client->set_tcp_nodelay(true);
    return client;
  }

  std::vector<std::unique_ptr<httplib::Client>> clients; // by server
};

JsonClient::JsonClient(const JsonClientOptions &options)
    : options(options), failover(options.urls, options.patienceSeconds),
      connections(std::make_unique<Connections>()) {}

JsonClient::~JsonClient() = default;

llvm::Expected<std::unique_ptr<JsonClient>> JsonClient::create(const JsonClientOptions &options) {
  std::unique_ptr<JsonClient> client(new JsonClient(options));
  if (client->failover.size() == 0) {
    return llvm::createStringError("expected https://HOST:PORT, got ''");
  }
  for (const std::string &url : client->failover.list()) {
    llvm::StringRef rest = url;
    if (!rest.consume_front("https://") || rest.empty() || rest.contains('/')) {
      return llvm::createStringError("expected https://HOST:PORT, got '" + url + "'");
    }
    auto connection = Connections::open(url, options);
    if (!connection) {
      return llvm::createStringError("cannot use the certificate '" + options.files.certificate +
                                     "' with the key '" + options.files.key + "'");
    }
    client->connections->clients.push_back(std::move(connection));
  }
  return client;
}

Attempt JsonClient::sendOnce(size_t server, const Call &call, std::string &answer) {
  // The server may just have closed the kept connection, which looks like a lost answer. A call
  // that must not be repeated therefore has its own connection.
  std::unique_ptr<httplib::Client> own =
      call.isIdempotent ? nullptr : Connections::open(failover.list()[server], options);
  httplib::Client &client = own ? *own : *connections->clients[server];
  httplib::Result result = llvm::StringRef(call.method) == "GET"
                               ? client.Get(call.path)
                               : client.Post(call.path, call.body, kJson);
  if (!result) {
    return failedAttempt(result.error(), failover.list()[server], call.isIdempotent);
  }
  bool isHealth = call.path == "/healthz";
  if (result->status != 200 && !(isHealth && result->status == 503)) {
    return refusedAttempt(errorFromJson(result->body, codeOf(result->status)));
  }
  answer = std::move(result->body);
  return {llvm::Error::success(), false, true};
}

llvm::Expected<std::string> JsonClient::send(const Call &call) {
  std::string answer;
  if (llvm::Error error =
          failover.run([&](size_t server) { return sendOnce(server, call, answer); })) {
    return std::move(error);
  }
  return answer;
}

template <typename Answer>
llvm::Expected<Answer> JsonClient::ask(const Call &call) {
  llvm::Expected<std::string> answer = send(call);
  if (!answer) {
    return answer.takeError();
  }
  return fromJson<Answer>(*answer, UnknownFields::Ignore);
}

llvm::Expected<BestAnswer> JsonClient::lookupBest(const BestQuery &query) {
  return ask<BestAnswer>({"POST", "/v1/best:lookup", toJson(query)});
}

llvm::Expected<JobStatus> JsonClient::createJob(const JobSpec &spec) {
  return ask<JobStatus>({"POST", "/v1/jobs", toJson(withKey(spec))});
}

llvm::Expected<JobStatus> JsonClient::getJob(const std::string &id) {
  if (llvm::Error error = checkName("the id of a job", id)) {
    return std::move(error);
  }
  return ask<JobStatus>({"GET", "/v1/jobs/" + id, ""});
}

llvm::Expected<JobList> JsonClient::listJobs(const JobFilter &filter) {
  UrlParameters parameters;
  parameters.add("project", filter.project());
  parameters.add(
      "states",
      llvm::join(llvm::map_range(filter.states(), [](int state) { return JobState_Name(state); }),
                 ","));
  parameters.add("limit", filter.limit());
  return ask<JobList>({"GET", "/v1/jobs" + parameters.str(), ""});
}

llvm::Expected<JobStatus> JsonClient::changeJob(const std::string &id, const char *verb) {
  if (llvm::Error error = checkName("the id of a job", id)) {
    return std::move(error);
  }
  return ask<JobStatus>({"POST", "/v1/jobs/" + id + ":" + verb, "{}"});
}

llvm::Expected<JobStatus> JsonClient::pauseJob(const std::string &id) {
  return changeJob(id, "pause");
}
llvm::Expected<JobStatus> JsonClient::resumeJob(const std::string &id) {
  return changeJob(id, "resume");
}
llvm::Expected<JobStatus> JsonClient::cancelJob(const std::string &id) {
  return changeJob(id, "cancel");
}

llvm::Expected<JobStatus> JsonClient::extendJob(const JobExtension &extension) {
  if (llvm::Error error = checkName("the id of a job", extension.id())) {
    return std::move(error);
  }
  return ask<JobStatus>({"POST", "/v1/jobs/" + extension.id() + ":extend", toJson(extension),
                         /*isIdempotent=*/false});
}

llvm::Expected<ImportResult> JsonClient::importRecords(const RecordsImport &import) {
  UrlParameters parameters;
  parameters.add("project", import.project());
  return ask<ImportResult>({"POST", "/v1/records" + parameters.str(), import.lines()});
}

llvm::Expected<DeviceList> JsonClient::listDevices() {
  return ask<DeviceList>({"GET", "/v1/devices", ""});
}

llvm::Expected<DeviceStatus> JsonClient::changeDevice(const DeviceRequest &request,
                                                      DeviceState state) {
  if (llvm::Error error = checkName("the name of a device", request.name())) {
    return std::move(error);
  }
  const char *verb = state == DeviceState::ACTIVE     ? "activate"
                     : state == DeviceState::DRAINING ? "drain"
                                                      : "quarantine";
  return ask<DeviceStatus>({"POST", "/v1/devices/" + request.name() + ":" + verb, toJson(request)});
}

llvm::Expected<Usage> JsonClient::usage(const UsageQuery &query) {
  UrlParameters parameters;
  parameters.add("project", query.project());
  parameters.add("sinceUs", query.since_us());
  parameters.add("untilUs", query.until_us());
  return ask<Usage>({"GET", "/v1/usage" + parameters.str(), ""});
}

llvm::Expected<Health> JsonClient::health() { return ask<Health>({"GET", "/healthz", ""}); }

llvm::Error JsonClient::watchJob(const std::string &id, const JobWatcher &watcher) {
  if (llvm::Error error = checkName("the id of a job", id)) {
    return error;
  }
  for (;;) {
    bool hasProgress = false;
    llvm::Error error = failover.run([&](size_t server) {
      return watchOnce(server, "/v1/jobs/" + id + ":watch", [&](const JobStatus &status) {
        hasProgress = true;
        return watcher(status);
      });
    });
    // The patience starts again after each status.
    if (!error || !hasProgress) {
      return error;
    }
    ApiError problem = takeApiError(std::move(error));
    if (problem.code != ErrorCode::Unavailable) {
      return toError(problem);
    }
  }
}

Attempt JsonClient::watchOnce(size_t server, const std::string &path, const JobWatcher &watcher) {
  const std::string &url = failover.list()[server];
  std::unique_ptr<httplib::Client> client = Connections::open(url, options);
  client->set_read_timeout(kStreamSeconds);
  std::optional<ApiError> problem;
  StreamResult result = readStream(*client, path, [&](llvm::StringRef line) {
    llvm::Expected<JobStatus> job = fromJson<JobStatus>(line, UnknownFields::Ignore);
    if (!job) {
      problem = takeApiError(job.takeError());
      return false;
    }
    return watcher(*job) && !isEnded(job->state());
  });
  if (problem) {
    return {toError(*problem), false, true};
  }
  if (result.end == StreamEnd::Complete || (result.end == StreamEnd::Broken && result.hasLines)) {
    return {apiError(ErrorCode::Unavailable, "the stream from " + url + " ended early"), true,
            true};
  }
  return attemptOf(result, url);
}

llvm::Error JsonClient::exportRecords(const RecordsQuery &query, const LinesReader &reader) {
  UrlParameters parameters;
  parameters.add("project", query.project());
  parameters.add("job", query.job());
  parameters.add("target", query.target());
  return failover.run([&](size_t server) {
    const std::string &url = failover.list()[server];
    StreamResult result =
        readStream(*Connections::open(url, options), "/v1/records" + parameters.str(),
                   [&](llvm::StringRef line) { return reader((line + "\n").str()); });
    Attempt attempt = attemptOf(result, url);
    attempt.isRetried &= !result.hasLines; // else the reader would get lines twice
    return attempt;
  });
}

} // namespace convoy::service

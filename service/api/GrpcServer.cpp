// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the service of tuning.proto by a TuningApi.

#include "service/api/GrpcServer.h"
#include "service/api/GrpcTransport.h"
#include "service/api/MessageDefaults.h"
#include "tuning.grpc.pb.h"
#include <atomic>

namespace convoy::service {
namespace {

using Context = grpc::ServerContext;

constexpr int kMostThreads = 256;
constexpr int kMostStreams = 128; // each keeps a thread

/// Answers a call. A client may leave out fields with a default, and clients in use expect them in
/// answers.
template <typename Query, typename Answer, typename Call>
grpc::Status answer(Context &context, Query query, Answer &response, Call call) {
  setDefaults(query);
  llvm::Expected<Answer> result = call(query);
  if (!result) {
    return statusOf(takeApiError(result.takeError()), context);
  }
  response = std::move(*result);
  setDefaults(response);
  return grpc::Status::OK;
}

class TuningService final : public Tuning::Service {
public:
  explicit TuningService(TuningApi &api) : api(api) {}

  void stop() { isStopping = true; }

  grpc::Status LookupBest(Context *context, const BestQuery *request,
                          BestAnswer *response) override {
    return answer(*context, *request, *response,
                  [&](const BestQuery &query) { return api.lookupBest(query); });
  }
  grpc::Status CreateJob(Context *context, const JobSpec *request, JobStatus *response) override {
    return answer(*context, *request, *response,
                  [&](const JobSpec &spec) { return api.createJob(spec); });
  }
  grpc::Status GetJob(Context *context, const JobName *request, JobStatus *response) override {
    return answer(*context, *request, *response,
                  [&](const JobName &name) { return api.getJob(name.id()); });
  }
  grpc::Status ListJobs(Context *context, const JobFilter *request, JobList *response) override {
    return answer(*context, *request, *response,
                  [&](const JobFilter &filter) { return api.listJobs(filter); });
  }
  grpc::Status PauseJob(Context *context, const JobName *request, JobStatus *response) override {
    return answer(*context, *request, *response,
                  [&](const JobName &name) { return api.pauseJob(name.id()); });
  }
  grpc::Status ResumeJob(Context *context, const JobName *request, JobStatus *response) override {
    return answer(*context, *request, *response,
                  [&](const JobName &name) { return api.resumeJob(name.id()); });
  }
  grpc::Status CancelJob(Context *context, const JobName *request, JobStatus *response) override {
    return answer(*context, *request, *response,
                  [&](const JobName &name) { return api.cancelJob(name.id()); });
  }
  grpc::Status ExtendJob(Context *context, const JobExtension *request,
                         JobStatus *response) override {
    return answer(*context, *request, *response,
                  [&](const JobExtension &extension) { return api.extendJob(extension); });
  }
  grpc::Status ImportRecords(Context *context, const RecordsImport *request,
                             ImportResult *response) override {
    return answer(*context, *request, *response,
                  [&](const RecordsImport &import) { return api.importRecords(import); });
  }
  grpc::Status ListDevices(Context *context, const Empty *request, DeviceList *response) override {
    return answer(*context, *request, *response, [&](const Empty &) { return api.listDevices(); });
  }
  grpc::Status DrainDevice(Context *context, const DeviceRequest *request,
                           DeviceStatus *response) override {
    return answer(*context, *request, *response,
                  [&](const DeviceRequest &device) { return api.changeDevice(device, DRAINING); });
  }
  grpc::Status QuarantineDevice(Context *context, const DeviceRequest *request,
                                DeviceStatus *response) override {
    return answer(*context, *request, *response, [&](const DeviceRequest &device) {
      return api.changeDevice(device, QUARANTINED);
    });
  }
  grpc::Status ActivateDevice(Context *context, const DeviceRequest *request,
                              DeviceStatus *response) override {
    return answer(*context, *request, *response,
                  [&](const DeviceRequest &device) { return api.changeDevice(device, ACTIVE); });
  }
  grpc::Status GetUsage(Context *context, const UsageQuery *request, Usage *response) override {
    return answer(*context, *request, *response,
                  [&](const UsageQuery &query) { return api.usage(query); });
  }
  grpc::Status GetHealth(Context *context, const Empty *request, Health *response) override {
    return answer(*context, *request, *response, [&](const Empty &) { return api.health(); });
  }

  grpc::Status WatchJob(Context *context, const JobName *request,
                        grpc::ServerWriter<JobStatus> *writer) override {
    return stream(*context, [&] {
      return api.watchJob(request->id(), [&](const JobStatus &status) {
        JobStatus message = status;
        setDefaults(message);
        return writer->Write(message) && !context->IsCancelled() && !isStopping;
      });
    });
  }
  grpc::Status ExportRecords(Context *context, const RecordsQuery *request,
                             grpc::ServerWriter<RecordLines> *writer) override {
    return stream(*context, [&] {
      return api.exportRecords(*request, [&](llvm::StringRef lines) {
        RecordLines message;
        message.set_lines(lines.str());
        return writer->Write(message) && !isStopping;
      });
    });
  }

private:
  template <typename Run>
  grpc::Status stream(Context &context, Run run) {
    grpc::Status status = grpc::Status::OK;
    if (++streams > kMostStreams) {
      status = statusOf(ApiError(ErrorCode::Exhausted,
                                 "this server serves " + std::to_string(kMostStreams) +
                                     " streams at the same time, and all are in use",
                                 5),
                        context);
    } else if (llvm::Error error = run()) {
      status = statusOf(takeApiError(std::move(error)), context);
    } else if (isStopping) {
      status = statusOf(ApiError(ErrorCode::Unavailable, "this server stops"), context);
    }
    --streams;
    return status;
  }

  TuningApi &api;
  std::atomic<int> streams{0};
  std::atomic<bool> isStopping{false};
};

} // namespace

struct GrpcServer::Parts {
  explicit Parts(TuningApi &api) : service(api) {}

  TuningService service;
  int port = 0;
  std::unique_ptr<grpc::Server> server;
};

GrpcServer::GrpcServer(std::unique_ptr<Parts> parts) : parts(std::move(parts)) {}

GrpcServer::~GrpcServer() {
  parts->service.stop();
  parts->server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  parts->server->Wait();
}

int GrpcServer::port() const { return parts->port; }

llvm::Expected<std::unique_ptr<GrpcServer>>
GrpcServer::start(TuningApi &api, const std::string &address, const TlsFiles &files) {
  llvm::Expected<TlsTexts> texts = readTls(files);
  if (!texts) {
    return texts.takeError();
  }
  auto parts = std::make_unique<Parts>(api);
  grpc::SslServerCredentialsOptions tls(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_root_certs = texts->authority;
  tls.pem_key_cert_pairs.push_back({texts->key, texts->certificate});
  grpc::ServerBuilder builder;
  // Two servers on one port would share the connections.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort(address, grpc::SslServerCredentials(tls), &parts->port);
  builder.SetMaxReceiveMessageSize(kMostMessageBytes);
  builder.SetMaxSendMessageSize(kMostMessageBytes);
  grpc::ResourceQuota quota;
  quota.SetMaxThreads(kMostThreads);
  builder.SetResourceQuota(quota);
  builder.RegisterService(&parts->service);
  parts->server = builder.BuildAndStart();
  if (!parts->server || parts->port == 0) {
    return llvm::createStringError("cannot serve gRPC on '" + address +
                                   "': the address is in use or not of this machine, or the "
                                   "certificates do not fit together");
  }
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(parts)));
}

} // namespace convoy::service

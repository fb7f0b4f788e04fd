// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the service of tuning.proto by a TuningApi. ProtoFields.h converts the messages.

#include "service/api/GrpcServer.h"
#include "service/api/GrpcTransport.h"
#include "service/api/ProtoFields.h"
#include "tuning.grpc.pb.h"
#include <atomic>

namespace convoy::service {
namespace {

namespace v1 = convoy::tuning::v1;
using Context = grpc::ServerContext;

constexpr int kMostThreads = 256;
constexpr int kMostStreams = 128; // each keeps a thread

/// Answers a call: message to struct, call, struct to message.
template <typename Query, typename Call>
grpc::Status answer(Context &context, const google::protobuf::Message &request,
                    google::protobuf::Message &response, Call call) {
  Query query;
  ProtoFields::read(request, query);
  auto result = call(query);
  if (!result) {
    return statusOf(takeApiError(result.takeError()), context);
  }
  ProtoFields::write(*result, response);
  return grpc::Status::OK;
}

/// Wraps a list, which is a field of a message.
template <typename List, typename Item>
llvm::Expected<List> wrap(llvm::Expected<std::vector<Item>> items) {
  if (!items) {
    return items.takeError();
  }
  return List{std::move(*items)};
}

class TuningService final : public v1::Tuning::Service {
public:
  explicit TuningService(TuningApi &api) : api(api) {}

  void stop() { isStopping = true; }

  grpc::Status LookupBest(Context *context, const v1::BestQuery *request,
                          v1::BestAnswer *response) override {
    return answer<BestQuery>(*context, *request, *response,
                             [&](const BestQuery &query) { return api.lookupBest(query); });
  }
  grpc::Status CreateJob(Context *context, const v1::JobSpec *request,
                         v1::JobStatus *response) override {
    return answer<JobSpec>(*context, *request, *response,
                           [&](const JobSpec &spec) { return api.createJob(spec); });
  }
  grpc::Status GetJob(Context *context, const v1::JobName *request,
                      v1::JobStatus *response) override {
    return changeJob(*context, *request, *response, &TuningApi::getJob);
  }
  grpc::Status ListJobs(Context *context, const v1::JobFilter *request,
                        v1::JobList *response) override {
    return answer<JobFilter>(*context, *request, *response, [&](const JobFilter &filter) {
      return wrap<JobList>(api.listJobs(filter));
    });
  }
  grpc::Status PauseJob(Context *context, const v1::JobName *request,
                        v1::JobStatus *response) override {
    return changeJob(*context, *request, *response, &TuningApi::pauseJob);
  }
  grpc::Status ResumeJob(Context *context, const v1::JobName *request,
                         v1::JobStatus *response) override {
    return changeJob(*context, *request, *response, &TuningApi::resumeJob);
  }
  grpc::Status CancelJob(Context *context, const v1::JobName *request,
                         v1::JobStatus *response) override {
    return changeJob(*context, *request, *response, &TuningApi::cancelJob);
  }
  grpc::Status ExtendJob(Context *context, const v1::JobExtension *request,
                         v1::JobStatus *response) override {
    return answer<JobExtension>(*context, *request, *response, [&](const JobExtension &extension) {
      return api.extendJob(extension);
    });
  }
  grpc::Status ImportRecords(Context *context, const v1::RecordsImport *request,
                             v1::ImportResult *response) override {
    return answer<RecordsImport>(*context, *request, *response, [&](const RecordsImport &import) {
      return api.importRecords(import);
    });
  }
  grpc::Status ListDevices(Context *context, const v1::Empty *request,
                           v1::DeviceList *response) override {
    return answer<Empty>(*context, *request, *response,
                         [&](const Empty &) { return wrap<DeviceList>(api.listDevices()); });
  }
  grpc::Status DrainDevice(Context *context, const v1::DeviceRequest *request,
                           v1::DeviceStatus *response) override {
    return changeDevice(*context, *request, *response, DeviceState::Draining);
  }
  grpc::Status QuarantineDevice(Context *context, const v1::DeviceRequest *request,
                                v1::DeviceStatus *response) override {
    return changeDevice(*context, *request, *response, DeviceState::Quarantined);
  }
  grpc::Status ActivateDevice(Context *context, const v1::DeviceRequest *request,
                              v1::DeviceStatus *response) override {
    return changeDevice(*context, *request, *response, DeviceState::Active);
  }
  grpc::Status GetUsage(Context *context, const v1::UsageQuery *request,
                        v1::Usage *response) override {
    return answer<UsageQuery>(*context, *request, *response,
                              [&](const UsageQuery &query) { return api.usage(query); });
  }
  grpc::Status GetHealth(Context *context, const v1::Empty *request,
                         v1::Health *response) override {
    return answer<Empty>(*context, *request, *response,
                         [&](const Empty &) { return api.health(); });
  }

  grpc::Status WatchJob(Context *context, const v1::JobName *request,
                        grpc::ServerWriter<v1::JobStatus> *writer) override {
    return stream(*context, [&] {
      return api.watchJob(request->id(), [&](const JobStatus &status) {
        v1::JobStatus message;
        ProtoFields::write(status, message);
        return writer->Write(message) && !context->IsCancelled() && !isStopping;
      });
    });
  }
  grpc::Status ExportRecords(Context *context, const v1::RecordsQuery *request,
                             grpc::ServerWriter<v1::RecordLines> *writer) override {
    RecordsQuery query;
    ProtoFields::read(*request, query);
    return stream(*context, [&] {
      return api.exportRecords(query, [&](llvm::StringRef lines) {
        v1::RecordLines message;
        message.set_lines(lines.str());
        return writer->Write(message) && !isStopping;
      });
    });
  }

private:
  using JobCall = llvm::Expected<JobStatus> (TuningApi::*)(const std::string &);

  grpc::Status changeJob(Context &context, const v1::JobName &request, v1::JobStatus &response,
                         JobCall call) {
    return answer<JobName>(context, request, response,
                           [&](const JobName &name) { return (api.*call)(name.id); });
  }

  grpc::Status changeDevice(Context &context, const v1::DeviceRequest &request,
                            v1::DeviceStatus &response, DeviceState state) {
    return answer<DeviceRequest>(context, request, response, [&](const DeviceRequest &wanted) {
      return api.changeDevice({wanted.name, state, wanted.reason});
    });
  }

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

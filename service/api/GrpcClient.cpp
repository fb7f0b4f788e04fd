// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements a TuningApi by the stub that protoc generates.

#include "service/api/GrpcClient.h"
#include "service/api/GrpcTransport.h"
#include "service/api/ProtoFields.h"
#include "tuning.grpc.pb.h"

namespace convoy::service {
namespace {

namespace v1 = convoy::tuning::v1;
using Stub = v1::Tuning::Stub;

/// A call of the stub.
template <typename Request, typename Response>
using StubCall = grpc::Status (Stub::*)(grpc::ClientContext *, const Request &, Response *);

Attempt attemptOf(const grpc::Status &status, const grpc::ClientContext &context,
                  const std::string &address, bool isIdempotent) {
  if (status.ok()) {
    return {llvm::Error::success(), false, true};
  }
  ApiError error = takeApiError(errorOf(status, context));
  // The transport reports an unreachable server with the same code as a standby.
  bool isReached = error.code != ErrorCode::Unavailable ||
                   context.GetServerTrailingMetadata().count(kRetrySeconds) > 0;
  if (!isReached) {
    error.message = "cannot reach " + address + ": " + error.message;
  }
  bool isRetried = error.code == ErrorCode::Unavailable && (isReached || isIdempotent);
  return {toError(error), isRetried, isReached};
}

} // namespace

struct GrpcClient::Channels {
  std::vector<std::unique_ptr<Stub>> stubs; // by server
};

GrpcClient::GrpcClient(const GrpcClientOptions &options)
    : options(options), failover(options.addresses, options.patienceSeconds),
      channels(std::make_unique<Channels>()) {}

GrpcClient::~GrpcClient() = default;

llvm::Expected<std::unique_ptr<GrpcClient>> GrpcClient::create(const GrpcClientOptions &options) {
  llvm::Expected<TlsTexts> texts = readTls(options.files);
  if (!texts) {
    return texts.takeError();
  }
  std::unique_ptr<GrpcClient> client(new GrpcClient(options));
  if (client->failover.size() == 0) {
    return llvm::createStringError("expected HOST:PORT, got ''");
  }
  grpc::SslCredentialsOptions tls{texts->authority, texts->key, texts->certificate};
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMostMessageBytes);
  arguments.SetMaxSendMessageSize(kMostMessageBytes);
  // Clients of one process would share a connection otherwise.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  for (const std::string &address : client->failover.list()) {
    client->channels->stubs.push_back(v1::Tuning::NewStub(
        grpc::CreateCustomChannel(address, grpc::SslCredentials(tls), arguments)));
  }
  return client;
}

template <typename Answer, typename Query, typename Call>
llvm::Expected<Answer> GrpcClient::ask(const Query &query, Call call, bool isIdempotent) {
  Answer answer;
  llvm::Error error = failover.run([&](size_t server) {
    grpc::ClientContext context;
    auto seconds = std::chrono::duration<double>(options.answerSeconds);
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::duration_cast<std::chrono::microseconds>(seconds));
    grpc::Status status = call(*channels->stubs[server], context, query, answer);
    return attemptOf(status, context, failover.list()[server], isIdempotent);
  });
  if (error) {
    return std::move(error);
  }
  return answer;
}

/// Returns a function that converts, calls the stub and converts back.
template <typename Request, typename Response>
static auto through(StubCall<Request, Response> call) {
  return [call](Stub &stub, grpc::ClientContext &context, const auto &query, auto &answer) {
    Request request;
    Response response;
    ProtoFields::write(query, request);
    grpc::Status status = (stub.*call)(&context, request, &response);
    if (status.ok()) {
      ProtoFields::read(response, answer);
    }
    return status;
  };
}

llvm::Expected<BestAnswer> GrpcClient::lookupBest(const BestQuery &query) {
  return ask<BestAnswer>(query, through(&Stub::LookupBest));
}
llvm::Expected<JobStatus> GrpcClient::createJob(const JobSpec &spec) {
  return ask<JobStatus>(withKey(spec), through(&Stub::CreateJob));
}
llvm::Expected<JobStatus> GrpcClient::getJob(const std::string &id) {
  return ask<JobStatus>(JobName{id}, through(&Stub::GetJob));
}
llvm::Expected<JobStatus> GrpcClient::pauseJob(const std::string &id) {
  return ask<JobStatus>(JobName{id}, through(&Stub::PauseJob));
}
llvm::Expected<JobStatus> GrpcClient::resumeJob(const std::string &id) {
  return ask<JobStatus>(JobName{id}, through(&Stub::ResumeJob));
}
llvm::Expected<JobStatus> GrpcClient::cancelJob(const std::string &id) {
  return ask<JobStatus>(JobName{id}, through(&Stub::CancelJob));
}
llvm::Expected<JobStatus> GrpcClient::extendJob(const JobExtension &extension) {
  return ask<JobStatus>(extension, through(&Stub::ExtendJob), /*isIdempotent=*/false);
}
llvm::Expected<ImportResult> GrpcClient::importRecords(const RecordsImport &import) {
  return ask<ImportResult>(import, through(&Stub::ImportRecords));
}
llvm::Expected<Usage> GrpcClient::usage(const UsageQuery &query) {
  return ask<Usage>(query, through(&Stub::GetUsage));
}
llvm::Expected<Health> GrpcClient::health() {
  return ask<Health>(Empty{}, through(&Stub::GetHealth));
}

llvm::Expected<std::vector<JobStatus>> GrpcClient::listJobs(const JobFilter &filter) {
  llvm::Expected<JobList> list = ask<JobList>(filter, through(&Stub::ListJobs));
  if (!list) {
    return list.takeError();
  }
  return std::move(list->jobs);
}

llvm::Expected<std::vector<DeviceStatus>> GrpcClient::listDevices() {
  llvm::Expected<DeviceList> list = ask<DeviceList>(Empty{}, through(&Stub::ListDevices));
  if (!list) {
    return list.takeError();
  }
  return std::move(list->devices);
}

llvm::Expected<DeviceStatus> GrpcClient::changeDevice(const DeviceChange &change) {
  auto call = change.state == DeviceState::Active     ? &Stub::ActivateDevice
              : change.state == DeviceState::Draining ? &Stub::DrainDevice
                                                      : &Stub::QuarantineDevice;
  return ask<DeviceStatus>(DeviceRequest{change.name, change.reason}, through(call));
}

llvm::Error GrpcClient::watchJob(const std::string &id, const JobWatcher &watcher) {
  return failover.run([&](size_t server) {
    grpc::ClientContext context;
    v1::JobName request;
    request.set_id(id);
    auto reader = channels->stubs[server]->WatchJob(&context, request);
    v1::JobStatus message;
    bool hasAny = false;
    while (reader->Read(&message)) {
      hasAny = true;
      JobStatus status;
      ProtoFields::read(message, status);
      if (!watcher(status)) {
        context.TryCancel();
        return Attempt{llvm::Error::success(), false, true};
      }
    }
    return attemptOf(reader->Finish(), context, failover.list()[server], !hasAny);
  });
}

llvm::Error GrpcClient::exportRecords(const RecordsQuery &query, const LinesReader &reader) {
  return failover.run([&](size_t server) {
    grpc::ClientContext context;
    v1::RecordsQuery request;
    ProtoFields::write(query, request);
    auto lines = channels->stubs[server]->ExportRecords(&context, request);
    v1::RecordLines message;
    bool hasAny = false;
    while (lines->Read(&message)) {
      hasAny = true;
      if (!reader(message.lines())) {
        context.TryCancel();
        return Attempt{llvm::Error::success(), false, true};
      }
    }
    return attemptOf(lines->Finish(), context, failover.list()[server], !hasAny);
  });
}

} // namespace convoy::service

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements a TuningApi by the stub that protoc generates.

#include "service/api/test/GrpcClient.h"
#include "service/api/GrpcTransport.h"
#include "tuning.grpc.pb.h"

namespace convoy::service {

using Stub = Tuning::Stub;

namespace {

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
    client->channels->stubs.push_back(
        Tuning::NewStub(grpc::CreateCustomChannel(address, grpc::SslCredentials(tls), arguments)));
  }
  return client;
}

template <typename Query, typename Answer>
llvm::Expected<Answer> GrpcClient::ask(const Query &query, StubCall<Query, Answer> call,
                                       bool isIdempotent) {
  Answer answer;
  llvm::Error error = failover.run([&](size_t server) {
    grpc::ClientContext context;
    auto seconds = std::chrono::duration<double>(options.answerSeconds);
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::duration_cast<std::chrono::microseconds>(seconds));
    grpc::Status status = (*channels->stubs[server].*call)(&context, query, &answer);
    return attemptOf(status, context, failover.list()[server], isIdempotent);
  });
  if (error) {
    return std::move(error);
  }
  return answer;
}

static JobName nameOf(const std::string &id) {
  JobName name;
  name.set_id(id);
  return name;
}

llvm::Expected<BestAnswer> GrpcClient::lookupBest(const BestQuery &query) {
  return ask(query, &Stub::LookupBest);
}
llvm::Expected<JobStatus> GrpcClient::createJob(const JobSpec &spec) {
  return ask(withKey(spec), &Stub::CreateJob);
}
llvm::Expected<JobStatus> GrpcClient::getJob(const std::string &id) {
  return ask(nameOf(id), &Stub::GetJob);
}
llvm::Expected<JobList> GrpcClient::listJobs(const JobFilter &filter) {
  return ask(filter, &Stub::ListJobs);
}
llvm::Expected<JobStatus> GrpcClient::pauseJob(const std::string &id) {
  return ask(nameOf(id), &Stub::PauseJob);
}
llvm::Expected<JobStatus> GrpcClient::resumeJob(const std::string &id) {
  return ask(nameOf(id), &Stub::ResumeJob);
}
llvm::Expected<JobStatus> GrpcClient::cancelJob(const std::string &id) {
  return ask(nameOf(id), &Stub::CancelJob);
}
llvm::Expected<JobStatus> GrpcClient::extendJob(const JobExtension &extension) {
  return ask(extension, &Stub::ExtendJob, /*isIdempotent=*/false);
}
llvm::Expected<ImportResult> GrpcClient::importRecords(const RecordsImport &import) {
  return ask(import, &Stub::ImportRecords);
}
llvm::Expected<DeviceList> GrpcClient::listDevices() { return ask(Empty(), &Stub::ListDevices); }
llvm::Expected<DeviceStatus> GrpcClient::changeDevice(const DeviceRequest &request,
                                                      DeviceState state) {
  return ask(request, state == ACTIVE     ? &Stub::ActivateDevice
                      : state == DRAINING ? &Stub::DrainDevice
                                          : &Stub::QuarantineDevice);
}
llvm::Expected<Usage> GrpcClient::usage(const UsageQuery &query) {
  return ask(query, &Stub::GetUsage);
}
llvm::Expected<Health> GrpcClient::health() { return ask(Empty(), &Stub::GetHealth); }

llvm::Error GrpcClient::watchJob(const std::string &id, const JobWatcher &watcher) {
  return failover.run([&](size_t server) {
    grpc::ClientContext context;
    auto reader = channels->stubs[server]->WatchJob(&context, nameOf(id));
    JobStatus message;
    bool hasAny = false;
    while (reader->Read(&message)) {
      hasAny = true;
      if (!watcher(message)) {
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
    auto lines = channels->stubs[server]->ExportRecords(&context, query);
    RecordLines message;
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

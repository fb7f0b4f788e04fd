// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connects and exchanges messages without JetStream. JetStream.cpp has the work queues.

#include "service/queue/NatsConnection.h"
#include "service/queue/NatsHandles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <thread>

namespace convoy::service {

char NatsError::ID = 0;

namespace {

// A missing permission explains a request without an answer for this time.
constexpr std::chrono::seconds kViolationAge(10);
constexpr std::chrono::seconds kCloseTime(3);
constexpr int64_t kMaxPublishing = 4096; // messages that the server has not confirmed
constexpr int64_t kReconnectWaitMs = 200;
constexpr int64_t kReconnectJitterMs = 100;
constexpr int64_t kPingIntervalMs = 5000;

NatsProblem problemOf(int status, int code) {
  switch (code) {
  case JSStreamNotFoundErr:
  case JSConsumerNotFoundErr:
  case JSNoMessageFoundErr:
    return NatsProblem::NotFound;
  case JSStreamStoreFailedErr:
  case JSInsufficientResourcesErr:
  case JSStorageResourcesExceededErr:
    return NatsProblem::Full;
  default:
    break;
  }
  switch (status) {
  case NATS_CONNECTION_AUTH_FAILED:
  case NATS_NOT_PERMITTED:
  case NATS_SSL_ERROR:
  case NATS_ADDRESS_MISSING:
  case NATS_SECURE_CONNECTION_REQUIRED:
  case NATS_SECURE_CONNECTION_WANTED:
    return NatsProblem::Refused;
  case NATS_NOT_FOUND:
    return NatsProblem::NotFound;
  default:
    return NatsProblem::Transient;
  }
}

/// Returns libnats's text for a status, with the details of this thread's last error.
std::string textOf(int status) {
  natsStatus last = NATS_OK;
  const char *detail = nats_GetLastError(&last);
  std::string text = natsStatus_GetText(static_cast<natsStatus>(status));
  if (last == static_cast<natsStatus>(status) && detail && *detail && text != detail) {
    text += std::string(" (") + detail + ")";
  }
  return text;
}

void noteError(natsConnection *connection, natsSubscription *, natsStatus status, void *closure) {
  const char *text = nullptr;
  natsConnection_GetLastError(connection, &text);
  static_cast<NatsShared *>(closure)->note(text && *text ? text : natsStatus_GetText(status));
}

void noteEnd(natsConnection *, void *closure) {
  auto *shared = static_cast<NatsShared *>(closure);
  std::lock_guard<std::mutex> lock(shared->endMutex);
  shared->hasEnded = true;
  shared->end.notify_all();
}

void noteReconnect(natsConnection *, void *closure) {
  ++static_cast<NatsShared *>(closure)->reconnects;
}

/// Passes the result of an asynchronous publish on.
void noteStored(jsCtx *, natsMsg *message, jsPubAck *ack, jsPubAckErr *error, void *closure) {
  NatsMessage owned(message);
  auto *shared = static_cast<NatsShared *>(closure);
  const char *id = nullptr;
  natsMsgHeader_Get(message, "Nats-Msg-Id", &id);
  std::lock_guard<std::mutex> lock(shared->handlerMutex);
  if (shared->isClosed || !shared->stored || !id) {
    return;
  }
  if (ack) {
    shared->stored(id, ack->Sequence);
    return;
  }
  int status = error ? error->Err : NATS_ERR, code = error ? error->ErrCode : 0;
  const char *text = error && error->ErrText ? error->ErrText : "";
  shared->stored(id, llvm::make_error<NatsError>(problemOf(status, code),
                                                 "NATS did not store a message: " +
                                                     std::string(*text ? text : textOf(status))));
}

natsStatus applyOptions(natsOptions *settings, const NatsOptions &options, NatsShared *shared) {
  const std::string inbox = "_INBOX_" + options.user;
  natsStatus status = natsOptions_SetURL(settings, options.url.c_str());
  auto then = [&](natsStatus next) { status = status == NATS_OK ? next : status; };
  then(natsOptions_SetName(settings, options.user.c_str()));
  then(natsOptions_SetSecure(settings, true));
  then(natsOptions_LoadCATrustedCertificates(settings, options.tls.authority.c_str()));
  then(natsOptions_LoadCertificatesChain(settings, options.tls.certificate.c_str(),
                                         options.tls.key.c_str()));
  then(natsOptions_SetCustomInboxPrefix(settings, inbox.c_str()));
  then(natsOptions_SetTimeout(settings, milliseconds(options.timeoutSeconds)));
  then(natsOptions_SetMaxReconnect(settings, -1));
  then(natsOptions_SetReconnectWait(settings, kReconnectWaitMs));
  then(natsOptions_SetReconnectJitter(settings, kReconnectJitterMs, kReconnectJitterMs));
  then(natsOptions_SetPingInterval(settings, kPingIntervalMs));
  then(natsOptions_SetMaxPingsOut(settings, 2));
  then(natsOptions_SetFailRequestsOnDisconnect(settings, true));
  // Otherwise, libnats collects messages for 1 ms before it sends them.
  then(natsOptions_SetSendAsap(settings, true));
  then(natsOptions_SetErrorHandler(settings, noteError, shared));
  then(natsOptions_SetReconnectedCB(settings, noteReconnect, shared));
  then(natsOptions_SetClosedCB(settings, noteEnd, shared));
  return status;
}

/// A handler that libnats calls. Freed when the subscription has ended.
struct Subscriber {
  std::shared_ptr<NatsShared> shared;
  NatsConnection::Handler handler;
};

void deliver(natsConnection *, natsSubscription *, natsMsg *message, void *closure) {
  NatsMessage owned(message);
  auto *subscriber = static_cast<Subscriber *>(closure);
  std::lock_guard<std::mutex> lock(subscriber->shared->handlerMutex);
  if (subscriber->shared->isClosed) {
    return;
  }
  const char *reply = natsMsg_GetReply(message);
  subscriber->handler(natsMsg_GetSubject(message), reply ? reply : "",
                      llvm::StringRef(natsMsg_GetData(message),
                                      static_cast<size_t>(natsMsg_GetDataLength(message))));
}

void freeSubscriber(void *closure) { delete static_cast<Subscriber *>(closure); }

} // namespace

bool isProblem(const llvm::Error &error, NatsProblem problem) {
  bool isSame = false;
  llvm::visitErrors(error, [&](const llvm::ErrorInfoBase &info) {
    isSame |= info.isA<NatsError>() && static_cast<const NatsError &>(info).problem == problem;
  });
  return isSame;
}

std::string subjectToken(llvm::StringRef text) {
  std::string token = text.str();
  for (char &c : token) {
    bool isPlain = llvm::isAlnum(c) || c == '-' || c == '_';
    c = isPlain ? c : '_';
  }
  return token.empty() ? "_" : token;
}

NatsConnection::NatsConnection(NatsOptions options)
    : shared(std::make_shared<NatsShared>()), options(std::move(options)) {}

llvm::Expected<std::shared_ptr<NatsConnection>>
NatsConnection::connect(const NatsOptions &options) {
  if (llvm::Error error = checkTlsFiles(options.tls)) {
    return llvm::make_error<NatsError>(NatsProblem::Refused, llvm::toString(std::move(error)));
  }
  std::shared_ptr<NatsConnection> connection(new NatsConnection(options));
  std::string what = "cannot connect to NATS at " + options.url + " as '" + options.user + "'";
  natsOptions *raw = nullptr;
  natsStatus status = natsOptions_Create(&raw);
  NatsSettings settings(raw);
  if (status == NATS_OK) {
    status = applyOptions(raw, options, connection->shared.get());
  }
  if (status != NATS_OK) {
    return llvm::make_error<NatsError>(NatsProblem::Refused, what + ": " + textOf(status));
  }
  status = natsConnection_Connect(&connection->handle, raw);
  if (status != NATS_OK) {
    connection->handle = nullptr;
    return connection->failure(status, 0, what);
  }
  jsOptions jetStreamOptions;
  jsOptions_Init(&jetStreamOptions);
  jetStreamOptions.Wait = milliseconds(options.timeoutSeconds);
  jetStreamOptions.PublishAsync.MaxPending = kMaxPublishing;
  jetStreamOptions.PublishAsync.AckHandler = noteStored;
  jetStreamOptions.PublishAsync.AckHandlerClosure = connection->shared.get();
  status = natsConnection_JetStream(&connection->jetStream, connection->handle, &jetStreamOptions);
  if (status != NATS_OK) {
    return connection->failure(status, 0, "cannot use JetStream");
  }
  return connection;
}

NatsConnection::~NatsConnection() {
  {
    std::lock_guard<std::mutex> lock(shared->handlerMutex);
    shared->isClosed = true;
  }
  if (!handle) {
    return;
  }
  // Closing may hang in libnats. Then the thread and the connection remain.
  std::thread([shared = shared, handle = handle, jetStream = jetStream,
               subscriptions = std::move(subscriptions)] {
    for (natsSubscription *subscription : subscriptions) {
      natsSubscription_Destroy(subscription);
    }
    jsCtx_Destroy(jetStream);
    natsConnection_Destroy(handle);
    std::unique_lock<std::mutex> lock(shared->endMutex);
    shared->end.wait_for(lock, kCloseTime, [&] { return shared->hasEnded; });
  }).detach();
  std::unique_lock<std::mutex> lock(shared->endMutex);
  shared->end.wait_for(lock, kCloseTime, [&] { return shared->hasEnded; });
}

llvm::Error NatsConnection::failure(int status, int code, const llvm::Twine &what) const {
  NatsProblem problem = problemOf(status, code);
  std::string reason = textOf(status);
  // The server does not answer requests without a permission; it reports them separately.
  std::string violation = shared->errorSince(NatsShared::Clock::now() - kViolationAge);
  bool isUnanswered = status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS;
  if (isUnanswered && llvm::StringRef(violation).contains_insensitive("permission")) {
    problem = NatsProblem::Refused;
    reason = violation;
  }
  std::string remedy;
  if (problem == NatsProblem::Refused) {
    remedy = llvm::formatv("; check the certificate '{0}' and the permissions of '{1}' in the "
                           "server's configuration",
                           options.tls.certificate, options.user);
  }
  return llvm::make_error<NatsError>(problem, (what + ": " + reason + remedy).str());
}

bool NatsConnection::isConnected() const {
  return natsConnection_Status(handle) == NATS_CONN_STATUS_CONNECTED;
}

int64_t NatsConnection::reconnectCount() const { return shared->reconnects; }

llvm::Error NatsConnection::ping(double seconds) {
  natsStatus status = natsConnection_FlushTimeout(handle, milliseconds(seconds));
  return status == NATS_OK ? llvm::Error::success()
                           : failure(status, 0, "NATS at " + options.url + " does not answer");
}

llvm::Error NatsConnection::publish(llvm::StringRef subject, llvm::StringRef body) {
  natsStatus status = natsConnection_Publish(handle, subject.str().c_str(), body.data(),
                                             static_cast<int>(body.size()));
  return status == NATS_OK ? llvm::Error::success()
                           : failure(status, 0, "cannot publish to '" + subject + "'");
}

llvm::Expected<std::string> NatsConnection::request(llvm::StringRef subject, llvm::StringRef body,
                                                    double seconds) {
  natsMsg *reply = nullptr;
  natsStatus status = natsConnection_Request(&reply, handle, subject.str().c_str(), body.data(),
                                             static_cast<int>(body.size()), milliseconds(seconds));
  NatsMessage owned(reply);
  if (status != NATS_OK) {
    return failure(status, 0, "no answer to the request '" + subject + "'");
  }
  return std::string(natsMsg_GetData(reply), static_cast<size_t>(natsMsg_GetDataLength(reply)));
}

llvm::Error NatsConnection::subscribe(llvm::StringRef subject, Handler handler) {
  auto *subscriber = new Subscriber{shared, std::move(handler)};
  natsSubscription *subscription = nullptr;
  natsStatus status =
      natsConnection_Subscribe(&subscription, handle, subject.str().c_str(), deliver, subscriber);
  if (status != NATS_OK) {
    delete subscriber;
    return failure(status, 0, "cannot subscribe to '" + subject + "'");
  }
  natsSubscription_SetOnCompleteCB(subscription, freeSubscriber, subscriber);
  subscriptions.push_back(subscription);
  return llvm::Error::success();
}

void NatsConnection::onStored(Stored receiver) {
  std::lock_guard<std::mutex> lock(shared->handlerMutex);
  shared->stored = std::move(receiver);
}

std::string NatsConnection::serverError() const {
  return shared->errorSince(NatsShared::Clock::time_point());
}

} // namespace convoy::service

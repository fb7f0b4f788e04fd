// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work queues of NatsConnection: streams, consumers, storing and fetching messages.

#include "service/queue/NatsConnection.h"
#include "service/queue/NatsHandles.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::service {
namespace {

using PubAck = NatsPointer<jsPubAck, jsPubAck_Destroy>;
using StreamInfo = NatsPointer<jsStreamInfo, jsStreamInfo_Destroy>;
using ConsumerInfo = NatsPointer<jsConsumerInfo, jsConsumerInfo_Destroy>;

// Pull requests that may wait at a consumer: one per device of a class.
constexpr int64_t kMaxWaiting = 4096;
// libnats needs time to receive the messages that the server sends before a request expires.
constexpr double kFetchGraceSeconds = 0.01;

Delivery toDelivery(natsMsg *message) {
  Delivery delivery;
  delivery.body.assign(natsMsg_GetData(message),
                       static_cast<size_t>(natsMsg_GetDataLength(message)));
  const char *reply = natsMsg_GetReply(message);
  delivery.ackSubject = reply ? reply : "";
  jsMsgMetaData *meta = nullptr;
  if (natsMsg_GetMetaData(&meta, message) == NATS_OK) {
    delivery.count = static_cast<int64_t>(meta->NumDelivered);
    delivery.sequence = meta->Sequence.Stream;
    jsMsgMetaData_Destroy(meta);
  }
  return delivery;
}

void addMessages(natsMsgList &list, std::vector<Delivery> &deliveries) {
  for (int i = 0; i < list.Count; ++i) {
    deliveries.push_back(toDelivery(list.Msgs[i]));
  }
  natsMsgList_Destroy(&list);
}

} // namespace

llvm::Expected<uint64_t> NatsConnection::store(llvm::StringRef subject, llvm::StringRef body,
                                               llvm::StringRef messageId) {
  jsPubOptions publishOptions;
  jsPubOptions_Init(&publishOptions);
  std::string id = messageId.str();
  publishOptions.MsgId = id.c_str();
  publishOptions.MaxWait = milliseconds(options.timeoutSeconds);
  jsPubAck *raw = nullptr;
  jsErrCode code = static_cast<jsErrCode>(0);
  natsStatus status = js_Publish(&raw, jetStream, subject.str().c_str(), body.data(),
                                 static_cast<int>(body.size()), &publishOptions, &code);
  PubAck ack(raw);
  if (status != NATS_OK) {
    return failure(status, code, "cannot store a message for '" + subject + "'");
  }
  return ack->Sequence;
}

llvm::Error NatsConnection::storeLater(llvm::StringRef subject, llvm::StringRef body,
                                       llvm::StringRef messageId) {
  jsPubOptions publishOptions;
  jsPubOptions_Init(&publishOptions);
  std::string id = messageId.str();
  publishOptions.MsgId = id.c_str();
  publishOptions.MaxWait = milliseconds(options.timeoutSeconds);
  natsStatus status = js_PublishAsync(jetStream, subject.str().c_str(), body.data(),
                                      static_cast<int>(body.size()), &publishOptions);
  return status == NATS_OK ? llvm::Error::success()
                           : failure(status, 0, "cannot store a message for '" + subject + "'");
}

llvm::Error NatsConnection::ensure(const WorkQueue &queue) {
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  const char *subjects[] = {queue.subjects.c_str()};
  config.Name = queue.stream.c_str();
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  config.Retention = js_WorkQueuePolicy;
  config.Storage = js_FileStorage;
  config.Discard = js_DiscardNew;
  config.MaxMsgs = queue.maxMessages;
  config.Duplicates = nanoseconds(queue.duplicatesSeconds);
  jsStreamInfo *raw = nullptr;
  jsErrCode code = static_cast<jsErrCode>(0);
  natsStatus status = js_AddStream(&raw, jetStream, &config, nullptr, &code);
  if (code == JSStreamNameExistErr) {
    status = js_UpdateStream(&raw, jetStream, &config, nullptr, &code);
  }
  StreamInfo info(raw);
  return status == NATS_OK ? llvm::Error::success()
                           : failure(status, code, "cannot create the stream " + queue.stream);
}

llvm::Error NatsConnection::ensure(const WorkConsumer &consumer) {
  jsConsumerConfig config;
  jsConsumerConfig_Init(&config);
  config.Durable = consumer.name.c_str();
  config.FilterSubject = consumer.filter.empty() ? nullptr : consumer.filter.c_str();
  config.AckPolicy = js_AckExplicit;
  config.AckWait = nanoseconds(consumer.ackWaitSeconds);
  config.MaxDeliver = consumer.maxDeliver;
  config.MaxAckPending = consumer.maxAckPending;
  config.MaxWaiting = kMaxWaiting;
  jsConsumerInfo *raw = nullptr;
  jsErrCode code = static_cast<jsErrCode>(0);
  natsStatus status =
      js_AddConsumer(&raw, jetStream, consumer.stream.c_str(), &config, nullptr, &code);
  ConsumerInfo info(raw);
  return status == NATS_OK
             ? llvm::Error::success()
             : failure(status, code,
                       "cannot create the consumer " + consumer.name + " of " + consumer.stream);
}

llvm::Expected<StreamState> NatsConnection::state(llvm::StringRef stream) {
  jsStreamInfo *raw = nullptr;
  jsErrCode code = static_cast<jsErrCode>(0);
  natsStatus status = js_GetStreamInfo(&raw, jetStream, stream.str().c_str(), nullptr, &code);
  StreamInfo info(raw);
  if (status != NATS_OK) {
    return failure(status, code, "cannot read the stream " + stream);
  }
  return StreamState{info->State.LastSeq, info->State.Msgs};
}

llvm::Error NatsConnection::removeConsumer(llvm::StringRef stream, llvm::StringRef consumer) {
  jsErrCode code = static_cast<jsErrCode>(0);
  natsStatus status =
      js_DeleteConsumer(jetStream, stream.str().c_str(), consumer.str().c_str(), nullptr, &code);
  return status == NATS_OK
             ? llvm::Error::success()
             : failure(status, code, "cannot remove the consumer " + consumer + " of " + stream);
}

llvm::Expected<ConsumerState> NatsConnection::state(llvm::StringRef stream,
                                                    llvm::StringRef consumer) {
  jsConsumerInfo *raw = nullptr;
  jsErrCode code = static_cast<jsErrCode>(0);
  natsStatus status = js_GetConsumerInfo(&raw, jetStream, stream.str().c_str(),
                                         consumer.str().c_str(), nullptr, &code);
  ConsumerInfo info(raw);
  if (status != NATS_OK) {
    return failure(status, code, "cannot read the consumer " + consumer + " of " + stream);
  }
  return ConsumerState{info->Delivered.Stream, info->NumAckPending, info->NumPending,
                       static_cast<double>(info->Config->AckWait) * 1e-9};
}

llvm::Expected<std::unique_ptr<PullConsumer>> NatsConnection::pull(llvm::StringRef stream,
                                                                   llvm::StringRef consumer) {
  std::string streamName = stream.str(), consumerName = consumer.str();
  jsSubOptions subOptions;
  jsSubOptions_Init(&subOptions);
  subOptions.Stream = streamName.c_str();
  subOptions.Consumer = consumerName.c_str();
  std::unique_ptr<PullConsumer> result(new PullConsumer());
  jsErrCode code = static_cast<jsErrCode>(0);
  natsStatus status = js_PullSubscribe(&result->subscription, jetStream, nullptr,
                                       consumerName.c_str(), nullptr, &subOptions, &code);
  if (status != NATS_OK) {
    return failure(status, code, "cannot fetch from " + stream + "/" + consumer);
  }
  result->connection = shared_from_this();
  return result;
}

PullConsumer::~PullConsumer() { natsSubscription_Destroy(subscription); }

llvm::Expected<std::vector<Delivery>> PullConsumer::fetch(int batch, double seconds) {
  std::vector<Delivery> deliveries;
  NatsShared::Clock::time_point start = NatsShared::Clock::now();
  natsMsgList list{};
  jsErrCode code = static_cast<jsErrCode>(0);
  natsStatus status = natsSubscription_Fetch(&list, subscription, 1, milliseconds(seconds), &code);
  addMessages(list, deliveries);
  if (status == NATS_TIMEOUT) {
    std::string violation = connection->shared->errorSince(start);
    if (llvm::StringRef(violation).contains_insensitive("permission")) {
      return connection->failure(status, code, "cannot fetch work");
    }
    return deliveries;
  }
  if (status != NATS_OK) {
    return connection->failure(status, code, "cannot fetch work");
  }
  if (batch > 1) {
    jsFetchRequest request;
    jsFetchRequest_Init(&request);
    request.Batch = batch - 1;
    request.NoWait = true;
    request.Expires = nanoseconds(std::max(seconds, kFetchGraceSeconds));
    natsMsgList more{};
    // An error here shows at the next fetch; the first message is valid.
    natsSubscription_FetchRequest(&more, subscription, &request);
    addMessages(more, deliveries);
  }
  return deliveries;
}

llvm::Expected<std::string> NatsConnection::read(llvm::StringRef stream, uint64_t sequence) {
  natsMsg *raw = nullptr;
  jsErrCode code = static_cast<jsErrCode>(0);
  natsStatus status = js_GetMsg(&raw, jetStream, stream.str().c_str(), sequence, nullptr, &code);
  NatsMessage message(raw);
  if (status != NATS_OK) {
    return failure(status, code, llvm::formatv("cannot read message {0} of {1}", sequence, stream));
  }
  return std::string(natsMsg_GetData(raw), static_cast<size_t>(natsMsg_GetDataLength(raw)));
}

llvm::Error NatsConnection::remove(llvm::StringRef stream, uint64_t sequence) {
  jsErrCode code = static_cast<jsErrCode>(0);
  natsStatus status = js_DeleteMsg(jetStream, stream.str().c_str(), sequence, nullptr, &code);
  return status == NATS_OK
             ? llvm::Error::success()
             : failure(status, code,
                       llvm::formatv("cannot remove message {0} of {1}", sequence, stream));
}

llvm::Error NatsConnection::purge(llvm::StringRef stream, llvm::StringRef subject) {
  jsOptions purgeOptions;
  jsOptions_Init(&purgeOptions);
  std::string filter = subject.str();
  purgeOptions.Stream.Purge.Subject = filter.empty() ? nullptr : filter.c_str();
  jsErrCode code = static_cast<jsErrCode>(0);
  natsStatus status = js_PurgeStream(jetStream, stream.str().c_str(), &purgeOptions, &code);
  return status == NATS_OK ? llvm::Error::success()
                           : failure(status, code, "cannot empty the stream " + stream);
}

} // namespace convoy::service

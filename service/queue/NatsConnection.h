// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A connection to NATS with JetStream, the parts that the dispatcher and the workers use. It wraps
// libnats: handles become objects, status codes become errors with a sentence. The connection
// reconnects by itself; ping() shows whether it works. The class is thread-safe.

#pragma once

#include "service/tls/TlsFiles.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

typedef struct __natsConnection natsConnection;
typedef struct __natsSubscription natsSubscription;
typedef struct __jsCtx jsCtx;

namespace convoy::service {

struct NatsShared;

struct NatsOptions {
  std::string url; // "tls://host:port"
  TlsFiles tls;
  /// The name in the certificate. Replies arrive at "_INBOX_<user>.>", because a user that may
  /// read the default inbox may read the replies to all other users.
  std::string user;
  double timeoutSeconds = 5; // for connecting and for requests
};

/// Why an operation failed.
enum class NatsProblem {
  Refused,  ///< The certificate is not accepted, or lacks a permission. A retry does not help.
  NotFound, ///< The stream, the consumer or the message does not exist.
  Full,     ///< The stream has reached its limit.
  Transient ///< The server is not reachable or did not answer in time.
};

class NatsError : public llvm::ErrorInfo<NatsError> {
public:
  static char ID;

  NatsError(NatsProblem problem, std::string text) : problem(problem), text(std::move(text)) {}
  void log(llvm::raw_ostream &stream) const override { stream << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  NatsProblem problem;
  std::string text;
};

/// Returns whether an error is a NatsError with this problem.
bool isProblem(const llvm::Error &error, NatsProblem problem);

/// A message of a work queue.
struct Delivery {
  std::string body;
  std::string ackSubject; // acknowledges the message; valid on any connection
  int64_t count = 1;      // the number of deliveries of this message
  uint64_t sequence = 0;  // in its stream
};

/// The answers to a delivery.
inline constexpr char kAck[] = "+ACK";                              // the work is done
inline constexpr char kNak[] = "-NAK";                              // deliver it again now
inline constexpr char kNakLater[] = "-NAK {\"delay\": 2000000000}"; // deliver it again in 2 s
inline constexpr char kInProgress[] = "+WPI";                       // extend the lease

struct WorkQueue {
  std::string stream;
  std::string subjects; // "build.>"
  int64_t maxMessages = 100000;
  /// The server recognizes repeated messages for this time. It keeps their ids in memory.
  double duplicatesSeconds = 60;
};

struct WorkConsumer {
  std::string stream;
  std::string name;
  std::string filter; // subjects; empty: all
  double ackWaitSeconds = 15;
  int64_t maxDeliver = 3; // -1: no limit
  int64_t maxAckPending = 1;
};

struct ConsumerState {
  uint64_t deliveredSequence = 0; // the highest sequence of the stream that was delivered
  int64_t unacknowledged = 0;
  uint64_t waiting = 0; // messages that were not delivered yet
  double ackWaitSeconds = 0;
};

struct StreamState {
  uint64_t lastSequence = 0; // of the newest message that the stream has stored
  uint64_t messages = 0;
};

/// Fetches messages of a consumer. One thread at a time.
class PullConsumer {
public:
  ~PullConsumer();
  PullConsumer(const PullConsumer &) = delete;
  PullConsumer &operator=(const PullConsumer &) = delete;

  /// Waits at most `seconds` for the first message and returns it with further messages that are
  /// available, `batch` at most. Returns nothing if no message arrives in time.
  llvm::Expected<std::vector<Delivery>> fetch(int batch, double seconds);

private:
  friend class NatsConnection;
  PullConsumer() = default;
  std::shared_ptr<class NatsConnection> connection; // lives longer than the subscription
  natsSubscription *subscription = nullptr;
};

class NatsConnection : public std::enable_shared_from_this<NatsConnection> {
public:
  static llvm::Expected<std::shared_ptr<NatsConnection>> connect(const NatsOptions &options);
  /// Does not wait for libnats, which may hang when it closes a connection.
  ~NatsConnection();
  NatsConnection(const NatsConnection &) = delete;
  NatsConnection &operator=(const NatsConnection &) = delete;

  bool isConnected() const;
  /// Counts how often the connection was lost and made again.
  int64_t reconnectCount() const;
  /// Exchanges a message with the server.
  llvm::Error ping(double seconds);

  llvm::Error publish(llvm::StringRef subject, llvm::StringRef body);
  llvm::Expected<std::string> request(llvm::StringRef subject, llvm::StringRef body,
                                      double seconds);
  /// Calls the handler from a thread of libnats. `reply` is empty if nobody waits for an answer.
  using Handler =
      std::function<void(llvm::StringRef subject, llvm::StringRef reply, llvm::StringRef body)>;
  llvm::Error subscribe(llvm::StringRef subject, Handler handler);

  /// Publishes to a stream and waits until the server has stored the message. The server drops a
  /// message whose id it has seen recently. Returns the sequence in the stream.
  llvm::Expected<uint64_t> store(llvm::StringRef subject, llvm::StringRef body,
                                 llvm::StringRef messageId);
  /// As store(), but does not wait. An error means that nothing was sent. Else, the receiver of
  /// onStored() hears the sequence or the reason why the message was not stored.
  llvm::Error storeLater(llvm::StringRef subject, llvm::StringRef body, llvm::StringRef messageId);
  /// Sets the receiver, which a thread of libnats calls. Call it before storeLater().
  using Stored = std::function<void(llvm::StringRef messageId, llvm::Expected<uint64_t> sequence)>;
  void onStored(Stored receiver);
  /// Create or update. They do nothing if the object has these settings.
  llvm::Error ensure(const WorkQueue &queue);
  llvm::Error ensure(const WorkConsumer &consumer);
  llvm::Expected<StreamState> state(llvm::StringRef stream);
  llvm::Expected<ConsumerState> state(llvm::StringRef stream, llvm::StringRef consumer);
  /// Removes a consumer. The stream keeps the messages that are not acknowledged.
  llvm::Error removeConsumer(llvm::StringRef stream, llvm::StringRef consumer);
  llvm::Expected<std::unique_ptr<PullConsumer>> pull(llvm::StringRef stream,
                                                     llvm::StringRef consumer);
  llvm::Expected<std::string> read(llvm::StringRef stream, uint64_t sequence);
  llvm::Error remove(llvm::StringRef stream, uint64_t sequence);
  /// Removes all messages, or those of a subject.
  llvm::Error purge(llvm::StringRef stream, llvm::StringRef subject = "");

  /// Returns the last error that the server reported outside of a request, such as a missing
  /// permission; empty if there is none.
  std::string serverError() const;

private:
  explicit NatsConnection(NatsOptions options);
  friend class PullConsumer;
  /// Returns an error for a status of libnats and a code of JetStream.
  llvm::Error failure(int status, int code, const llvm::Twine &what) const;

  natsConnection *handle = nullptr;
  jsCtx *jetStream = nullptr;
  std::vector<natsSubscription *> subscriptions;
  std::shared_ptr<NatsShared> shared; // used by the callbacks of libnats
  NatsOptions options;
};

/// Replaces the characters that have a meaning in subjects.
std::string subjectToken(llvm::StringRef text);

} // namespace convoy::service

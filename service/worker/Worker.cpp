// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread per station fetches and works. One thread extends the leases of the work in progress,
// one says hello and exchanges pings. The calling thread watches them all.

#include "service/worker/Worker.h"
#include "Support/MonotonicClock.h"
#include "service/queue/JsonFields.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <mutex>
#include <thread>

using namespace convoy::tuning;

namespace convoy::service {
namespace {

constexpr char kTerm[] = "+TERM"; // never deliver it again
constexpr double kRetrySeconds = 0.3;
constexpr double kHelloTimeoutSeconds = 2;
constexpr double kTickSeconds = 0.05;
// A server that is just ending may break a TLS handshake, which looks like a refusal.
constexpr int kMaxRefusals = 3;
constexpr double kFirstLeaseSeconds = 1; // until the lease time of the consumer is known
// The limit of the message of a result. NATS refuses messages above 1 MiB by default, and a refused
// result would be published for ever.
constexpr size_t kMostMessageBytes = 64 << 10;

using Clock = std::chrono::steady_clock;

void sleepSeconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// Keeps the start of a long text and states the number of bytes that are left out.
void shorten(std::string &text) {
  if (text.size() > kMostMessageBytes) {
    size_t left = text.size() - kMostMessageBytes;
    text.resize(kMostMessageBytes);
    text += llvm::formatv(" ... ({0} bytes left out)", left);
  }
}

/// A station with its work in progress.
struct Place {
  std::unique_ptr<WorkStation> station;
  std::mutex mutex;                 // guards the fields below
  std::optional<WorkerState> state; // unknown before the first answer to a hello
  std::string trial, ackSubject;    // empty: no work
};

class Loop {
public:
  Loop(WorkerOptions given, std::vector<std::unique_ptr<WorkStation>> stations,
       const std::atomic<bool> &isStopping)
      : options(std::move(given)), isStopping(isStopping) {
    for (std::unique_ptr<WorkStation> &station : stations) {
      places.push_back(std::make_unique<Place>());
      places.back()->station = std::move(station);
    }
  }

  /// Sets `hasThreads` if threads may still run.
  WorkerEnd run(bool &hasThreads);

private:
  bool isEnding() const { return isStopping || isRefused || isBroken || isAbandoned; }
  bool connect();
  bool isStuck() const { return monotonicSeconds() - lastRoundTrip.load() > options.stuckSeconds; }
  void refuse(llvm::Error error);
  WorkerEnd finish(bool &hasThreads);

  void serve(Place &place);
  std::unique_ptr<PullConsumer> subscribe();
  void work(Place &place, const Delivery &delivery);
  bool publishResult(const ResultMessage &result);
  void release(Place &place, llvm::StringRef answer);

  void extendLeases();
  void greet();
  void sayHello(Place &place);

  WorkerOptions options;
  const std::atomic<bool> &isStopping;
  std::shared_ptr<NatsConnection> nats;
  std::vector<std::unique_ptr<Place>> places;
  std::vector<std::thread> threads;
  std::atomic<bool> isRefused{false}, isBroken{false}, isAbandoned{false};
  std::atomic<int> running{0}; // station threads
  std::atomic<double> lastRoundTrip{0}, leaseSeconds{kFirstLeaseSeconds};
};

void Loop::refuse(llvm::Error error) {
  if (!isRefused.exchange(true)) {
    options.say(llvm::toString(std::move(error)));
  } else {
    llvm::consumeError(std::move(error));
  }
}

/// Connects; waits for a server that is not reachable. Returns false at the end.
bool Loop::connect() {
  std::string said;
  int refusals = 0;
  while (!isStopping) {
    llvm::Expected<std::shared_ptr<NatsConnection>> made = NatsConnection::connect(options.nats);
    if (made) {
      nats = *made;
      lastRoundTrip = monotonicSeconds();
      options.say("connected to NATS at " + options.nats.url + " as '" + options.nats.user + "'");
      return true;
    }
    llvm::Error error = made.takeError();
    if (isProblem(error, NatsProblem::Refused) && ++refusals >= kMaxRefusals) {
      refuse(std::move(error));
      return false;
    }
    std::string text = llvm::toString(std::move(error));
    if (text != said) {
      options.say(text + "; trying again");
      said = text;
    }
    sleepSeconds(kRetrySeconds);
  }
  return false;
}

WorkerEnd Loop::run(bool &hasThreads) {
  hasThreads = false;
  if (!connect()) {
    return isRefused ? WorkerEnd::Refused : WorkerEnd::Stopped;
  }
  for (std::unique_ptr<Place> &place : places) {
    ++running;
    threads.emplace_back([this, &place = *place] {
      serve(place);
      --running;
    });
  }
  threads.emplace_back([this] { extendLeases(); });
  threads.emplace_back([this] { greet(); });
  while (!isEnding() && !isStuck()) {
    sleepSeconds(kTickSeconds);
  }
  return finish(hasThreads);
}

WorkerEnd Loop::finish(bool &hasThreads) {
  bool isLost = !isStopping && !isRefused;
  if (isLost && !isBroken) {
    options.say(llvm::formatv("no answer from NATS at {0} for {1:f0} s; the program ends, so that "
                              "its supervisor starts it again",
                              options.nats.url, options.stuckSeconds));
  }
  double limit = monotonicSeconds() + (isLost ? 0 : options.stopSeconds);
  while (running > 0 && monotonicSeconds() < limit) {
    sleepSeconds(kTickSeconds);
  }
  if (!isLost && running == 0) {
    isAbandoned = true; // ends the other threads
    for (std::thread &thread : threads) {
      thread.join();
    }
    return isRefused ? WorkerEnd::Refused : WorkerEnd::Stopped;
  }
  hasThreads = true;
  isAbandoned = true;
  for (std::thread &thread : threads) {
    thread.detach();
  }
  if (isLost) {
    return WorkerEnd::Stuck;
  }
  for (std::unique_ptr<Place> &place : places) {
    release(*place, kNak);
  }
  llvm::consumeError(nats->ping(1)); // sends the answers
  return isRefused ? WorkerEnd::Refused : WorkerEnd::GivenBack;
}

/// Answers the delivery of the work in progress, if there is one.
void Loop::release(Place &place, llvm::StringRef answer) {
  std::lock_guard<std::mutex> lock(place.mutex);
  if (!place.ackSubject.empty()) {
    llvm::consumeError(nats->publish(place.ackSubject, answer));
    place.ackSubject.clear();
    place.trial.clear();
  }
}

std::unique_ptr<PullConsumer> Loop::subscribe() {
  // tuningd creates the consumer when it hears the first hello of a device class.
  llvm::Expected<std::unique_ptr<PullConsumer>> consumer =
      nats->pull(options.stream, options.consumer);
  if (!consumer) {
    llvm::Error error = consumer.takeError();
    if (isProblem(error, NatsProblem::Refused)) {
      refuse(std::move(error));
    } else {
      llvm::consumeError(std::move(error));
    }
    return nullptr;
  }
  llvm::Expected<ConsumerState> state = nats->state(options.stream, options.consumer);
  if (state) {
    leaseSeconds = state->ackWaitSeconds;
  } else {
    llvm::consumeError(state.takeError());
  }
  return std::move(*consumer);
}

void Loop::serve(Place &place) {
  std::unique_ptr<PullConsumer> consumer;
  while (!isEnding()) {
    place.station->rest();
    bool isActive = !place.station->hello().isQuarantined;
    {
      std::lock_guard<std::mutex> lock(place.mutex);
      isActive &= place.state == WorkerState::Active;
    }
    if (!isActive) {
      sleepSeconds(kRetrySeconds);
      continue;
    }
    if (!consumer) {
      consumer = subscribe();
    }
    if (!consumer) {
      sleepSeconds(kRetrySeconds);
      continue;
    }
    llvm::Expected<std::vector<Delivery>> deliveries = consumer->fetch(1, options.fetchSeconds);
    if (!deliveries) {
      llvm::Error error = deliveries.takeError();
      if (isProblem(error, NatsProblem::Refused)) {
        refuse(std::move(error));
        return;
      }
      llvm::consumeError(std::move(error)); // the server restarts
      consumer.reset();
      sleepSeconds(kRetrySeconds);
      continue;
    }
    for (const Delivery &delivery : *deliveries) {
      work(place, delivery);
    }
  }
}

void Loop::work(Place &place, const Delivery &delivery) {
  llvm::Expected<WorkMessage> message = workFromText(delivery.body);
  if (!message) {
    options.say("dropped work: " + llvm::toString(message.takeError()));
    llvm::consumeError(nats->publish(delivery.ackSubject, kTerm));
    return;
  }
  {
    std::lock_guard<std::mutex> lock(place.mutex);
    place.trial = message->trial;
    place.ackSubject = delivery.ackSubject;
  }
  ResultMessage result;
  result.token = {message->epoch, message->attempt, message->issue, delivery.count};
  Completion &completion = result.completion;
  completion.stage = message->stage;
  completion.trial = message->trial;
  completion.attempt = message->attempt;
  completion.worker = place.station->hello().name;
  StartedMessage started{message->stage, message->trial, result.token, completion.worker};
  llvm::consumeError(nats->publish(("started." + name(message->stage)).str(), toText(started)));
  double start = monotonicSeconds();
  if (llvm::Error error = place.station->run(*message, result)) {
    options.say("gave back trial " + message->trial + ": " + llvm::toString(std::move(error)));
    release(place, kNakLater);
    std::string why = place.station->whyBroken();
    if (!why.empty()) {
      options.say(why + "; the program ends, so that its supervisor starts it again");
      isBroken = true;
    }
    sleepSeconds(kRetrySeconds);
    return;
  }
  completion.seconds = monotonicSeconds() - start;
  shorten(completion.message);
  shorten(completion.measurement.message);
  if (publishResult(result)) {
    release(place, kAck);
  }
}

/// Publishes until the server has stored the result. Returns false at the end.
bool Loop::publishResult(const ResultMessage &result) {
  const Completion &completion = result.completion;
  std::string subject =
      ("result." + name(completion.stage) + "." + subjectToken(options.nats.user)).str();
  std::string text = toText(result);
  std::string id = llvm::formatv("{0}/{1}/{2}/{3}/{4}/{5}", completion.trial,
                                 name(completion.stage), result.token.attempt, result.token.epoch,
                                 result.token.issue, result.token.delivery);
  std::string said;
  while (!isAbandoned && !isRefused) {
    llvm::Expected<uint64_t> sequence = nats->store(subject, text, id);
    if (sequence) {
      return true;
    }
    llvm::Error error = sequence.takeError();
    if (isProblem(error, NatsProblem::Refused)) {
      refuse(std::move(error));
      return false;
    }
    std::string problem = llvm::toString(std::move(error));
    if (problem != said) {
      options.say("trial " + completion.trial + ": " + problem + "; trying again");
      said = problem;
    }
    sleepSeconds(kRetrySeconds);
  }
  return false;
}

void Loop::extendLeases() {
  double last = monotonicSeconds();
  while (!isAbandoned) {
    sleepSeconds(kTickSeconds);
    if (monotonicSeconds() - last < leaseSeconds / 3) {
      continue;
    }
    last = monotonicSeconds();
    for (std::unique_ptr<Place> &place : places) {
      std::lock_guard<std::mutex> lock(place->mutex);
      if (!place->ackSubject.empty() && place->station->extendsLease()) {
        llvm::consumeError(nats->publish(place->ackSubject, kInProgress));
      }
    }
  }
}

void Loop::greet() {
  double next = 0;
  while (!isEnding()) {
    if (monotonicSeconds() < next) {
      sleepSeconds(kTickSeconds);
      continue;
    }
    next = monotonicSeconds() + options.helloSeconds;
    if (llvm::Error error = nats->ping(kHelloTimeoutSeconds)) {
      llvm::consumeError(std::move(error)); // isStuck() notices
      continue;
    }
    lastRoundTrip = monotonicSeconds();
    for (std::unique_ptr<Place> &place : places) {
      sayHello(*place);
    }
  }
}

void Loop::sayHello(Place &place) {
  WorkerHello hello = place.station->hello();
  {
    std::lock_guard<std::mutex> lock(place.mutex);
    if (!place.trial.empty() && place.station->extendsLease()) {
      hello.busy.push_back(place.trial);
    }
  }
  llvm::Expected<std::string> answer =
      nats->request("hello." + hello.role, dump(toJson(hello)), kHelloTimeoutSeconds);
  if (!answer) { // no tuningd at the moment
    llvm::Error error = answer.takeError();
    if (isProblem(error, NatsProblem::Refused)) {
      refuse(std::move(error));
    } else {
      llvm::consumeError(std::move(error));
    }
    return;
  }
  llvm::Expected<nlohmann::json> object = parseObject(*answer, "the answer to a hello");
  if (!object) {
    llvm::consumeError(object.takeError());
    return;
  }
  std::optional<WorkerState> state =
      workerStateFromName(JsonFields(*object).text("state", "active"));
  std::lock_guard<std::mutex> lock(place.mutex);
  if (state && place.state != state) {
    bool isNews = place.state || *state != WorkerState::Active;
    place.state = state;
    if (!isNews) {
      return;
    }
    options.say("'" + hello.name + "' is now in the state '" + name(*state).str() + "'");
  }
}

} // namespace

WorkerEnd runWorker(const WorkerOptions &options,
                    std::vector<std::unique_ptr<WorkStation>> stations,
                    const std::atomic<bool> &isStopping) {
  auto loop = std::make_unique<Loop>(options, std::move(stations), isStopping);
  bool hasThreads = false;
  WorkerEnd end = loop->run(hasThreads);
  if (hasThreads) {
    // The threads use it until the process ends.
    [[maybe_unused]] Loop *leaked = loop.release();
  }
  return end;
}

} // namespace convoy::service

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs `convoy-tuningd serve`: opens the ports, waits for the leadership and runs the engine. A
// process that loses the leadership or the database ends with exit code 1; its supervisor starts
// it again as a standby. The state is in the database, so no state has to be undone.

#include "Serve.h"
#include "service/api/GrpcServer.h"
#include "service/api/JsonServer.h"
#include "service/blobs/BlobServer.h"
#include "service/jobs/Engine.h"
#include "service/jobs/LeaderGate.h"
#include "service/jobs/ModelJob.h"
#include "service/queue/NatsDispatcher.h"
#include "service/tls/HttpsServer.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <httplib.h>
#include <iostream>
#include <thread>

namespace convoy::tuningd {
namespace {

using namespace convoy::service;

constexpr auto kLeadPause = std::chrono::milliseconds(500);
constexpr char kVersion[] = "convoy " CONVOY_VERSION;

std::atomic<bool> isStopped{false};
void stopBySignal(int) { isStopped = true; }

void say(const std::string &text) { std::cerr << "convoy-tuningd: " + text + "\n"; }

llvm::Error failure(const llvm::Twine &text) { return llvm::createStringError(text); }

/// The HTTPS port: the JSON interface and the blobs.
class HttpsPort {
public:
  static llvm::Expected<std::unique_ptr<HttpsPort>> start(const ServeOptions &options,
                                                          TuningApi &api, BlobStore &blobs) {
    auto server = makeHttpsServer(TlsFiles::inFolder(options.certificates, "server"));
    if (!server) {
      return server.takeError();
    }
    std::unique_ptr<HttpsPort> port(new HttpsPort(std::move(*server), api, blobs));
    int bound = options.port == 0 ? port->server->bind_to_any_port(options.listen)
                : port->server->bind_to_port(options.listen, options.port) ? options.port
                                                                           : -1;
    if (bound <= 0) {
      return failure("cannot listen on " + options.listen + ":" + llvm::Twine(options.port) +
                     "; choose another port with --port");
    }
    port->number = bound;
    port->thread = std::thread([raw = port.get()] { raw->server->listen_after_bind(); });
    return port;
  }
  ~HttpsPort() {
    json.stop();
    server->stop();
    if (thread.joinable()) {
      thread.join();
    }
  }

  int number = 0;

private:
  HttpsPort(std::unique_ptr<httplib::Server> made, TuningApi &api, BlobStore &blobs)
      : server(std::move(made)), json(api, *server), blobRoutes(*server, blobs) {}

  std::unique_ptr<httplib::Server> server;
  JsonServer json;
  BlobServer blobRoutes;
  std::thread thread;
};

class Daemon {
public:
  explicit Daemon(const ServeOptions &options) : options(options), gate(kVersion) {}

  llvm::Error run() {
    if (llvm::Error error = openParts()) {
      return error;
    }
    say("standby, JSON and blobs on port " + std::to_string(https->number) + ", gRPC on port " +
        std::to_string(grpc->port()));
    while (!isStopped) {
      llvm::Expected<std::optional<int64_t>> epoch = database->tryLead();
      if (!epoch) {
        say(llvm::toString(epoch.takeError()));
      } else if (*epoch) {
        return lead(**epoch);
      }
      std::this_thread::sleep_for(kLeadPause);
    }
    return llvm::Error::success();
  }

private:
  llvm::Error openParts() {
    auto store = store::Store::open({options.database});
    if (!store) {
      return store.takeError();
    }
    database = std::move(*store);
    if (llvm::Error error = database->migrate()) {
      return error;
    }
    BlobStoreOptions blobOptions;
    blobOptions.folder = options.folder + "/blobs";
    blobOptions.unusedHours = options.retainHours;
    blobOptions.maxTotalBytes = static_cast<int64_t>(options.blobGibibytes * (1 << 30));
    auto blobStore = BlobStore::open(blobOptions);
    if (!blobStore) {
      return blobStore.takeError();
    }
    blobs = std::move(*blobStore);
    auto port = HttpsPort::start(options, gate, *blobs);
    if (!port) {
      return port.takeError();
    }
    https = std::move(*port);
    auto grpcServer =
        GrpcServer::start(gate, options.listen + ":" + std::to_string(options.grpcPort),
                          TlsFiles::inFolder(options.certificates, "server"));
    if (!grpcServer) {
      return grpcServer.takeError();
    }
    grpc = std::move(*grpcServer);
    if (!options.portsFile.empty()) {
      // A reader must not see an empty file.
      std::ofstream(options.portsFile + ".new") << https->number << " " << grpc->port() << "\n";
      std::rename((options.portsFile + ".new").c_str(), options.portsFile.c_str());
    }
    return llvm::Error::success();
  }

  llvm::Error lead(int64_t epoch) {
    NatsDispatcherOptions nats;
    nats.nats.url = options.nats;
    nats.nats.tls = TlsFiles::inFolder(options.certificates, "tuningd");
    nats.nats.user = "tuningd";
    nats.epoch = epoch;
    nats.putBlob = [this](llvm::StringRef bytes) { return blobs->put(bytes); };
    nats.ackWaitSeconds = options.leaseSeconds;
    nats.say = say;
    auto dispatcher = NatsDispatcher::create(std::move(nats));
    if (!dispatcher) {
      return dispatcher.takeError();
    }
    NatsDispatcher &queue = **dispatcher;
    auto engine =
        std::make_shared<Engine>(engineOptions(), *database, queue,
                                 Fleet{[&queue] { return queue.workers(); },
                                       [&queue](llvm::StringRef worker, WorkerState state) {
                                         queue.setState(worker, state);
                                       }});
    if (llvm::Error error = engine->load()) {
      return error;
    }
    gate.open(engine);
    say("leads in epoch " + std::to_string(epoch));
    std::thread watcher([&] { watch(*engine, queue); });
    llvm::Error error = engine->run();
    isStopped = true;
    watcher.join();
    gate.open(nullptr);
    https.reset(); // ends the calls that use the engine
    grpc.reset();
    database->resign();
    return error;
  }

  EngineOptions engineOptions() {
    EngineOptions engine;
    engine.version = kVersion;
    engine.loop.policy = options.policy;
    engine.loop.searchThreads = options.searchThreads;
    engine.loop.lostSeconds = options.lostSeconds;
    engine.loop.say = say;
    engine.loop.keepBlob = [this](llvm::StringRef blob) { blobs->find(blob); };
    if (!options.timesFile.empty()) {
      auto file = std::make_shared<std::ofstream>(options.timesFile, std::ios::app);
      if (!*file) {
        say("cannot write '" + options.timesFile + "'; the times of the stages are not recorded");
      }
      engine.loop.noteTime = [file](llvm::StringRef stage, double seconds) {
        *file << stage.str() << ',' << seconds << '\n' << std::flush;
      };
    }
    engine.checkModel = [this](const std::string &model) { return blobs->path(model).takeError(); };
    engine.tasksOfModel = [this](const JobSpec &spec) -> llvm::Expected<std::vector<TaskSpec>> {
      llvm::Expected<std::string> file = blobs->path(spec.model());
      if (!file) {
        return file.takeError();
      }
      return tasksOfModel(*file, spec);
    };
    return engine;
  }

  /// Stops the engine after a signal, when the leadership is lost while nothing is written, and
  /// when a thread of the queue hangs.
  void watch(Engine &engine, const NatsDispatcher &queue) {
    constexpr int kChecks = 20;      // of the signal, per check of the leadership
    constexpr int kCollects = 72000; // of the signal, per collection of blobs: one hour
    for (int i = 0; !isStopped; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (i % kCollects == kCollects - 1) {
        blobs->collect();
      }
      if (i % kChecks != kChecks - 1) {
        continue;
      }
      if (queue.isStuck()) {
        // A thread hangs in libnats, and ending it in good order would wait for it.
        say("the connection to NATS hangs; ending, so that the supervisor starts a standby");
        database->resign();
        std::_Exit(kUserError);
      }
      if (!database->isLeading()) {
        say("lost the leadership; ending, so that the supervisor starts a standby");
        hasLost = true;
        break;
      }
    }
    engine.stop();
  }

public:
  std::atomic<bool> hasLost{false};

private:
  const ServeOptions &options;
  LeaderGate gate;
  std::unique_ptr<store::Store> database;
  std::unique_ptr<BlobStore> blobs;
  std::unique_ptr<HttpsPort> https;
  std::unique_ptr<GrpcServer> grpc;
};

} // namespace

ExitCode serve(const ServeOptions &options) {
  std::signal(SIGTERM, stopBySignal);
  std::signal(SIGINT, stopBySignal);
  std::signal(SIGPIPE, SIG_IGN);
  Daemon daemon(options);
  if (llvm::Error error = daemon.run()) {
    say(llvm::toString(std::move(error)));
    return kUserError;
  }
  return daemon.hasLost ? kUserError : kDone;
}

} // namespace convoy::tuningd

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CLI11 throws; its exceptions end in runProgram().

#include "service/worker/WorkerProgram.h"
#include "llvm/Support/FormatVariadic.h"
#include <csignal>
#include <unistd.h>

namespace convoy::service {
namespace {

constexpr int kUserError = 1;
constexpr int kBug = 3;
constexpr int kRestart = 4;

std::atomic<bool> isStopping{false};
std::string programName = "convoy"; // set once, before threads start

void requestStop(int) { isStopping = true; }

int exitCodeOf(WorkerEnd end) {
  switch (end) {
  case WorkerEnd::Stopped:
  case WorkerEnd::GivenBack:
    return 0;
  case WorkerEnd::Refused:
    return kUserError;
  case WorkerEnd::Stuck:
    return kRestart;
  }
  return kBug;
}

} // namespace

void logLine(const std::string &text) {
  std::string line = programName + ": " + text + "\n";
  // One call, so that lines of threads do not mix.
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

void addWorkerFlags(CLI::App &app, WorkerFlags &flags, const std::string &role) {
  char host[256] = "localhost";
  gethostname(host, sizeof(host) - 1);
  flags.name = std::string(host) + "-" + role;
  flags.user = role;
  app.add_option("--nats", flags.nats, "Connect to this NATS server (tls://host:port).")
      ->required()
      ->type_name("URL");
  app.add_option("--blobs", flags.blobs,
                 "Transfer files with this blob server of convoy-tuningd (https://host:port).")
      ->type_name("URL");
  app.add_option("--certs", flags.certs,
                 "Use ca.crt, USER.crt and USER.key of this folder; USER is the value of --user.")
      ->type_name("DIR");
  app.add_option("--user", flags.user,
                 "Set the name in the certificate, which determines the permissions.")
      ->capture_default_str()
      ->type_name("USER");
  app.add_option("--ca", flags.ca, "Check servers with this authority, instead of --certs.")
      ->type_name("FILE");
  app.add_option("--cert", flags.cert, "Use this certificate, instead of --certs.")
      ->type_name("FILE");
  app.add_option("--key", flags.key, "Use this private key, instead of --certs.")
      ->type_name("FILE");
  app.add_option("--name", flags.name,
                 "Set the name in the list of workers; it must be unique (default: the name of the "
                 "host, then -" +
                     role + ").")
      ->type_name("NAME");
  app.add_option("--cache", flags.cache, "Keep downloaded and temporary files in this folder.")
      ->type_name("DIR");
  app.add_option("--cache-size", flags.cacheMegabytes, "Limit the downloaded files, in MiB.")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->type_name("MIB");
  app.add_option("--stuck-seconds", flags.stuckSeconds,
                 "End with exit code 4 if NATS does not answer for this time.")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->type_name("S");
  app.footer("Exit codes: 0 stopped by SIGTERM, 1 wrong flags or refused certificate, 3 bug, "
             "4 the program must be started again.");
}

void addEmulationFlags(CLI::App &app, WorkerFlags &flags, double seconds) {
  flags.seconds = seconds;
  const char *group = "Emulation";
  app.add_option("--speed", flags.speed, "Divide the times of emulated work by this factor.")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->group(group);
  app.add_option("--seconds", flags.seconds, "Set the time of one emulated trial at speed 1.")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  app.add_option("--count", flags.count,
                 "Emulate this number of workers; their names are NAME-0, NAME-1, ...")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000))
      ->group(group);
  app.add_option("--hang-every", flags.hangEvery,
                 "Hang at each N-th trial without extending the lease, then answer late; 0: never.")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->type_name("N")
      ->group(group);
  app.add_option("--hang-seconds", flags.hangSeconds, "Set the time of a hang.")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(group);
}

llvm::Expected<TlsFiles> tlsFilesOf(const WorkerFlags &flags) {
  TlsFiles files{flags.ca, flags.cert, flags.key};
  if (!flags.certs.empty()) {
    files = TlsFiles::inFolder(flags.certs, flags.user);
  } else if (files.authority.empty() || files.certificate.empty() || files.key.empty()) {
    return llvm::createStringError("expected --certs DIR, or --ca, --cert and --key");
  }
  if (llvm::Error error = checkTlsFiles(files)) {
    return std::move(error);
  }
  return files;
}

llvm::Expected<std::shared_ptr<BlobClient>> blobClientOf(const WorkerFlags &flags) {
  llvm::Expected<TlsFiles> tls = tlsFilesOf(flags);
  if (!tls) {
    return tls.takeError();
  }
  if (flags.blobs.empty() || flags.cache.empty()) {
    return llvm::createStringError("expected --blobs URL and --cache DIR, which only emulated "
                                   "workers do not need");
  }
  BlobClientOptions options;
  options.url = flags.blobs;
  options.tls = *tls;
  options.cache.folder = flags.cache + "/blobs";
  options.cache.maxTotalBytes = flags.cacheMegabytes << 20;
  options.cache.unusedHours = 1;
  llvm::Expected<std::unique_ptr<BlobClient>> client = BlobClient::create(std::move(options));
  if (!client) {
    return client.takeError();
  }
  return std::shared_ptr<BlobClient>(std::move(*client));
}

llvm::Expected<WorkerEnd> serveWork(const WorkerFlags &flags, WorkerOptions options,
                                    std::vector<std::unique_ptr<WorkStation>> stations) {
  llvm::Expected<TlsFiles> tls = tlsFilesOf(flags);
  if (!tls) {
    return tls.takeError();
  }
  options.nats.url = flags.nats;
  options.nats.tls = *tls;
  options.nats.user = flags.user;
  options.stuckSeconds = flags.stuckSeconds;
  options.say = logLine;
  return runWorker(options, std::move(stations), isStopping);
}

int runProgram(CLI::App &app, int argc, char **argv,
               llvm::function_ref<llvm::Expected<WorkerEnd>()> run) {
  programName = app.get_name();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &help) {
    int code = app.exit(help);
    std::cout.flush();
    return code;
  } catch (const CLI::ParseError &error) {
    logLine(error.what());
    return kUserError;
  } catch (...) {
    return kBug;
  }
  signal(SIGTERM, requestStop);
  signal(SIGINT, requestStop);
  signal(SIGPIPE, SIG_IGN);
  llvm::Expected<WorkerEnd> end = run();
  if (!end) {
    logLine(llvm::toString(end.takeError()));
    return kUserError;
  }
  return exitCodeOf(*end);
}

} // namespace convoy::service

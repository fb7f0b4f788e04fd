// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Serve.h"
#include "Verbs.h"
#include "service/scheduler/Policy.h"

namespace convoy::tuningd {
namespace {

std::vector<std::string> policyChoices() {
  std::vector<std::string> names;
  for (std::string_view name : service::scheduler::policyNames()) {
    names.emplace_back(name);
  }
  return names;
}

void addServers(CLI::App &app, ServeOptions &options) {
  app.add_option("--nats", options.nats, "Use this NATS server (tls://host:port).")
      ->required()
      ->type_name("URL");
  app.add_option("--database", options.database,
                 "Use this PostgreSQL database: a connection string or URI of libpq (default: "
                 "libpq's environment, PGHOST and others).")
      ->type_name("TEXT");
  app.add_option("--certs", options.certificates,
                 "Read ca.crt, server.crt, server.key, tuningd.crt and tuningd.key in this folder.")
      ->required()
      ->type_name("DIR");
  app.add_option("--folder", options.folder,
                 "Keep blobs in this folder. The leader and its standby share it.")
      ->required()
      ->type_name("DIR");
}

void addPorts(CLI::App &app, ServeOptions &options) {
  app.add_option("--listen", options.listen, "Listen on this address.")
      ->capture_default_str()
      ->type_name("ADDRESS");
  app.add_option("--port", options.port,
                 "Serve JSON and blobs over HTTPS on this port; 0: a free port.")
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--grpc-port", options.grpcPort, "Serve gRPC on this port; 0: a free port.")
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--ports-file", options.portsFile,
                 "Write the numbers of both ports to this file after the start.")
      ->type_name("FILE");
}

} // namespace

void addServe(CLI::App &app, Run &run) {
  auto shared = std::make_shared<ServeOptions>();
  ServeOptions &options = *shared;
  CLI::App *serve = app.add_subcommand("serve", "Run the tuning service, or wait as its standby.");
  addServers(*serve, options);
  addPorts(*serve, options);
  serve->add_option("--policy", options.policy, "Order the jobs by this policy.")
      ->capture_default_str()
      ->check(CLI::IsMember(policyChoices()))
      ->type_name("NAME");
  serve
      ->add_option("--search-threads", options.searchThreads,
                   "Propose configurations for this number of jobs in parallel.")
      ->capture_default_str()
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  serve
      ->add_option("--lease", options.leaseSeconds,
                   "Give the work of a worker that shows no sign of life for this time to another "
                   "worker, in seconds.")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->type_name("S");
  serve
      ->add_option("--lost", options.lostSeconds,
                   "Restart a stage that has no result after S seconds.")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->type_name("S");
  serve
      ->add_option("--retain-hours", options.retainHours,
                   "Remove blobs that were not used for this time.")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->type_name("H");
  serve
      ->add_option("--blob-limit", options.blobGibibytes,
                   "Limit the size of all blobs. A full folder loses the libraries of candidates "
                   "that were not used for the longest time.")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->type_name("GIB");
  serve
      ->add_option("--times", options.timesFile,
                   "Append the time of each stage to this file, for simulate --times.")
      ->type_name("FILE");
  serve->callback([&run, shared] { run = [shared] { return convoy::tuningd::serve(*shared); }; });
}

} // namespace convoy::tuningd

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the certificates of the user and creates the client.

#include "tools/convoy/service/ServiceClient.h"
#include "Driver/AddProblem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <pwd.h>
#include <unistd.h>

namespace convoy::tool {
namespace {

std::string defaultCerts() {
  const passwd *user = getpwuid(getuid());
  llvm::SmallString<256> path(user ? user->pw_dir : "/");
  llvm::sys::path::append(path, ".config", "convoy", "certs");
  return path.str().str();
}

} // namespace

llvm::Expected<service::TlsFiles> clientFiles(const ServiceFlags &flags) {
  std::string folder = flags.certs.empty() ? defaultCerts() : flags.certs;
  llvm::Expected<service::TlsFiles> files = service::tlsFiles(folder, "client");
  if (!files) {
    return llvm::createStringError("--service-certs: " + llvm::toString(files.takeError()) +
                                   "; expected a folder with ca.crt, client.crt and client.key");
  }
  return files;
}

llvm::Expected<std::unique_ptr<service::TuningApi>> openService(const ServiceFlags &flags,
                                                                llvm::StringRef flag) {
  llvm::Expected<service::TlsFiles> files = clientFiles(flags);
  if (!files) {
    return files.takeError();
  }
  service::JsonClientOptions options;
  options.urls = flags.urls;
  options.files = std::move(*files);
  llvm::Expected<std::unique_ptr<service::JsonClient>> client =
      service::JsonClient::create(options);
  if (!client) {
    return withPrefix(flag + ": ", client.takeError());
  }
  return std::move(*client);
}

ExitCode failCall(llvm::Error error, Console &console) {
  service::ApiError problem = service::takeApiError(std::move(error));
  Problems problems;
  addError(
      problems,
      problem.retrySeconds > 0
          ? llvm::formatv("{0}; try again in {1:f0} s", problem.message, problem.retrySeconds).str()
          : problem.message);
  return fail(problems, console);
}

} // namespace convoy::tool

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process reads requests from a socket, one line of JSON each, and writes one line per
// answer. It ends when the other end of the socket is closed.

#include "service/worker/BuildProcess.h"
#include "Support/TemporaryFolder.h"
#include "service/queue/JsonFields.h"
#include "service/queue/Messages.h"
#include "tuning/measure/TaskData.h"
#include "tuning/network/BuildNetwork.h"
#include "tuning/records/ListedMeasurements.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <deque>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace convoy::tuning;
using nlohmann::json;

namespace convoy::service {
namespace {

// The data of a task takes up to some ten megabytes.
constexpr size_t kMaxTasks = 16;
// The jobs of a pool take turns, so a task comes back after many others. The reference takes up to
// seconds, and its results take up to a few megabytes.
constexpr size_t kMaxSaved = 256;

/// Writes a line. Returns false if the other side has closed.
bool sendLine(int socket, std::string line) {
  line += '\n';
  for (llvm::StringRef rest = line; !rest.empty();) {
    ssize_t count = ::send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    rest = rest.drop_front(count > 0 ? static_cast<size_t>(count) : 0);
  }
  return true;
}

/// Reads a line without its end. Returns nothing if the other side has closed.
std::optional<std::string> receiveLine(int socket) {
  std::string line;
  char buffer[65536];
  while (line.empty() || line.back() != '\n') {
    ssize_t count = recv(socket, buffer, sizeof(buffer), 0);
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return std::nullopt;
    }
    line.append(buffer, count > 0 ? static_cast<size_t>(count) : 0);
  }
  line.pop_back();
  return line;
}

/// The side of the process.
class Server {
public:
  Server(int socket, std::string folder) : socket(socket), folder(std::move(folder)) {}

  void run() {
    while (std::optional<std::string> line = receiveLine(socket)) {
      ResultMessage answer;
      if (llvm::Error error = build(*line, answer.completion)) {
        answer.completion.outcome = Outcome::BuildError;
        answer.completion.message = llvm::toString(std::move(error));
      }
      if (!sendLine(socket, toText(answer))) {
        return;
      }
    }
  }

private:
  llvm::Error build(llvm::StringRef line, Completion &completion) {
    llvm::Expected<json> object = parseObject(line, "a build request");
    if (!object) {
      return object.takeError();
    }
    JsonFields fields(*object);
    llvm::Expected<targets::Target> target = targets::parseTarget(fields.text("target"), "target");
    if (!target) {
      return target.takeError();
    }
    return object->contains("model") ? buildWhole(fields, *target, completion)
                                     : buildTask(fields, std::move(*target), completion);
  }

  llvm::Error buildTask(JsonFields &fields, targets::Target target, Completion &completion) {
    std::string name = fields.text("name", "");
    // A message carries the configuration in its JSON form.
    llvm::Expected<WorkMessage> work = workFromText(dump(fields.part("work")));
    if (!work) {
      return work.takeError();
    }
    Task task{fields.text("task"), name};
    llvm::Expected<TaskData *> data = dataOf(task);
    if (!data) {
      return data.takeError();
    }
    BatchOptions options;
    options.build = {std::move(target), folder};
    options.processes = 1;
    options.timeoutSeconds = fields.number("timeoutSeconds", options.timeoutSeconds);
    // A constant name gives equal candidates equal libraries.
    std::vector<BuildResult> results =
        buildBatch({BuildRequest{task, work->configuration}}, options, "candidate");
    if (!results.front().isBuilt()) {
      return llvm::createStringError(results.front().problem + ": " + results.front().message);
    }
    llvm::Expected<RunnableCandidate> candidate =
        (*data)->candidateOf(work->configuration, results.front().candidate);
    if (!candidate) {
      return candidate.takeError();
    }
    completion.candidate = std::move(*candidate);
    return llvm::Error::success();
  }

  /// Builds a network twice. Equal kernels need no second library.
  llvm::Error buildWhole(JsonFields &fields, const targets::Target &target,
                         Completion &completion) {
    std::string place = folder + "/network";
    (void)llvm::sys::fs::remove_directories(place);
    // A model of a user may crash its reader, so the child processes read it.
    NetworkSource source{nullptr, fields.text("model")};
    llvm::Expected<BestByTask> best = bestFromText(fields.text("best", "{}"));
    if (!best) {
      return best.takeError();
    }
    CompileRequest request;
    request.schedule.threads = fields.integer("threads", 1);
    request.output.name = fields.text("name", "");
    // A compile reads the description of a target from a file.
    request.target.name = place + "/target.json";
    if (std::error_code error = llvm::sys::fs::create_directories(place)) {
      return llvm::createStringError("cannot create '" + place + "': " + error.message());
    }
    if (llvm::Error error = writeFile(request.target.name, targets::toJson(target))) {
      return error;
    }
    double timeoutSeconds = fields.number("timeoutSeconds", NetworkRequest().timeoutSeconds);
    auto build = [&](llvm::StringRef kind, std::shared_ptr<const Measurements> measurements) {
      request.output.folder = (place + "/" + kind).str();
      auto prepare = [&](CompileRequest &own) {
        own.measurements = measurements;
        return llvm::Error::success();
      };
      // Half of the time for each of the two builds.
      return buildNetwork(source, request, target, place, prepare, timeoutSeconds / 2);
    };
    llvm::Expected<NetworkCode> byDefault = build("default", nullptr);
    if (!byDefault) {
      return byDefault.takeError();
    }
    auto listed = std::make_shared<ListedMeasurements>(sha256(bestToText(*best)), *best);
    llvm::Expected<NetworkCode> fastest = build("fastest", listed);
    if (!fastest) {
      return fastest.takeError();
    }
    BuiltNetwork &network = completion.network.emplace();
    network.files = filesOf(*fastest);
    if (fastest->kernels != byDefault->kernels) {
      network.defaultFiles = filesOf(*byDefault);
      network.byDefault = std::move(byDefault->candidate);
    }
    completion.candidate = std::move(fastest->candidate);
    return llvm::Error::success();
  }

  static std::vector<NetworkFile> filesOf(const NetworkCode &code) {
    std::vector<NetworkFile> files;
    for (const std::string &path : {code.candidate.library, code.header}) {
      uint64_t bytes = 0;
      if (!path.empty() && !llvm::sys::fs::file_size(path, bytes)) {
        files.push_back({llvm::sys::path::filename(path).str(), path, static_cast<int64_t>(bytes)});
      }
    }
    return files;
  }

  llvm::Expected<TaskData *> dataOf(const Task &task) {
    std::string key = task.key();
    auto found = tasks.find(key);
    if (found != tasks.end()) {
      order.erase(llvm::find(order, key));
      order.push_back(key);
      return &found->second;
    }
    std::string place = folder + "/" + key.substr(0, 16);
    if (std::error_code error = llvm::sys::fs::create_directories(place)) {
      return llvm::createStringError("cannot create '" + place + "': " + error.message());
    }
    llvm::Expected<TaskData> data = loadOrCompute(task, place);
    if (!data) {
      return data.takeError();
    }
    if (order.size() >= kMaxTasks) {
      (void)llvm::sys::fs::remove_directories(folder + "/" + order.front().substr(0, 16));
      tasks.erase(order.front());
      order.pop_front();
    }
    order.push_back(key);
    return &tasks.emplace(key, std::move(*data)).first->second;
  }

  /// Runs the reference, unless this process has run it for the task.
  llvm::Expected<TaskData> loadOrCompute(const Task &task, const std::string &place) {
    std::string path = place + ".expected";
    if (llvm::is_contained(saved, path)) {
      llvm::Expected<TaskData> data = TaskData::load(task, place, path);
      if (data) {
        return data;
      }
      llvm::consumeError(data.takeError()); // another program has removed the file
      return TaskData::compute(task, place);
    }
    llvm::Expected<TaskData> data = TaskData::compute(task, place);
    if (!data) {
      return data;
    }
    if (llvm::Error error = data->save(path)) {
      llvm::consumeError(std::move(error)); // the disk is full: the reference runs again
      return data;
    }
    saved.push_back(path);
    if (saved.size() > kMaxSaved) {
      [[maybe_unused]] std::error_code ignored = llvm::sys::fs::remove(saved.front());
      saved.pop_front();
    }
    return data;
  }

  int socket;
  std::string folder;
  std::map<std::string, TaskData> tasks;
  std::deque<std::string> order; // of use, the oldest first
  std::deque<std::string> saved; // files with the results of the reference, the oldest first
};

} // namespace

llvm::Expected<BuildProcess> BuildProcess::start(std::string folder) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder)) {
    return llvm::createStringError("cannot create '" + folder + "': " + error.message());
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return llvm::createStringError("cannot create a socket: " +
                                   std::generic_category().message(errno));
  }
  std::optional<io::ChildProcess> child = io::ChildProcess::start([&](int) {
    close(ends[0]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent ends this process when it stops.
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    Server(ends[1], folder).run();
  });
  int reason = errno;
  close(ends[1]);
  if (!child) {
    close(ends[0]);
    return llvm::createStringError("cannot start a build process: " +
                                   std::generic_category().message(reason));
  }
  return BuildProcess(std::move(*child), ends[0]);
}

BuildProcess::BuildProcess(BuildProcess &&other) noexcept
    : process(std::move(other.process)), socket(std::exchange(other.socket, -1)) {}

BuildProcess::~BuildProcess() {
  if (socket >= 0) {
    close(socket);
    process.kill();
    process.wait();
  }
}

llvm::Expected<BuildAnswer> BuildProcess::build(const std::string &taskText,
                                                const std::string &targetJson,
                                                const Configuration &configuration,
                                                double timeoutSeconds) {
  WorkMessage work;
  work.configuration = configuration;
  json request{{"task", taskText},
               {"target", targetJson},
               {"work", json::parse(toText(work), nullptr, false)},
               {"timeoutSeconds", timeoutSeconds}};
  return ask(dump(request));
}

llvm::Expected<BuildAnswer> BuildProcess::buildNetwork(const NetworkRequest &request) {
  return ask(dump(json{{"model", request.modelPath},
                       {"name", request.name},
                       {"target", request.targetJson},
                       {"best", request.best},
                       {"timeoutSeconds", request.timeoutSeconds},
                       {"threads", request.threads}}));
}

llvm::Expected<BuildAnswer> BuildProcess::ask(const std::string &request) {
  std::optional<std::string> line;
  if (sendLine(socket, request)) {
    line = receiveLine(socket);
  }
  if (!line) {
    return llvm::createStringError("the build process has ended");
  }
  llvm::Expected<ResultMessage> answer = resultFromText(*line);
  if (!answer) {
    return answer.takeError();
  }
  Completion &completion = answer->completion;
  return BuildAnswer{completion.outcome, completion.message, std::move(completion.candidate),
                     std::move(completion.network)};
}

} // namespace convoy::service

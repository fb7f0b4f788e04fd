// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A socket connects to each process. Requests and answers are lines of JSON. If a process ends, its
// request has failed, and a new process takes the next request. If a signal from outside has ended
// the process, a new process takes the same request.

#include "tuning/build/WorkerPool.h"
#include "Support/Json.h"
#include "Support/MonotonicClock.h"
#include "io/ChildProcess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <csignal>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace convoy::tuning {
namespace {

namespace json = llvm::json;

std::string lineOf(json::Object object) {
  return llvm::formatv("{0}\n", json::Value(std::move(object)));
}

void pinTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  // A CPU that has become unavailable only costs the separation from measurements.
  sched_setaffinity(0, sizeof(set), &set);
}

/// Requests need about the same memory one after the other. Returning it to the system and
/// getting it again would cost a page fault for each 4 KiB.
void keepFreedMemory() {
  constexpr int kKeptBytes = 256 << 20;
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  mallopt(M_TOP_PAD, 16 << 20);
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
}

/// Reads until the end of a line. Returns false if the other side is gone.
bool readLine(int socket, std::string &line) {
  line.clear();
  char buffer[65536];
  while (line.empty() || line.back() != '\n') {
    ssize_t count = recv(socket, buffer, sizeof(buffer), 0);
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return false;
    }
    line.append(buffer, static_cast<size_t>(std::max<ssize_t>(count, 0)));
  }
  return true;
}

bool sendAll(int socket, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t count = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    text = text.drop_front(count > 0 ? static_cast<size_t>(count) : 0);
  }
  return true;
}

/// The limit of the elapsed time, as a multiple of the limit of the CPU time.
constexpr double kElapsedFactor = 10;

/// Returns the CPU time of all threads of a process, or 0 if the process has ended.
double cpuSeconds(pid_t process) {
  clockid_t clock;
  timespec time = {};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) {
    return 0;
  }
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The times that a request starts again after a signal from outside.
constexpr int kRepeats = 2;

/// Returns whether another program ended the process, such as the kernel without free memory. The
/// signals of a crash are different.
bool isEndedFromOutside(int status) {
  return WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM ||
                                 WTERMSIG(status) == SIGHUP || WTERMSIG(status) == SIGQUIT);
}

std::string endOf(int status) {
  return WIFSIGNALED(status)
             ? "the build process was ended by signal " + std::to_string(WTERMSIG(status))
             : "the build process ended with exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace

WorkerPool::WorkerPool(Work work, WorkerPoolOptions given)
    : work(std::move(work)), options(std::move(given)) {
  for (int cpu : options.cpus) {
    workers.emplace_back().cpu = cpu;
  }
  start();
}

WorkerPool::~WorkerPool() {
  for (Worker &worker : workers) {
    if (worker.process != 0) {
      kill(worker.process, SIGKILL);
      close(worker.socket);
      while (waitpid(worker.process, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }
}

size_t WorkerPool::running() const {
  return static_cast<size_t>(
      llvm::count_if(workers, [](const Worker &worker) { return worker.process != 0; }));
}

void WorkerPool::start() {
  std::lock_guard<std::mutex> lock(mutex);
  for (Worker &worker : workers) {
    if (worker.process == 0) {
      start(worker);
    }
  }
}

void WorkerPool::start(Worker &worker) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return;
  }
  // The process uses the socket instead of its pipe.
  std::optional<io::ChildProcess> child = io::ChildProcess::start([&, parent = getpid()](int) {
    // A paused process would not notice the end of the tuner.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    for (const Worker &other : workers) {
      if (other.process != 0) {
        close(other.socket);
      }
    }
    if (getppid() == parent) {
      serve(ends[1], worker.cpu);
    }
  });
  close(ends[1]);
  if (!child) {
    close(ends[0]);
    return;
  }
  int cpu = worker.cpu;
  worker = Worker();
  worker.cpu = cpu;
  worker.process = child->id();
  worker.socket = ends[0];
  setPaused(worker, llvm::is_contained(busyCpus, cpu));
}

void WorkerPool::serve(int socket, int cpu) const {
  keepFreedMemory();
  // Ctrl-C is for the tuner, which stores its results before it ends this process.
  signal(SIGINT, SIG_IGN);
  if (cpu >= 0) {
    pinTo(cpu);
  }
  std::string line;
  while (readLine(socket, line)) {
    llvm::Expected<json::Value> request = parseJson(line);
    if (!request || !request->getAsObject() ||
        !sendAll(socket, lineOf(work(*request->getAsObject())))) {
      break;
    }
  }
}

uint64_t WorkerPool::submit(json::Object request, double timeoutSeconds) {
  queue.push_back({++lastTicket, lineOf(std::move(request)),
                   timeoutSeconds > 0 ? timeoutSeconds : options.timeoutSeconds, 0});
  return lastTicket;
}

std::vector<uint64_t> WorkerPool::drop() {
  std::vector<uint64_t> tickets;
  for (const Request &request : queue) {
    tickets.push_back(request.ticket);
  }
  queue.clear();
  return tickets;
}

size_t WorkerPool::unanswered() const {
  return queue.size() + static_cast<size_t>(llvm::count_if(
                            workers, [](const Worker &worker) { return worker.ticket != 0; }));
}

void WorkerPool::give(Worker &worker) {
  std::lock_guard<std::mutex> lock(mutex);
  if (queue.empty() || worker.process == 0 || worker.ticket != 0) {
    return;
  }
  // If the process has just ended, the end of its socket reports this request as failed.
  if (!sendAll(worker.socket, queue.front().line)) {
    return; // the process has ended; another one takes the request
  }
  worker.request = std::move(queue.front());
  worker.ticket = worker.request.ticket;
  worker.started = monotonicSeconds();
  worker.startedCpu = cpuSeconds(worker.process);
  worker.pausedAt = worker.started;
  worker.pausedSeconds = 0;
  queue.pop_front();
}

double WorkerPool::runningSeconds(const Worker &worker) {
  double end = worker.isPaused ? worker.pausedAt : monotonicSeconds();
  return end - worker.started - worker.pausedSeconds;
}

double WorkerPool::remainingSeconds(const Worker &worker) {
  double limit = worker.request.timeoutSeconds;
  return std::min(limit - (cpuSeconds(worker.process) - worker.startedCpu),
                  limit * kElapsedFactor - runningSeconds(worker));
}

void WorkerPool::setPaused(Worker &worker, bool isPaused) {
  if (worker.process == 0 || worker.isPaused == isPaused) {
    return;
  }
  kill(worker.process, isPaused ? SIGSTOP : SIGCONT);
  if (isPaused) {
    worker.pausedAt = monotonicSeconds();
  } else if (worker.ticket != 0) {
    worker.pausedSeconds += monotonicSeconds() - worker.pausedAt;
  }
  worker.isPaused = isPaused;
}

void WorkerPool::pauseOn(llvm::ArrayRef<int> cpus) {
  std::lock_guard<std::mutex> lock(mutex);
  busyCpus = cpus.vec();
  for (Worker &worker : workers) {
    // A process without a CPU may run on each CPU.
    setPaused(worker, worker.cpu < 0 ? !cpus.empty() : llvm::is_contained(cpus, worker.cpu));
  }
}

void WorkerPool::killLate() {
  std::lock_guard<std::mutex> lock(mutex);
  for (Worker &worker : workers) {
    if (worker.ticket != 0 && !worker.isLate && remainingSeconds(worker) < 0) {
      worker.isLate = true;
      kill(worker.process, SIGKILL);
    }
  }
}

int WorkerPool::pollMilliseconds(double seconds) const {
  std::lock_guard<std::mutex> lock(mutex);
  for (const Worker &worker : workers) {
    if (worker.ticket != 0 && !worker.isPaused) {
      seconds = std::min(seconds, remainingSeconds(worker));
    }
  }
  return static_cast<int>(std::max(seconds, 0.0) * 1e3) + 1;
}

void WorkerPool::takeEnd(Worker &worker, std::vector<WorkerAnswer> &answers) {
  std::lock_guard<std::mutex> lock(mutex);
  close(worker.socket);
  kill(worker.process, SIGKILL);
  int status = 0;
  while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
  }
  if (worker.ticket != 0 && !worker.isLate && worker.request.repeats < kRepeats &&
      isEndedFromOutside(status)) {
    ++worker.request.repeats;
    queue.push_front(std::move(worker.request));
  } else if (worker.ticket != 0) {
    WorkerAnswer answer;
    answer.ticket = worker.ticket;
    answer.seconds = runningSeconds(worker);
    answer.problem = worker.isLate ? "time-out" : "crash";
    answer.message =
        worker.isLate
            ? llvm::formatv("the build exceeded {0:f0} s", worker.request.timeoutSeconds).str()
            : endOf(status);
    answers.push_back(std::move(answer));
  }
  int cpu = worker.cpu;
  worker = Worker();
  worker.cpu = cpu;
}

void WorkerPool::takeAnswer(Worker &worker, std::vector<WorkerAnswer> &answers) {
  char buffer[65536];
  ssize_t count = recv(worker.socket, buffer, sizeof(buffer), MSG_DONTWAIT);
  if (count <= 0) {
    if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      takeEnd(worker, answers);
    }
    return;
  }
  worker.received.append(buffer, static_cast<size_t>(count));
  if (worker.received.back() != '\n') {
    return;
  }
  WorkerAnswer answer;
  answer.ticket = worker.ticket;
  llvm::Expected<json::Value> value = parseJson(worker.received);
  if (value && value->getAsObject()) {
    answer.content = std::move(*value->getAsObject());
  } else {
    llvm::consumeError(value.takeError());
    answer.problem = "crash";
    answer.message =
        "the build process wrote an invalid answer: '" + worker.received.substr(0, 80) + "'";
  }
  std::lock_guard<std::mutex> lock(mutex);
  answer.seconds = runningSeconds(worker);
  worker.ticket = 0;
  worker.received.clear();
  answers.push_back(std::move(answer));
}

std::vector<WorkerAnswer> WorkerPool::wait(double seconds, int other) {
  double end = monotonicSeconds() + seconds;
  size_t before = running();
  std::vector<WorkerAnswer> answers;
  while (true) {
    std::vector<pollfd> files = {{other, POLLIN, 0}};
    std::vector<Worker *> of;
    for (Worker &worker : workers) {
      give(worker);
      if (worker.process != 0) {
        files.push_back({worker.socket, POLLIN, 0});
        of.push_back(&worker);
      }
    }
    double left = end - monotonicSeconds();
    poll(files.data(), files.size(), answers.empty() ? pollMilliseconds(left) : 0);
    for (size_t i = 0; i < of.size(); ++i) {
      if (files[i + 1].revents) {
        takeAnswer(*of[i], answers);
      }
    }
    killLate();
    bool isIdle = llvm::none_of(files, [](const pollfd &file) { return file.revents != 0; });
    if (files[0].revents || left <= 0 || running() < before || (isIdle && !answers.empty())) {
      return answers;
    }
  }
}

} // namespace convoy::tuning

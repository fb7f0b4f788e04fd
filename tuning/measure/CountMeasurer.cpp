// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one emulator per candidate and polls them, so that one thread can wait for several.

#include "tuning/measure/CountMeasurer.h"
#include "Driver/Backends/Micro/MicroElf.h"
#include "Driver/Backends/Micro/MicroFiles.h"
#include "Support/MonotonicClock.h"
#include "Support/OutputFile.h"
#include "Support/StartProgram.h"
#include "Targets/AllowedCommands.h"
#include "tuning/measure/ExpectedPoints.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Triple.h"
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fs = llvm::sys::fs;

namespace convoy::tuning {
namespace {

/// The time limits of plans are for machines. An emulator that counts is slower.
constexpr double kEmulationFactor = 6;
constexpr std::chrono::milliseconds kPoll(1);

const std::vector<std::string> &emulatorOf(const targets::Target &target) {
  return target.toolchain ? target.toolchain->emulator.command : target.emulator;
}

std::string fileIn(llvm::StringRef folder, llvm::StringRef name, size_t index) {
  return (folder + "/" + name + "_" + llvm::Twine(index)).str();
}

std::string readText(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Starts a command whose output goes to a file. The command ends with this process, because a
/// candidate may run for ever. Ctrl-C is for the tuner, which keeps the result of this run.
llvm::Expected<pid_t> spawn(llvm::ArrayRef<std::string> command, const std::string &log) {
  ProgramStart how;
  how.output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (how.output < 0) {
    return llvm::createStringError("cannot write '" + log +
                                   "': " + std::generic_category().message(errno));
  }
  how.errors = how.output;
  how.leadsGroup = how.endsWithParent = true;
  llvm::Expected<pid_t> process = startProgram(command, how);
  close(how.output);
  return process;
}

/// Reads the counts of the plug-in: instructions outside of the run have number 0.
std::optional<Sample> readCounts(const std::string &path) {
  std::string text = readText(path);
  Sample sample;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    auto [key, value] = line.split(' ');
    int64_t number = 0, count = 0;
    if (value.getAsInteger(10, count)) {
      return std::nullopt;
    }
    if (key == "cycles") {
      sample.cpuNs = count;
    } else if (!key.getAsInteger(10, number) && number > 0) {
      sample.wallNs += count;
    }
  }
  return sample.wallNs > 0 ? std::optional(sample) : std::nullopt;
}

/// Compares the outputs of a run. Returns the first difference, or an empty text.
llvm::Expected<std::string> whatIsWrong(const RunnableCandidate &candidate,
                                        llvm::StringRef folder) {
  for (auto [i, output] : llvm::enumerate(candidate.outputs)) {
    std::string result = readText(fileIn(folder, "output", i));
    if (static_cast<int64_t>(result.size()) != output.bytes) {
      return llvm::formatv("output {0} has {1} bytes, expected {2}", i, result.size(), output.bytes)
          .str();
    }
    if (output.expected.empty()) {
      continue;
    }
    llvm::Expected<std::string> problem = compareWithPoints(output.expected, result);
    if (!problem || !problem->empty()) {
      return problem ? "output " + std::to_string(i) + ", " + *problem : std::move(problem);
    }
  }
  return std::string();
}

Measurement failed(Outcome outcome, std::string message) {
  Measurement measurement;
  measurement.outcome = outcome;
  measurement.message = std::move(message);
  return measurement;
}

/// Returns the measurement of a run that ended without an error.
Measurement measurementOf(const RunnableCandidate &candidate, llvm::StringRef folder) {
  llvm::Expected<std::string> problem = whatIsWrong(candidate, folder);
  if (!problem) {
    return failed(Outcome::Crash, llvm::toString(problem.takeError()));
  }
  if (!problem->empty()) {
    return failed(Outcome::WrongResult, *problem);
  }
  std::optional<Sample> sample = readCounts((folder + "/counts").str());
  if (!sample) {
    return failed(Outcome::Crash, "the emulator wrote no instruction counts; the plug-in needs "
                                  "QEMU 6.1 to 8.1");
  }
  Measurement measurement;
  measurement.samples.push_back(*sample);
  return measurement;
}

} // namespace

llvm::Expected<std::unique_ptr<CountMeasurer>> CountMeasurer::create(CountOptions options) {
  const std::string target = options.target.name;
  const std::vector<std::string> &command = emulatorOf(options.target);
  if (command.empty()) {
    return llvm::createStringError("cannot count instructions for target '" + target +
                                   "': its description names no emulator");
  }
  if (llvm::Error error = targets::checkMayRun(command)) {
    return std::move(error);
  }
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(command.front());
  if (!program) {
    return llvm::createStringError("cannot count instructions for target '" + target +
                                   "': its emulator '" + command.front() +
                                   "' is not on the path; install it");
  }
  std::unique_ptr<CountMeasurer> measurer(new CountMeasurer(std::move(options)));
  measurer->emulator = *program;
  if (llvm::Error error = measurer->folder.createInSystem()) {
    return std::move(error);
  }
  if (llvm::Error error = writeFile(measurer->folder.file("count.so"), driver::countingPlugin())) {
    return std::move(error);
  }
  return measurer;
}

/// Creates the folder of a run with its inputs.
llvm::Error CountMeasurer::prepareFolder(const RunnableCandidate &candidate,
                                         llvm::StringRef into) const {
  (void)fs::remove_directories(into);
  if (std::error_code error = fs::create_directories(into)) {
    return llvm::createStringError("cannot create '" + into + "': " + error.message());
  }
  for (auto [i, input] : llvm::enumerate(candidate.inputs)) {
    if (std::error_code error = fs::create_link(input.file, fileIn(into, "input", i))) {
      return llvm::createStringError("cannot create a link to '" + input.file +
                                     "': " + error.message());
    }
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::string>>
CountMeasurer::commandLine(const RunnableCandidate &candidate, llvm::StringRef into) const {
  std::vector<std::string> command = {emulator};
  llvm::append_range(command, llvm::drop_begin(emulatorOf(options.target)));
  std::string plugin = driver::optionPath(folder.file("count.so")) +
                       ",out=" + driver::optionPath(into) + "/counts" +
                       driver::cyclesOption(options.target);
  if (options.target.toolchain) {
    llvm::Expected<driver::MicroElf> elf = driver::readMicroElf(candidate.library);
    if (!elf) {
      return elf.takeError();
    }
    if (llvm::Error error = writeFile((into + "/marks").str(), elf->marks)) {
      return std::move(error);
    }
    llvm::append_range(command, driver::emulationArguments(candidate.library, into));
    command.insert(command.end(),
                   {"-plugin", plugin + ",marks=" + driver::optionPath(into) + "/marks"});
    return command;
  }
  bool isRiscv = llvm::Triple(options.target.triple).isRISCV();
  command.insert(command.end(), {"-plugin", plugin + ",marked=" + (isRiscv ? "riscv" : "aarch64")});
  if (!options.runner.empty()) {
    command.push_back(options.runner);
  }
  command.push_back(candidate.library);
  for (size_t i = 0; i < candidate.inputs.size(); ++i) {
    command.push_back(fileIn(into, "input", i));
  }
  for (size_t i = 0; i < candidate.outputs.size(); ++i) {
    command.push_back(fileIn(into, "output", i));
  }
  return command;
}

llvm::Error CountMeasurer::start(const RunnableCandidate &candidate, Run &run) const {
  if (llvm::Error error = prepareFolder(candidate, run.folder)) {
    return error;
  }
  llvm::Expected<std::vector<std::string>> command = commandLine(candidate, run.folder);
  if (!command) {
    return command.takeError();
  }
  run.begin = monotonicSeconds();
  llvm::Expected<pid_t> process = spawn(*command, run.folder + "/log");
  if (!process) {
    return process.takeError();
  }
  run.process = *process;
  return llvm::Error::success();
}

std::optional<Measurement> CountMeasurer::finish(const RunnableCandidate &candidate,
                                                 const MeasurePlan &plan, Run &run) {
  constexpr size_t kShownCharacters = 1000;
  int status = 0;
  if (waitpid(run.process, &status, WNOHANG) == 0) {
    double limit = plan.timeoutMs * 1e-3 * kEmulationFactor;
    if (monotonicSeconds() - run.begin < limit) {
      return std::nullopt;
    }
    kill(run.process, SIGKILL);
    waitpid(run.process, &status, 0);
    return failed(Outcome::TimeOut,
                  llvm::formatv("the emulator did not finish within {0:f0} s", limit).str());
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return measurementOf(candidate, run.folder);
  }
  std::string log = readText(run.folder + "/log").substr(0, kShownCharacters);
  std::string end = WIFSIGNALED(status) ? "by signal " + std::to_string(WTERMSIG(status))
                                        : "with code " + std::to_string(WEXITSTATUS(status));
  return failed(Outcome::Crash, "the program ended " + end +
                                    " in the emulator: " + llvm::StringRef(log).trim().str());
}

llvm::Expected<std::vector<Measurement>>
CountMeasurer::measure(llvm::ArrayRef<RunnableCandidate> candidates, const MeasurePlan &plan) {
  std::vector<Measurement> results(candidates.size());
  std::vector<Run> runs;
  size_t next = 0;
  while (next < candidates.size() || !runs.empty()) {
    while (next < candidates.size() && runs.size() < options.processes) {
      Run run;
      run.candidate = next;
      run.folder = folder.file("run_" + llvm::Twine(next));
      if (llvm::Error error = start(candidates[next], run)) {
        results[next] = failed(Outcome::Crash, llvm::toString(std::move(error)));
      } else {
        runs.push_back(std::move(run));
      }
      ++next;
    }
    llvm::erase_if(runs, [&](Run &run) {
      std::optional<Measurement> done = finish(candidates[run.candidate], plan, run);
      if (done) {
        results[run.candidate] = std::move(*done);
      }
      return done.has_value();
    });
    std::this_thread::sleep_for(kPoll);
  }
  return results;
}

} // namespace convoy::tuning

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links with LLD as a library, so that compiling a model needs no installed linker. LLD keeps
// its state in globals, so only one link may run at a time. LLD ends the process if it cannot write
// its output, so it writes to a pipe, whose other end writes the file.

#include "Codegen/LLVM/Library.h"
#include "Support/OutputFile.h"
#include "lld/Common/Driver.h"
#include <fcntl.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace convoy::codegen {
namespace {

/// A file that another thread fills from a pipe.
class PipedFile {
public:
  PipedFile(const std::string &path, std::error_code &error) {
    constexpr mode_t kFileMode = 0777; // less the umask; LLD's mode of a library
    file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kFileMode);
    if (file < 0 || pipe2(ends, O_CLOEXEC) != 0) {
      error = lastError();
      return;
    }
    copier = std::thread([this] { copy(); });
  }
  PipedFile(const PipedFile &) = delete;
  PipedFile &operator=(const PipedFile &) = delete;
  ~PipedFile() {
    finish();
    if (file >= 0) {
      close(file);
    }
  }

  /// The path under which the writing end of the pipe opens a second time.
  std::string path() const { return "/dev/fd/" + std::to_string(ends[1]); }

  /// Waits for the bytes. Returns the error of a write.
  std::error_code finish() {
    if (copier.joinable()) {
      close(ends[1]);
      copier.join();
      close(ends[0]);
    }
    return problem;
  }

private:
  /// Reads to the end also after an error, because LLD waits for the reader.
  void copy() {
    std::vector<char> buffer(1 << 20);
    for (;;) {
      ssize_t bytes = read(ends[0], buffer.data(), buffer.size());
      if (bytes == 0 || (bytes < 0 && errno != EINTR)) {
        return;
      }
      if (bytes > 0 && !problem) {
        write(buffer.data(), static_cast<size_t>(bytes));
      }
    }
  }

  void write(const char *bytes, size_t left) {
    while (left > 0) {
      ssize_t written = ::write(file, bytes, left);
      if (written < 0 && errno != EINTR) {
        problem = lastError();
        return;
      }
      size_t done = written > 0 ? static_cast<size_t>(written) : 0;
      bytes += done;
      left -= done;
    }
  }

  int file = -1;
  int ends[2] = {-1, -1};
  std::thread copier;
  std::error_code problem;
};

/// Returns the error of a link. LLD reports errors of the system as text only, with the words of
/// the system.
llvm::Error explainFailure(llvm::StringRef messages, llvm::StringRef output) {
  std::error_code noMemory = std::make_error_code(std::errc::not_enough_memory);
  return llvm::createStringError(
      messages.contains(noMemory.message()) ? noMemory : llvm::inconvertibleErrorCode(),
      "linking '" + output + "' failed: " + messages.trim());
}

} // namespace

llvm::Error linkLibrary(llvm::ArrayRef<std::string> inputs, llvm::StringRef soname,
                        llvm::StringRef output, llvm::StringRef shown, bool isBare) {
  std::error_code reason;
  PipedFile file(output.str(), reason);
  if (reason) {
    return cannotWrite(shown, reason);
  }
  // The symbols of the C library stay undefined, and no library is named. The program that
  // loads the model provides the C library.
  std::vector<std::string> arguments = {
      "ld.lld", "-shared", "-soname=" + soname.str(), "--gc-sections", "--hash-style=gnu",
      // The table of the model points to functions of this library, also if another library exports
      // their names.
      "-Bsymbolic-functions", "-znow", "-zrelro", "-znoexecstack",
      // Only custom ops have a shared library as input, the library of mathematics.
      "--as-needed",
      // The tuner forks after a link. A child has no threads of its parent, and a link that
      // waits for them would never end.
      "--threads=1", "-o", file.path()};
  if (!isBare) {
    arguments.push_back("--build-id=sha1");
  }
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments) {
    pointers.push_back(argument.c_str());
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  reason = file.finish();
  if (result.retCode != 0) {
    return explainFailure(messages, shown);
  }
  return reason ? cannotWrite(shown, reason) : llvm::Error::success();
}

} // namespace convoy::codegen

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long calls from Python. The extension modules run and compile models in another thread while
// Python's main thread handles signals, so that Ctrl-C raises KeyboardInterrupt at once.

#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <pybind11/pybind11.h>
#include <thread>
#include <vector>

namespace convoy::python {

namespace py = pybind11;

/// The longest time until Ctrl-C takes effect.
inline constexpr std::chrono::milliseconds kPollInterval(20);

/// A function that runs in its own thread, without the interpreter lock.
class BackgroundCall {
public:
  explicit BackgroundCall(std::function<void()> work);
  BackgroundCall(const BackgroundCall &) = delete;
  BackgroundCall &operator=(const BackgroundCall &) = delete;
  /// Waits for the end. The caller must not hold the interpreter lock.
  ~BackgroundCall() { thread.join(); }

  /// Waits until the work ends or the time is over. Returns whether the work has ended.
  bool waitFor(std::chrono::milliseconds time);
  /// Throws the exception of the work, if any.
  void rethrow() const;
  /// Lets the work continue without an owner. The end of Python waits for it.
  static void abandon(std::unique_ptr<BackgroundCall> call);

private:
  void run();

  std::function<void()> work;
  std::exception_ptr failure;
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;
  std::thread thread;
};

/// Runs `work` without the interpreter lock and waits for its end. An exception of `work` leaves
/// this function.
///
/// In the main thread, `work` runs in another thread. If a signal handler raises, this function
/// calls `cancel` (may be empty) and throws the handler's exception at once; `work` continues.
/// `work` must therefore own everything that it uses, and must not touch Python objects. In the
/// other threads of Python, which get no signals, `work` runs in the calling thread.
void runInterruptibly(const std::function<void()> &work, const std::function<void()> &cancel = {});

/// Returns whether the calling thread is Python's main thread.
bool isMainThread();

/// Waits for the work that signals interrupted, at the end of Python. Its thread must not run while
/// the process destroys its globals. Registers itself with `atexit`.
void waitAtExit();

/// Owns Python objects that work without the lock needs. The destructor takes the lock.
class KeptObjects {
public:
  KeptObjects() = default;
  KeptObjects(const KeptObjects &) = delete;
  KeptObjects &operator=(const KeptObjects &) = delete;
  ~KeptObjects();

  void add(py::object object) { objects.push_back(std::move(object)); }

private:
  std::vector<py::object> objects;
};

} // namespace convoy::python

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread of a call is detached from its caller only by a signal. The list of such threads is
// the one mutable global of the extension modules: Python's `atexit` has no argument.

#include "Interruptible.h"

namespace convoy::python {
namespace {

/// The calls that a signal interrupted and that still run.
class InterruptedCalls {
public:
  void add(std::unique_ptr<BackgroundCall> call) {
    std::lock_guard<std::mutex> lock(mutex);
    calls.push_back(std::move(call));
  }
  /// Joins the calls that have ended.
  void removeEnded() {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = calls.size(); i-- > 0;) {
      if (calls[i]->waitFor(std::chrono::milliseconds(0))) {
        calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
  void joinAll() {
    std::vector<std::unique_ptr<BackgroundCall>> taken;
    {
      std::lock_guard<std::mutex> lock(mutex);
      taken.swap(calls);
    }
  }

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<BackgroundCall>> calls;
};

InterruptedCalls &interruptedCalls() {
  static InterruptedCalls calls;
  return calls;
}

} // namespace

BackgroundCall::BackgroundCall(std::function<void()> given)
    : work(std::move(given)), thread([this] { run(); }) {}

bool BackgroundCall::waitFor(std::chrono::milliseconds time) {
  std::unique_lock<std::mutex> lock(mutex);
  return changed.wait_for(lock, time, [&] { return isDone; });
}

void BackgroundCall::rethrow() const {
  if (failure) {
    std::rethrow_exception(failure);
  }
}

void BackgroundCall::abandon(std::unique_ptr<BackgroundCall> call) {
  interruptedCalls().removeEnded();
  interruptedCalls().add(std::move(call));
}

void BackgroundCall::run() {
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  work = nullptr; // may own Python objects, which must not live until the end of the process
  std::lock_guard<std::mutex> lock(mutex);
  isDone = true;
  changed.notify_all();
}

KeptObjects::~KeptObjects() {
  py::gil_scoped_acquire lock;
  objects.clear();
}

bool isMainThread() {
  // PyOS_InterruptOccurred has a side effect; Python's own module compares the same numbers.
  static const unsigned long kMain =
      py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  return PyThread_get_thread_ident() == kMain;
}

void runInterruptibly(const std::function<void()> &work, const std::function<void()> &cancel) {
  if (!isMainThread()) {
    py::gil_scoped_release release;
    work();
    return;
  }
  auto call = std::make_unique<BackgroundCall>(work);
  for (;;) {
    {
      py::gil_scoped_release release;
      if (call->waitFor(kPollInterval)) {
        break;
      }
    }
    if (PyErr_CheckSignals() != 0) {
      if (cancel) {
        cancel();
      }
      BackgroundCall::abandon(std::move(call));
      throw py::error_already_set();
    }
  }
  call->rethrow();
  py::gil_scoped_release release; // the thread may need the lock to end
  call.reset();
}

void waitAtExit() {
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    py::gil_scoped_release release;
    interruptedCalls().joinAll();
  }));
}

} // namespace convoy::python

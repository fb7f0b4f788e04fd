// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/StatusBoard.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>

namespace convoy::service {
namespace {

constexpr std::chrono::seconds kLongestSilence(2);

bool isSelected(const JobStatus &job, const JobFilter &filter) {
  return (filter.project().empty() || job.project() == filter.project()) &&
         (filter.states().empty() || llvm::is_contained(filter.states(), job.state()));
}

} // namespace

void StatusBoard::publish(JobStatus status) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    Entry &entry = entries[status.id()];
    entry.status = std::move(status);
    ++entry.revision;
  }
  changed.notify_all();
}

std::optional<JobStatus> StatusBoard::find(const std::string &id) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = entries.find(id);
  return found == entries.end() ? std::nullopt : std::optional(found->second.status);
}

JobList StatusBoard::list(const JobFilter &filter) const {
  JobList list;
  auto &jobs = *list.mutable_jobs();
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto &[id, entry] : entries) {
      if (isSelected(entry.status, filter)) {
        JobStatus &job = *jobs.Add();
        job = entry.status;
        job.clear_tasks();
      }
    }
  }
  llvm::sort(jobs, [](const JobStatus &a, const JobStatus &b) {
    return std::forward_as_tuple(b.created_us(), b.id()) <
           std::forward_as_tuple(a.created_us(), a.id());
  });
  if (filter.limit() > 0 && jobs.size() > filter.limit()) {
    auto limit = static_cast<int>(filter.limit());
    jobs.DeleteSubrange(limit, jobs.size() - limit);
  }
  return list;
}

llvm::Error StatusBoard::watch(const std::string &id, const JobWatcher &watcher) {
  int64_t seen = -1;
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    auto found = entries.find(id);
    if (found == entries.end()) {
      return apiError(ErrorCode::NotFound, "no job has the id '" + id + "'");
    }
    seen = found->second.revision;
    JobStatus status = found->second.status;
    lock.unlock();
    if (!watcher(status) || isEnded(status.state())) {
      return llvm::Error::success();
    }
    lock.lock();
    // Entries are never removed, so the iterator stays valid.
    changed.wait_for(lock, kLongestSilence,
                     [&] { return isStopping || found->second.revision != seen; });
    if (isStopping) {
      return apiError(ErrorCode::Unavailable, "the service stops; watch the job again");
    }
  }
}

void StatusBoard::stop() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isStopping = true;
  }
  changed.notify_all();
}

} // namespace convoy::service

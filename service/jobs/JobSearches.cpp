// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The propose stage: a thread prepares the search of a job and proposes a round. The trials of the
// round are stored before any of them starts.

#include "service/jobs/JobLoop.h"
#include "service/jobs/JobText.h"

namespace convoy::service {

void JobLoop::queuePropose(Job &job) {
  double unixSeconds = now();
  // A job that is not prepared needs the stage, also if its search has nothing left to propose.
  bool isUseful = !job.prepared || (job.canPropose() && job.usedUp(unixSeconds).empty());
  if (!isUseful || job.isProposeQueued || job.isSearching || job.ending || job.network) {
    return;
  }
  job.isProposeQueued = true;
  scheduler.ready({job.number, Stage::Propose, job.proposals++}, now());
}

void JobLoop::startPropose(Job &job, const Item &item) {
  using Round = std::optional<tuning::SearchRound>;
  struct Outcome {
    std::unique_ptr<PreparedSearch> prepared; // of the first proposal
    std::string problem;
    Round round;
  };
  job.isProposeQueued = false;
  job.isSearching = true;
  if (job.state == JobState::QUEUED) {
    noteStart(job);
  }
  auto outcome = std::make_shared<Outcome>();
  // The loop does not touch `prepared`, `restored`, `spec` and `target` while isSearching is set,
  // and keeps the job.
  Job *one = &job;
  auto work = [one, outcome] {
    PreparedSearch *search = one->prepared.get();
    if (!search) {
      auto prepared = prepareSearch(one->spec, *one->target, one->restored);
      if (!prepared) {
        outcome->problem = llvm::toString(prepared.takeError());
        return;
      }
      outcome->prepared = std::move(*prepared);
      search = outcome->prepared.get();
    }
    outcome->round = search->search->propose();
  };
  pool.post(work, [this, id = job.id, item, outcome](double seconds) {
    Job &job = *jobs.find(id)->second;
    if (outcome->prepared) {
      job.setPrepared(std::move(outcome->prepared));
      for (auto &[place, trial] : job.open) { // of an earlier process
        if (!job.ending) {
          queueStage(job, trial, tuning::WorkStage::Build);
        }
      }
    }
    if (!outcome->problem.empty()) {
      takeRound(id, item, seconds, llvm::createStringError(outcome->problem));
    } else {
      takeRound(id, item, seconds, std::move(outcome->round));
    }
  });
}

void JobLoop::noteStart(Job &job) {
  job.state = JobState::RUNNING;
  job.isDirty = true;
  if (job.startedUs > 0) {
    return; // an earlier leader has started it
  }
  job.startedUs = tuning::unixMicroseconds();
  // A new leader needs the time for the wall limit. If the write fails, the limit starts again
  // there.
  llvm::Error error = database.setJobProgress(job.id, toText(job.status()));
  if (!error) {
    error = database.setJobState(job.id, name(job.state), job.reason);
  }
  if (error) {
    options.say("job " + job.id + ": " + llvm::toString(std::move(error)));
  }
}

void JobLoop::takeRound(const std::string &id, const Item &item, double seconds,
                        llvm::Expected<std::optional<tuning::SearchRound>> round) {
  Job &job = *jobs.find(id)->second;
  job.isSearching = false;
  scheduler.finish(item, seconds, now());
  if (job.ending) {
    if (!round) {
      llvm::consumeError(round.takeError());
    }
    return; // endJobs() ends the job
  }
  if (!round) {
    job.ending = JobEnd{JobState::FAILED, llvm::toString(round.takeError())};
    return;
  }
  options.noteTime("propose", seconds);
  job.applyKept();
  if (!*round || (*round)->entries.empty()) {
    job.isExhausted = job.prepared->search->isFinished() || job.open.empty();
    return;
  }
  const std::vector<tuning::SpaceEntry> &entries =
      job.prepared->tasks[(*round)->task].space.entries;
  for (size_t place = 0; place < (*round)->entries.size(); ++place) {
    store::TrialRow row;
    row.id = {job.id, (*round)->number, static_cast<int64_t>(place)};
    row.task = static_cast<int64_t>((*round)->task);
    row.configuration = entries[(*round)->entries[place]].configuration;
    job.addTrial(row);
    unstored.trials.push_back(std::move(row));
  }
}

void JobLoop::takeStored(llvm::ArrayRef<store::TrialRow> trials) {
  for (const store::TrialRow &row : trials) {
    auto job = jobs.find(row.id.job);
    OpenTrial *trial = job == jobs.end() ? nullptr : job->second->find(row.id.round, row.id.place);
    if (trial) {
      queueStage(*job->second, *trial, tuning::WorkStage::Build);
      queuePropose(*job->second);
    }
  }
}

} // namespace convoy::service

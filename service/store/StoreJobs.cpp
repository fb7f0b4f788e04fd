// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Projects, jobs and their tasks.

#include "StoreState.h"
#include "service/store/ArrayText.h"

namespace convoy::service::store {
namespace {

using Kind = StoreError::Kind;

#define JOB_COLUMNS                                                                                \
  "id, project, coalesce(idempotency_key, ''), spec, progress, state, reason, priority, "          \
  "created_us, updated_us"

JobRow readJob(const pqxx::row &row) {
  JobRow job;
  job.id = row[0].c_str();
  job.project = row[1].c_str();
  job.idempotencyKey = row[2].c_str();
  job.spec = row[3].c_str();
  job.progress = row[4].c_str();
  job.state = row[5].c_str();
  job.reason = row[6].c_str();
  job.priority = row[7].as<int>();
  job.createdUs = row[8].as<int64_t>();
  job.updatedUs = row[9].as<int64_t>();
  return job;
}

void insertTasks(Transaction &transaction, llvm::StringRef job, llvm::ArrayRef<TaskRow> tasks) {
  std::vector<llvm::StringRef> texts;
  ArrayText indices, names, hashes, counts, weights;
  for (const TaskRow &task : tasks) {
    texts.push_back(task.text);
    indices.add(task.index);
    names.add(task.name);
    hashes.add(tuning::taskHash(task.text));
    counts.add(task.count);
    weights.add(task.weight);
  }
  insertTexts(transaction, texts);
  transaction.run("insert into tasks select $1, * from unnest($2::bigint[], $3::text[], "
                  "$4::text[], $5::bigint[], $6::float8[])",
                  job.str(), indices.str(), names.str(), hashes.str(), counts.str(), weights.str());
}

/// Returns the job that prevented the insertion of `job`, if both are the same job.
llvm::Expected<JobRow> findSameJob(Transaction &transaction, const JobRow &job,
                                   const std::string &specHash) {
  pqxx::result rows = transaction.run(
      "select " JOB_COLUMNS ", first_spec_hash from jobs where (project = $1 and idempotency_key = "
      "nullif($2, '')) or id = $3 order by idempotency_key is not distinct from nullif($2, '') "
      "desc",
      job.project, job.idempotencyKey, job.id);
  if (rows.empty()) {
    return llvm::make_error<StoreError>(Kind::Unavailable,
                                        "cannot create a job: another process removed the job "
                                        "with the same id; repeat the call");
  }
  JobRow known = readJob(rows[0]);
  if (known.project != job.project || known.idempotencyKey != job.idempotencyKey) {
    return llvm::make_error<StoreError>(Kind::Conflict,
                                        "job '" + job.id + "' already exists; use a new id");
  }
  if (specHash != rows[0]["first_spec_hash"].c_str()) {
    std::string owner = job.idempotencyKey.empty()
                            ? "job '" + job.id + "' already exists with another spec; use a new id"
                            : "project '" + job.project +
                                  "' already has a job with the idempotency key '" +
                                  job.idempotencyKey + "' and another spec; use a new key";
    return llvm::make_error<StoreError>(Kind::Conflict, owner);
  }
  return known;
}

llvm::Expected<CreatedJob> insertJob(Transaction &transaction, const JobRow &job,
                                     llvm::ArrayRef<TaskRow> tasks) {
  std::string specHash = tuning::sha256(job.spec);
  transaction.run("insert into projects (name) values ($1) on conflict do nothing", job.project);
  pqxx::result inserted = transaction.run(
      "insert into jobs (id, project, idempotency_key, first_spec_hash, spec, progress, state, "
      "reason, priority) values ($1, $2, nullif($3, ''), $4, $5, $6, $7, $8, $9) on conflict do "
      "nothing returning " JOB_COLUMNS,
      job.id, job.project, job.idempotencyKey, specHash, job.spec, job.progress, job.state,
      storableText(job.reason), job.priority);
  if (inserted.empty()) {
    llvm::Expected<JobRow> known = findSameJob(transaction, job, specHash);
    if (!known) {
      return known.takeError();
    }
    return CreatedJob{std::move(*known), false};
  }
  insertTasks(transaction, job.id, tasks);
  return CreatedJob{readJob(inserted[0]), true};
}

llvm::Error expectJob(const pqxx::result &changed, llvm::StringRef job) {
  if (changed.affected_rows() > 0) {
    return llvm::Error::success();
  }
  return llvm::make_error<StoreError>(Kind::NotFound, ("job '" + job + "' does not exist").str());
}

} // namespace

llvm::Error Store::putProject(const ProjectRow &project) {
  return state->write("store a project", [&](Transaction &transaction) {
    transaction.run("insert into projects values ($1, $2, $3) on conflict (name) do update set "
                    "weight = excluded.weight, quota_device_seconds = "
                    "excluded.quota_device_seconds",
                    project.name, project.weight, project.quotaDeviceSeconds);
    return llvm::Error::success();
  });
}

llvm::Expected<std::vector<ProjectRow>> Store::projects() {
  std::vector<ProjectRow> projects;
  llvm::Error error = state->read("read projects", [&](Transaction &transaction) {
    projects.clear();
    for (const pqxx::row &row :
         transaction.run("select name, weight, quota_device_seconds from projects order by name")) {
      projects.push_back({row[0].c_str(), row[1].as<double>(), row[2].as<double>()});
    }
    return llvm::Error::success();
  });
  if (error) {
    return error;
  }
  return projects;
}

llvm::Expected<CreatedJob> Store::createJob(const JobRow &job, llvm::ArrayRef<TaskRow> tasks) {
  if (job.id.empty() || job.project.empty()) {
    return llvm::make_error<StoreError>(Kind::Invalid,
                                        "cannot create a job without an id and a project");
  }
  CreatedJob created;
  llvm::Error error = state->write("create a job", [&](Transaction &transaction) -> llvm::Error {
    llvm::Expected<CreatedJob> result = insertJob(transaction, job, tasks);
    if (!result) {
      return result.takeError();
    }
    created = std::move(*result);
    return llvm::Error::success();
  });
  if (error) {
    return error;
  }
  return created;
}

llvm::Error Store::setJobState(llvm::StringRef job, llvm::StringRef jobState,
                               llvm::StringRef reason) {
  return state->write("set the state of a job", [&](Transaction &transaction) {
    return expectJob(transaction.run("update jobs set state = $2, reason = $3, updated_us = "
                                     "now_us() where id = $1",
                                     job.str(), jobState.str(), storableText(reason)),
                     job);
  });
}

llvm::Error Store::setJobProgress(llvm::StringRef job, llvm::StringRef progressJson) {
  return state->write("store the progress of a job", [&](Transaction &transaction) {
    return expectJob(
        transaction.run("update jobs set progress = $2, updated_us = now_us() where id = $1",
                        job.str(), progressJson.str()),
        job);
  });
}

llvm::Error Store::setJobSpec(llvm::StringRef job, llvm::StringRef specJson) {
  return state->write("change the spec of a job", [&](Transaction &transaction) {
    return expectJob(
        transaction.run("update jobs set spec = $2, updated_us = now_us() where id = $1", job.str(),
                        specJson.str()),
        job);
  });
}

llvm::Expected<std::vector<JobRow>> Store::jobs(const JobFilter &filter) {
  ArrayText states;
  for (const std::string &wanted : filter.states) {
    states.add(wanted);
  }
  std::vector<JobRow> jobs;
  llvm::Error error = state->read("read jobs", [&](Transaction &transaction) {
    jobs.clear();
    for (const pqxx::row &row : transaction.run(
             "select " JOB_COLUMNS " from (select * from jobs where ($1 = '' or id = $1) and ($2 = "
             "'' or project = $2) and (cardinality($3::text[]) = 0 or state = any($3::text[])) "
             "order by number desc limit nullif($4::bigint, 0)) as newest order by number",
             filter.id, filter.project, states.str(), filter.limit)) {
      jobs.push_back(readJob(row));
    }
    return llvm::Error::success();
  });
  if (error) {
    return error;
  }
  return jobs;
}

llvm::Expected<std::vector<TaskRow>> Store::tasks(llvm::StringRef job) {
  std::vector<TaskRow> tasks;
  llvm::Error error = state->read("read the tasks of a job", [&](Transaction &transaction) {
    tasks.clear();
    for (const pqxx::row &row : transaction.run(
             "select index, name, content, count, weight from tasks join task_texts on hash = "
             "text_hash where job = $1 order by index",
             job.str())) {
      tasks.push_back({job.str(), row[0].as<int64_t>(), row[1].c_str(), row[2].c_str(),
                       row[3].as<int64_t>(), row[4].as<double>()});
    }
    return llvm::Error::success();
  });
  if (error) {
    return error;
  }
  return tasks;
}

} // namespace convoy::service::store

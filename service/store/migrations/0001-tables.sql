-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
--
-- The tables of the tuning service. Times are microseconds since 1970.

create function now_us() returns bigint language sql volatile as
  $$ select (extract(epoch from clock_timestamp()) * 1000000)::bigint $$;

-- One row. Every write transaction reads it `for share`, so a new epoch waits for the writes of
-- the old one, and no write of the old epoch follows.
create table leader (
  is_only boolean primary key default true check (is_only),
  epoch bigint not null,
  holder text not null,
  since_us bigint not null
);
insert into leader values (true, 0, '', now_us());

create table projects (
  name text primary key,
  weight double precision not null default 1 check (weight > 0),
  quota_device_seconds double precision not null default 0 check (quota_device_seconds >= 0)
);

create table jobs (
  number bigint generated always as identity unique, -- the order of creation
  id text primary key,
  project text not null references projects,
  idempotency_key text, -- null: none
  first_spec_hash text not null, -- of the spec that the idempotency key stands for
  spec text not null,
  progress text not null default '',
  state text not null,
  reason text not null,
  priority integer not null,
  created_us bigint not null default now_us(),
  updated_us bigint not null default now_us(),
  unique (project, idempotency_key)
);

-- The canonical texts of tasks. Jobs and records of the same task share a text.
create table task_texts (
  hash text primary key,
  content text not null
);

create table tasks (
  job text not null references jobs,
  index bigint not null,
  name text not null,
  text_hash text not null references task_texts,
  count bigint not null,
  weight double precision not null,
  primary key (job, index)
);

-- A trial is updated two to four times. The free space lets PostgreSQL write the new version to the
-- same page, without touching the index.
create table trials (
  job text not null references jobs,
  round bigint not null,
  place bigint not null,
  task bigint not null,
  template text not null,
  version integer not null,
  configuration text not null,
  input_layout text not null,
  output_layout text not null,
  state text not null check (state in ('requested', 'building', 'built', 'measuring', 'done')),
  attempt integer not null,
  candidate text not null default '',
  epoch bigint not null,
  -- The result.
  outcome text,
  message text,
  samples text,
  sentinel_ns bigint,
  artefact text,
  builder text,
  device text,
  device_class text,
  build_seconds double precision,
  measure_seconds double precision,
  done_us bigint,
  primary key (job, round, place),
  check ((state = 'done') = (outcome is not null))
) with (fillfactor = 60);

create table records (
  trial text primary key,
  text_hash text not null references task_texts,
  target text not null,
  template text not null,
  version integer not null,
  policy text not null,
  configuration text not null,
  input_layout text not null,
  output_layout text not null,
  outcome text not null,
  message text not null,
  samples text not null,
  sentinel_ns bigint not null,
  compiler text not null,
  artefact text not null,
  unix_us bigint not null
);

create table verdicts (
  id text primary key,
  content text not null -- the line of an exported file
);

create table devices (
  name text primary key,
  device_class text not null,
  state text not null check (state in ('active', 'drain', 'quarantine')),
  reason text not null,
  sentinel_ns bigint not null,
  notes text not null,
  seen_us bigint not null
);

create table usage_ledger (
  number bigint generated always as identity primary key,
  project text not null,
  job text not null,
  device_class text not null,
  device_seconds double precision not null,
  build_seconds double precision not null,
  trial text not null,
  at_us bigint not null default now_us()
);
create index usage_of_project on usage_ledger (project, at_us);
-- A trial is charged once.
create unique index usage_of_trial on usage_ledger (trial) where trial <> '';

create function refuse_change() returns trigger language plpgsql as
  $$ begin raise exception 'the usage ledger is append-only'; end $$;
create trigger ledger_is_append_only before update or delete or truncate on usage_ledger
  for each statement execute function refuse_change();

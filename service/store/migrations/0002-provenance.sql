-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
--
-- The job and the device that measured a record. Both are empty for an imported record. The trial
-- of a record is the start of the SHA-256 of the trial's id.

alter table records add column job text not null default '';
alter table records add column device text not null default '';
update records set job = trials.job, device = trials.device from trials
  where trials.state = 'done' and records.trial =
    left(encode(sha256((trials.job || '/' || round || '/' || place)::bytea), 'hex'), 32);

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes a model through the whole service: `convoy tune --service`, daemon, builder, agent, and back.

usage: chain_test.py BINARIES SCRATCH MODEL

The builder and the agent are real: the agent measures on this machine. Then emulated jobs run while
the leader is killed.
"""

import ctypes
import json
import pathlib
import shutil
import signal
import subprocess
import sys

import pool
import pool_test
import servers

TRIALS = 30
# The longest wait for an event; a busy machine takes long.
WAIT_SECONDS = 120


def run(command, expected=0):
    """Runs a command and returns its standard output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=WAIT_SECONDS)
    if done.returncode != expected:
        sys.exit(f"{' '.join(str(word) for word in command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def start_workers(running, scratch):
    """Starts one real builder and one real device."""
    host, port = running.client.addresses[0]
    blobs = ["--blobs", f"https://{host}:{port}"]
    running.add("builder", running.worker("convoy-builder", "builder", "builder") + blobs
                + ["--cache", scratch / "builder-cache", "--slots", "1"])
    running.add("agent", running.worker("convoy-agent", "agent", "agent") + blobs
                + ["--cache", scratch / "agent-cache", "--class", "here", "--lock-dir", scratch])
    running.wait(lambda: running.client.call("GET", "/v1/devices")["devices"], WAIT_SECONDS, "the device")


def check_tuning(convoy, running, model, scratch, service):
    """Tunes the model, then compiles it with what the service knows."""
    tune = [convoy, "tune", model, *service, "--device-class", "here", "--trials", TRIALS, "--threads", "1",
            "--records", scratch / "best.db", "--json"]
    result = json.loads(run(tune))
    job = running.client.call("GET", "/v1/jobs")["jobs"][0]
    assert job["state"] == "BUDGET_DONE", job
    assert job["trialsDone"] == TRIALS and job["trialsFailed"] == 0, (job, result)
    check_network(convoy, result, model, scratch, service)
    listed = run([convoy, "service", "jobs", "list", *service])
    assert job["id"] in listed, listed
    devices = run([convoy, "service", "devices", "list", *service])
    assert "agent" in devices and "here" in devices, devices
    # A second request is answered from the stored measurements.
    again = {**json.loads(run([*tune[:-1], "--seed", "7", "--json"]))}
    states = [one["state"] for one in running.client.call("GET", "/v1/jobs")["jobs"]]
    assert "CACHED_HIT" in states, (states, again)
    check_latency(running, [*tune[:3], *service, "--device-class", "here", "--threads", "1", "--trials", 4 * TRIALS])
    records = f"service:{service[1]}"
    out = run([convoy, "compile", model, "-o", scratch / "out", "--threads", "1", "--records", records, *service[2:],
               "--json"])
    assert json.loads(out)["records"], out
    run([convoy, "records", "list", scratch / "best.db"])


def check_network(convoy, result, model, scratch, service):
    """The job has timed the whole network, and its library can be fetched and loaded."""
    network = result["network"]
    assert network["problem"] == "" and network["samples"] > 0 and network["device"] == "agent", network
    assert 0 < network["low_us"] <= network["us"] <= network["high_us"], network
    paths = json.loads(run([convoy, "service", "jobs", "fetch", result["id"], "-o", scratch / "fetched", *service, "--json"]))
    name = model.stem
    assert sorted(pathlib.Path(path).name for path in paths) == [f"{name}.h", f"{name}.so"], paths
    library = ctypes.CDLL(str(scratch / "fetched" / f"{name}.so"))
    assert hasattr(library, f"{name}_run"), paths
    assert f"{name}_run" in (scratch / "fetched" / f"{name}.h").read_text()


def check_latency(running, tune):
    """Requires a latency that the records reach, and one that they make improbable."""
    trials = len(run_records(running))
    done = run([*tune, "--target-latency", "1h", "--json"])
    status = json.loads(done)
    assert status["state"] == "SLA_MET" and status["trials_requested"] == 0, status
    assert status["reason"].startswith("the stored configurations of these tasks take "), status
    assert 0 < status["best_us"] == status["stored_us"] and status["tasks"][0]["best_ns"] > 0, status
    assert len(run_records(running)) == trials, "no trial was needed"
    done = subprocess.run([str(word) for word in [*tune, "--target-latency", "0.000001ms", "--detach", "--json"]],
                          capture_output=True, text=True, check=True, timeout=WAIT_SECONDS)
    status = json.loads(done.stdout)
    assert " are improbable: the fastest stored configurations of these tasks take " in status["warning"], status
    assert done.stderr.startswith("warning: --target-latency: ") and status["warning"] in done.stderr, done.stderr
    assert status["state"] == "QUEUED" and status["estimated_end_us"] > status["created_us"], status
    running.client.call("POST", f"/v1/jobs/{status['id']}:cancel", {})


def run_records(running):
    """Returns the trials of all jobs."""
    return pool.query(running.running, "select job from trials")


def check_changes(running, headers):
    """Cancels, pauses, resumes and extends jobs, and repeats a request."""
    call = running.client.call

    def has_done(job, trials):
        return lambda: call("GET", f"/v1/jobs/{job}")["trialsDone"] >= trials

    # More jobs than places: a canceled job must give its places back.
    ids = [call("POST", "/v1/jobs", pool.job_of(headers, 100 + number, 400))["id"] for number in range(12)]
    running.wait(has_done(ids[0], 4), WAIT_SECONDS, "the first results")
    for job in ids:
        call("POST", f"/v1/jobs/{job}:cancel", {})
    spec = pool.job_of(headers, 200, 12)
    job = call("POST", "/v1/jobs", spec)["id"]
    running.wait(has_done(job, 12), WAIT_SECONDS, "a job after canceled ones")
    long = call("POST", "/v1/jobs", pool.job_of(headers, 201, 400))["id"]
    assert call("POST", f"/v1/jobs/{long}:pause", {})["state"] == "PAUSED"
    assert call("POST", f"/v1/jobs/{long}:resume", {})["state"] in ("RUNNING", "QUEUED")
    running.wait(has_done(long, 4), WAIT_SECONDS, "results of the resumed job")
    call("POST", f"/v1/jobs/{long}:cancel", {})
    running.wait(lambda: call("GET", f"/v1/jobs/{job}")["state"] == "BUDGET_DONE", WAIT_SECONDS, "the end")
    call("POST", f"/v1/jobs/{job}:extend", {"addTrials": 8})
    running.wait(has_done(job, 20), WAIT_SECONDS, "the extension")
    assert call("POST", "/v1/jobs", spec)["id"] == job, "a repeated request creates no job"
    try:
        call("POST", "/v1/jobs", {**spec, "maxTrials": 13})
        raise AssertionError("another specification with the same key is accepted")
    except pool.ApiError as error:
        assert error.status == 409, error


def check_failover(running, machine, headers):
    """Kills the leader while emulated jobs run."""
    ids = [running.client.call("POST", "/v1/jobs", pool.job_of(headers, number, 12))["id"] for number in range(10)]
    leader = None
    while leader is None:
        leader = running.client.leader()
    running.programs[f"tuningd{leader}"].signal(signal.SIGKILL)
    seconds = running.wait(lambda: running.client.leader() is not None, WAIT_SECONDS, "a new leader")
    running.wait(lambda: pool_test.open_jobs(machine) == 0, WAIT_SECONDS, "the end of all jobs")
    rows = pool.query(machine, "select count(*), count(*) filter (where state = 'done') from trials where job in ("
                      + ",".join(f"'{one}'" for one in ids) + ")")
    assert rows == [["120", "120"]], rows
    print(f"a new leader after {seconds:.1f} s; 120 trials with one result each")


def check_times(tuningd, times):
    """Simulates a load with the times of stages that the leader has recorded."""
    stages = {line.split(",")[0] for line in times.read_text().splitlines()}
    assert stages == {"propose", "build", "measure"}, stages
    run([tuningd, "simulate", "--load", "burst-8", "--policy", "fifo", "--times", times])


def main():
    binaries, scratch, model = (pathlib.Path(word) for word in sys.argv[1:4])
    shutil.rmtree(scratch, ignore_errors=True)
    with servers.Servers() as machine, pool.Pool(binaries, scratch, machine) as running:
        subprocess.run([servers.SCRIPTS / "make-certs.sh", machine.folder / "certs", "client"], check=True)
        times = scratch / "times" / "stages.csv"  # the folder does not exist while the first leader starts
        running.start_daemons(2, lease=5, times=times)
        logs = [(scratch / f"tuningd{index}.log").read_text() for index in range(2)]
        assert any(f"cannot write '{times}'; the times of the stages are not recorded" in log for log in logs), logs
        times.parent.mkdir()
        service = ["--service", ",".join(f"https://{host}:{port}" for host, port in running.client.addresses),
                   "--service-certs", machine.folder / "certs"]
        start_workers(running, scratch)
        check_tuning(binaries / "convoy", running, model, scratch, service)
        headers = pool.make_tables(scratch / "tables.json")
        running.start_builders(1, slots=4, seconds=0.1, speed=10)
        running.start_agents(2, 4, scratch / "tables.json", seconds=0.6, speed=10)
        check_changes(running, headers)
        check_failover(running, machine, headers)
        check_times(binaries / "convoy-tuningd", times)


if __name__ == "__main__":
    main()

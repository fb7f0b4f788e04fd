/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The pool of threads. Between two regions a worker turns round for a while, so
 * that inferences in a row start at once, and then sleeps. Workers never end: they
 * are detached, they take no signals, and a process that ends takes them along.
 *
 * The pool is a unique symbol: the loader gives all libraries that have one the
 * first, and keeps the library that holds it even when it is closed. Workers run
 * the code of that library, whoever makes them: another one may go. The symbol's
 * name changes with its layout.
 *
 * After fork() the child has no workers. Whoever runs first there starts anew.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* affinity, futex */
#endif

#include "pool.h"

#include "convoy/convoy.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

#define LINE_BYTES 64
#define MAX_WORKERS 1023
/* Kernels keep small tables on the stack. */
#define STACK_BYTES ((size_t)4 << 20)

/* A thread that sleeps takes some 5 us to come back, 50 us in a virtual machine:
 * turning round for about as long at most doubles the cost of a wait. Longer inside
 * a region, where the wait is for what others are doing at this moment. Nobody
 * turns round when there are fewer CPUs than threads: whom it waits for needs one. */
#define IDLE_SPIN_NS 50000
#define REGION_SPIN_NS 100000

struct flag {
  _Atomic int32_t count;
  _Atomic int32_t sleepers;
};

/* One worker as the pool sees it; the flags count the regions given to it and the
 * ones it has done. */
struct slot {
  _Alignas(LINE_BYTES) struct flag begun;
  int32_t number;
  pthread_t thread;
  _Alignas(LINE_BYTES) struct flag done;
};

struct pool {
  void *(*run_worker)(void *);
  struct slot *slots;
  pthread_mutex_t turn;   /* held while a region runs */
  _Atomic long process;   /* whose threads these are; -1 while being set */
  _Atomic int is_crowded; /* more threads than CPUs */
  int32_t count;          /* of workers */
  int32_t cpus;           /* that they may run on, however the caller is bound later */
  int32_t caller_cpu;     /* and 1: left to the caller when workers have their own */
  convoy_work work;
  void *context;
#if defined(__linux__)
  cpu_set_t allowed; /* those CPUs */
#endif
};

/* Named in the assembly below, hence not static. */
void *convoy_pool_worker(void *slot);
extern struct slot convoy_pool_slots[MAX_WORKERS];
struct slot convoy_pool_slots[MAX_WORKERS];

#if defined(__ELF__) && defined(__linux__)
/* C has no word for a unique symbol. */
_Static_assert(sizeof(struct pool) <= 256, "the symbol has room for the pool");
__asm__(".section .data.convoy_pool_2,\"aw\",%progbits\n"
        ".type convoy_pool_2, %gnu_unique_object\n"
        ".balign 64\n"
        "convoy_pool_2:\n"
        ".dc.a convoy_pool_worker\n"
        ".dc.a convoy_pool_slots\n"
        ".zero 256 - (. - convoy_pool_2)\n"
        ".size convoy_pool_2, 256\n"
        ".previous\n");
extern struct pool convoy_pool_2 __attribute__((visibility("default")));
#else
static struct pool convoy_pool_2 = {.run_worker = convoy_pool_worker, .slots = convoy_pool_slots};
#endif

static int64_t now_ns(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void pause_cpu(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

/* Counts may wrap round: a process can run more than four billion regions. */
static int is_reached(struct flag *flag, int32_t count, memory_order order) {
  uint32_t ahead = (uint32_t)atomic_load_explicit(&flag->count, order) - (uint32_t)count;
  return ahead <= (uint32_t)INT32_MAX;
}

/* Sleeps unless the count is no longer `seen`; may return for no reason. */
static void sleep_on(struct flag *flag, int32_t seen) {
#if defined(__linux__)
  (void)syscall(SYS_futex, (void *)&flag->count, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
#else
  (void)flag;
  (void)seen;
  (void)sched_yield();
#endif
}

static void wake(struct flag *flag) {
#if defined(__linux__)
  (void)syscall(SYS_futex, (void *)&flag->count, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
#else
  (void)flag;
#endif
}

static int spin(struct flag *flag, int32_t count, int64_t limit_ns) {
  int64_t start = 0;
  while (limit_ns > 0) {
    int64_t passed;
    int i;
    for (i = 0; i < 32; ++i) {
      if (is_reached(flag, count, memory_order_acquire)) {
        return 1;
      }
      pause_cpu();
    }
    start = start == 0 ? now_ns() : start;
    passed = now_ns() - start;
    limit_ns = passed < limit_ns ? limit_ns : 0;
  }
  return is_reached(flag, count, memory_order_acquire);
}

static void wait_for(struct flag *flag, int32_t count, int64_t spin_ns) {
  int is_crowded = atomic_load_explicit(&convoy_pool_2.is_crowded, memory_order_relaxed);
  if (spin(flag, count, is_crowded ? 0 : spin_ns)) {
    return;
  }
  /* In one total order with post(): it sees the sleeper, or this sees the count. */
  (void)atomic_fetch_add(&flag->sleepers, 1);
  while (!is_reached(flag, count, memory_order_seq_cst)) {
    int32_t seen = atomic_load(&flag->count);
    if (!is_reached(flag, count, memory_order_seq_cst)) {
      sleep_on(flag, seen);
    }
  }
  (void)atomic_fetch_sub(&flag->sleepers, 1);
}

static void post(struct flag *flag, int32_t count) {
  (void)atomic_exchange(&flag->count, count);
  if (atomic_load(&flag->sleepers) != 0) {
    wake(flag);
  }
}

void convoy_flag_wait(void *flag, int32_t count) {
  wait_for((struct flag *)flag, count, REGION_SPIN_NS);
}

void convoy_flag_wake(void *flag) { wake((struct flag *)flag); }

static int32_t next_count(int32_t count) { return (int32_t)((uint32_t)count + 1); }

void *convoy_pool_worker(void *argument) {
  struct slot *slot = (struct slot *)argument;
  int32_t region = 0;
  for (;;) {
    region = next_count(region);
    wait_for(&slot->begun, region, IDLE_SPIN_NS);
    convoy_pool_2.work(convoy_pool_2.context, slot->number);
    post(&slot->done, region);
  }
  return NULL;
}

/* Leaves signals to the threads of the program. */
static int start_thread(struct slot *slot) {
  pthread_attr_t attributes;
  sigset_t all;
  sigset_t before;
  int problem = pthread_attr_init(&attributes);
  if (problem != 0) {
    return problem;
  }
  (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  problem = pthread_create(&slot->thread, &attributes, convoy_pool_2.run_worker, slot);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  (void)pthread_attr_destroy(&attributes);
  return problem;
}

/* Notes the CPUs that this thread may run on, which are those of its cpuset too:
 * threads that it makes may run on the same. */
static void note_cpus(struct pool *pool) {
  pool->cpus = 1;
#if defined(__linux__)
  if (sched_getaffinity(0, sizeof(pool->allowed), &pool->allowed) == 0) {
    pool->cpus = CPU_COUNT(&pool->allowed);
  }
#endif
}

/* Gives each worker a CPU when there is one for each thread and none to spare: two
 * would only ever meet on one by accident. With CPUs to spare the system knows
 * better which are free. The caller keeps the one that it is on; when it has moved
 * to a worker's since, the workers give way. */
static void pin_workers(struct pool *pool) {
#if defined(__linux__)
  int own = sched_getcpu();
  int32_t next = 0;
  size_t cpu;
  if (pool->count + 1 != pool->cpus || own < 0 || own == pool->caller_cpu - 1) {
    return;
  }
  pool->caller_cpu = own + 1; /* 0 is none: the pool starts as zeros */
  for (cpu = 0; cpu < CPU_SETSIZE && next < pool->count; ++cpu) {
    if (cpu != (size_t)own && CPU_ISSET(cpu, &pool->allowed)) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      (void)pthread_setaffinity_np(pool->slots[next++].thread, sizeof(one), &one);
    }
  }
#else
  (void)pool;
#endif
}

/* Makes workers until there are as many; 0 when there are. */
static int grow(struct pool *pool, int32_t count) {
  if (count > MAX_WORKERS) {
    return -1;
  }
  if (pool->count >= count) {
    return 0;
  }
  note_cpus(pool);
  while (pool->count < count) {
    struct slot *slot = &pool->slots[pool->count];
    int problem;
    slot->number = pool->count + 1;
    problem = start_thread(slot);
    if (problem != 0) {
      return problem;
    }
    ++pool->count;
  }
  pool->caller_cpu = 0;
  return 0;
}

/* Forgets the workers of a process that this one was forked from. */
static void adopt(struct pool *pool) {
  long self = (long)getpid();
  long process = atomic_load(&pool->process);
  while (process != self) {
    if (process != -1 && atomic_compare_exchange_strong(&pool->process, &process, -1)) {
      int32_t i;
      for (i = 0; i < pool->count; ++i) {
        atomic_store(&pool->slots[i].begun.count, 0);
        atomic_store(&pool->slots[i].begun.sleepers, 0);
        atomic_store(&pool->slots[i].done.count, 0);
        atomic_store(&pool->slots[i].done.sleepers, 0);
      }
      pool->count = 0;
      (void)pthread_mutex_init(&pool->turn, NULL);
      atomic_store(&pool->process, self);
      return;
    }
    process = atomic_load(&pool->process);
  }
}

int32_t convoy_region_run(int32_t threads, convoy_work work, void *context) {
  struct pool *pool = &convoy_pool_2;
  int32_t i;
  adopt(pool);
  (void)pthread_mutex_lock(&pool->turn);
  if (grow(pool, threads - 1) != 0) {
    (void)pthread_mutex_unlock(&pool->turn);
    return -1;
  }
  pin_workers(pool);
  atomic_store_explicit(&pool->is_crowded, threads > pool->cpus, memory_order_relaxed);
  pool->work = work;
  pool->context = context;
  for (i = 0; i < threads - 1; ++i) {
    struct slot *slot = &pool->slots[i];
    post(&slot->begun, next_count(atomic_load_explicit(&slot->begun.count, memory_order_relaxed)));
  }
  work(context, 0);
  for (i = 0; i < threads - 1; ++i) {
    struct slot *slot = &pool->slots[i];
    wait_for(&slot->done, atomic_load_explicit(&slot->begun.count, memory_order_relaxed),
             REGION_SPIN_NS);
  }
  (void)pthread_mutex_unlock(&pool->turn);
  return CONVOY_OK;
}

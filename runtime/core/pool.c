/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The pool of threads. Between two regions, a worker spins for a while, so that consecutive
 * inferences start without delay, and then sleeps. Workers never end: they are detached,
 * block all signals, and end with the process.
 *
 * The pool is a unique symbol (STB_GNU_UNIQUE). The loader binds all libraries that define
 * the symbol to the first definition and never unloads the library that contains it. All
 * workers run the code of that library, because other libraries may be unloaded. The name
 * of the symbol changes when its layout changes.
 *
 * After fork(), the child has no workers. The first call in the child creates new ones.
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

/* Waking a sleeping thread takes about 5 us, in a virtual machine 50 us. Spinning for about
 * the same time at most doubles the cost of a wait. Inside a region, threads spin longer,
 * because other threads are currently working on the result. If there are fewer CPUs than
 * threads, threads do not spin, because the awaited thread needs a CPU. */
#define IDLE_SPIN_NS 50000
#define REGION_SPIN_NS 100000

struct flag {
  _Atomic int32_t count;
  _Atomic int32_t sleepers;
};

/* The state of one worker. The flags count the regions that it was given and the regions
 * that it has finished. */
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
  _Atomic long process;   /* id of the process that owns the threads; -1 while it is being set */
  _Atomic int is_crowded; /* more threads than CPUs */
  int32_t count;          /* number of workers */
  int32_t cpus; /* number of CPUs that workers may use, even if the affinity of the caller changes
                   later */
  int32_t caller_cpu; /* CPU of the caller plus 1, if workers are pinned */
  convoy_work work;
  void *context;
#if defined(__linux__)
  cpu_set_t allowed; /* the CPUs that workers may use */
#endif
};

/* The assembly below refers to it, so it is not static. */
void *convoy_pool_worker(void *slot);
extern struct slot convoy_pool_slots[MAX_WORKERS];
struct slot convoy_pool_slots[MAX_WORKERS];

#if defined(__ELF__) && defined(__linux__)
/* C has no syntax for a unique symbol. */
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

/* Counts may wrap around, because a process can run more than four billion regions. */
static int is_reached(struct flag *flag, int32_t count, memory_order order) {
  uint32_t ahead = (uint32_t)atomic_load_explicit(&flag->count, order) - (uint32_t)count;
  return ahead <= (uint32_t)INT32_MAX;
}

/* Sleeps unless the count differs from `seen`. May return spuriously. */
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
  /* Sequentially consistent with post(): either post() sees the sleeper, or this thread
   * sees the count. */
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

/* Starts a thread that blocks all signals, so that the threads of the program handle them. */
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

/* Stores the CPUs that this thread may use, which respects its cpuset. Threads that it
 * creates inherit them. */
static void note_cpus(struct pool *pool) {
  pool->cpus = 1;
#if defined(__linux__)
  if (sched_getaffinity(0, sizeof(pool->allowed), &pool->allowed) == 0) {
    pool->cpus = CPU_COUNT(&pool->allowed);
  }
#endif
}

/* Pins each worker to its own CPU if the number of threads equals the number of CPUs, so
 * that two threads never share a CPU. If there are more CPUs, the operating system chooses
 * free CPUs. The caller keeps its CPU. If the caller has moved to the CPU of a worker, the
 * workers are pinned again. */
static void pin_workers(struct pool *pool) {
#if defined(__linux__)
  int own = sched_getcpu();
  int32_t next = 0;
  size_t cpu;
  if (pool->count + 1 != pool->cpus || own < 0 || own == pool->caller_cpu - 1) {
    return;
  }
  pool->caller_cpu = own + 1; /* 0 means none, because the pool is initialized with zeros */
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

/* Creates workers until there are `count`. Returns 0 on success. */
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

/* Discards the workers of the parent process after fork(). */
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

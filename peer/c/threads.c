#define _GNU_SOURCE
#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { max_threads = 256 };

static int threads = 1;
static int cpus[max_threads];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static unsigned long generation;
static atomic_int busy;

static peer_job job;
static void *job_args;
static long job_n;

static inline void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void part(int i) {
    long each = (job_n + threads - 1) / threads;
    long first = each * i, end = first + each < job_n ? first + each : job_n;
    if (first < end) job(job_args, first, end);
}

static void pin(int i) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpus[i], &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void *work(void *p) {
    int i = (int)(size_t)p;
    unsigned long seen = 0;
    pin(i);
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (generation == seen) pthread_cond_wait(&wake, &mutex);
        seen = generation;
        pthread_mutex_unlock(&mutex);
        part(i);
        atomic_fetch_sub(&busy, 1);
    }
    return NULL;
}

// peer_start makes n threads, the caller being the first, on the processors that the process may use. The
// caller is not pinned: it belongs to somebody else.
void peer_start(int n) {
    cpu_set_t set;
    int found = 0;
    sched_getaffinity(0, sizeof set, &set);
    for (int c = CPU_SETSIZE - 1; c >= 0 && found < max_threads; c--)
        if (CPU_ISSET(c, &set)) cpus[found++] = c;
    if (n > found) n = found;
    threads = n;
    for (int i = 1; i < n; i++) {
        pthread_t t;
        pthread_create(&t, NULL, work, (void *)(size_t)(i - 1));
        pthread_detach(t);
    }
}

// peer_pin pins the caller for as long as the C programs run, and lets it go again: it may use what it could
// before.
void peer_pin(int on) {
    static _Thread_local cpu_set_t before;
    if (on) {
        pthread_getaffinity_np(pthread_self(), sizeof before, &before);
        pin(threads - 1);
    } else {
        pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    }
}

// peer_threads is how many threads run the C programs.
int peer_threads(void) { return threads; }

void peer_run(peer_job f, void *args, long n) {
    job = f;
    job_args = args;
    job_n = n;
    if (threads > 1) {
        pthread_mutex_lock(&mutex);
        atomic_store(&busy, threads - 1);
        generation++;
        pthread_cond_broadcast(&wake);
        pthread_mutex_unlock(&mutex);
    }
    part(threads - 1);
    while (atomic_load(&busy) > 0) relax();
}

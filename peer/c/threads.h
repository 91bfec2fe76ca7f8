// Threads that are pinned to one processor each and wait for work: what the C programs of the comparison
// share.
#ifndef NEREID_PEER_THREADS_H
#define NEREID_PEER_THREADS_H

typedef void (*peer_job)(void *args, long first, long end);

// peer_run splits 0 … n among the threads, the caller being one, and returns when all are done.
void peer_run(peer_job job, void *args, long n);

#endif

/* program.h: the parts of the test program. Its sources are C and C++ alike: the tests build it twice. */
#ifndef NEREID_PROGRAM_H
#define NEREID_PROGRAM_H

#include "check.h"

/* where is the device that a command runs on. */
struct where {
	nereid_device *device;
	int cuda;     /* memory is CUDA's, and stream is one of the program's own */
	int results;  /* kernels run: a stub of the driver, which NEREID_CUDA names, runs none */
	void *stream; /* a CUstream, or NULL */
	void *context;
	void *stray; /* see where_stray */
};

/* where_open opens a device: "cpu", "interp", "cuda:0", or "context:0" in a CUDA context of the program's. */
struct where where_open(const char *name);
/* where_enter makes the program's CUDA context current on a thread. */
void where_enter(struct where *w);
/* where_stray makes another CUDA context current on the thread, or none; where_back checks that it is. */
void where_stray(struct where *w, int none);
void where_back(struct where *w);
/* where_close checks that the calling thread has the context that it had. */
void where_close(struct where *w);
/* Memory on the device, with n zeros before and behind it. */
char *where_alloc(struct where *w, const void *from, size_t bytes, size_t room);
void where_read(struct where *w, void *into, const char *p, size_t bytes);
void where_free(struct where *w, char *p, size_t room);
void where_wait(struct where *w);

/* run_case launches a recorded launch: FILE describes it, FILE.before has the memory before. Unless quiet,
 * it writes the memory after it to FILE.after, and the kernel's IR to FILE.ir. */
void run_case(struct where *w, const char *file, int quiet);

int cmd_wrong(struct where *w);
int cmd_broken(struct where *w);
int cmd_threads(struct where *w, char **files, int n);
int cmd_fork(struct where *w);
int cmd_closing(struct where *w);
int cmd_stray(struct where *w);
int cmd_features(struct where *w, const char *dir);

#endif

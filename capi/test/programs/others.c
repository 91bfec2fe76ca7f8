/* A kernel that does not compile, threads, and fork. */
#include "program.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char broken[] =
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"@triton.jit\n"
	"def softmax(x_ptr, B: tl.constexpr):\n"
	"    x = tl.load(x_ptr + tl.arange(0, B))\n"
	"    y = tl.load(x_ptr + tl.arange(0, 64))\n"
	"    tl.store(x_ptr + tl.arange(0, B), x + y)\n";

int cmd_broken(struct where *w) {
	nereid_module *m;
	nereid_kernel *k;
	float data[128] = {0};
	char *p = where_alloc(w, data, sizeof data, 0);
	MUST(nereid_module_parse("softmax.py", broken, strlen(broken), NULL, &m, &err));
	MUST(nereid_module_kernel(m, "softmax", &k, &err));
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, p, sizeof data), nereid_int(128)};
	nereid_error *e = NULL;
	nereid_status s = nereid_launch_on(k, w->device, w->stream, nereid_grid_of(1, 1, 1), args, 2, NULL, &e);
	TRUE(s == NEREID_ERR_COMPILE);
	TRUE(!strcmp(nereid_error_file(e), "softmax.py") && nereid_error_line(e) == 8 && nereid_error_column(e) > 0);
	TRUE(nereid_error_diagnostics(e) >= 1);
	nereid_diagnostic d;
	TRUE(nereid_error_diagnostic(e, 0, &d) && d.line == 8 && !strcmp(d.severity, "error") && *d.message);
	TRUE(!nereid_error_diagnostic(e, 99, &d));
	printf("%s\n", nereid_error_text(e));
	nereid_error_free(e);
	where_free(w, p, 0);
	nereid_kernel_close(k);
	nereid_module_close(m);
	return 0;
}

/* ---- Threads ------------------------------------------------------------------------------------------ */

enum { THREADS = 16, ROUNDS = 200, N = 1000 };

static const char adds[] =
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"@triton.jit\n"
	"def add(x_ptr, out_ptr, n, s, B: tl.constexpr):\n"
	"    at = tl.program_id(0) * B + tl.arange(0, B)\n"
	"    tl.store(out_ptr + at, tl.load(x_ptr + at, at < n) + s, at < n)\n";

struct shared {
	struct where *w;
	nereid_kernel *k;
	nereid_bound *bound;
	char **files;
	int n;
};

struct thread {
	struct shared *shared;
	int number;
};

/* add_once launches through the library or through the frozen kernel, which all threads share. */
static void add_once(struct shared *s, char *x, char *out, int32_t n, float v, int frozen) {
	if (frozen) {
		void *params[] = {&x, &out, &n, &v};
		MUST(nereid_bound_launch(s->bound, s->w->stream, (uint32_t)(n + 127) / 128, 1, 1, params, 4, &err));
		return;
	}
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, x, N * sizeof v), nereid_ptr(NEREID_FLOAT32, out,
		N * sizeof v),
		nereid_int(n), nereid_float(v), nereid_named("B", nereid_int(128))};
	MUST(nereid_launch_on(s->k, s->w->device, s->w->stream, nereid_grid_of((uint32_t)(n + 127) / 128, 1, 1),
		args, 5,
		NULL, &err));
}

static void *work(void *arg) {
	struct thread *t = (struct thread *)arg;
	struct shared *s = t->shared;
	float host[N];
	where_enter(s->w);
	for (int i = t->number; i < s->n; i += 4) run_case(s->w, s->files[i], 1); /* each case by four threads */
	for (int i = 0; i < N; i++) host[i] = (float)i;
	char *x = where_alloc(s->w, host, sizeof host, 0), *out = where_alloc(s->w, host, sizeof host, 0);
	for (int round = 0; round < ROUNDS; round++) {
		int32_t n = round % 3 ? N : 992; /* 992 is divisible by 16: another specialization */
		float v = (float)(t->number * 1000 + round);
		int frozen = n == N && round % 2;
		add_once(s, x, out, n, v, frozen);
		where_wait(s->w);
		where_read(s->w, host, out, sizeof host);
		for (int i = 0; i < n && s->w->results; i++) TRUE(host[i] == (float)i + v);
	}
	where_free(s->w, x, 0);
	where_free(s->w, out, 0);
	return NULL;
}

int cmd_threads(struct where *w, char **files, int n) {
	struct shared s;
	struct thread threads[THREADS];
	pthread_t ids[THREADS];
	nereid_module *m;
	float zeros[N] = {0};
	memset(&s, 0, sizeof s);
	s.w = w;
	s.files = files;
	s.n = n;
	MUST(nereid_module_parse("adds.py", adds, strlen(adds), NULL, &m, &err));
	MUST(nereid_module_kernel(m, "add", &s.k, &err));
	char *x = where_alloc(w, zeros, sizeof zeros, 0);
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, x, sizeof zeros), nereid_ptr(NEREID_FLOAT32, x,
		sizeof zeros),
		nereid_int(N), nereid_float(1), nereid_int(128)};
	MUST(nereid_bind(s.k, w->device, args, 5, NULL, &s.bound, &err));
	for (int i = 0; i < THREADS; i++) {
		threads[i].shared = &s;
		threads[i].number = i;
		TRUE(!pthread_create(&ids[i], NULL, work, &threads[i]));
	}
	for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);
	where_free(w, x, 0);
	nereid_bound_close(s.bound);
	nereid_kernel_close(s.k);
	nereid_module_close(m);
	return 0;
}

/* ---- Closing ------------------------------------------------------------------------------------------ */

/* open holds what threads launch while others close it. */
struct open_handles {
	struct where *w;
	nereid_module *m;
	nereid_kernel *k;
	nereid_stream *stream;
	nereid_bound *bound;
	char *x;
	int done; /* no more launches */
	long launched, refused;
};

#define GET(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define SWAP(p, v) __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)

/* launch_open launches by what is open now, or was a moment ago. */
static nereid_status launch_open(struct open_handles *o, int i, nereid_error **err) {
	int32_t n = N;
	float v = (float)i;
	void *params[] = {&o->x, &o->x, &n, &v};
	if (i % 3 == 0) return nereid_bound_launch(GET(&o->bound), o->w->stream, 8, 1, 1, params, 4, err);
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, o->x, N * sizeof v), nereid_ptr(NEREID_FLOAT32, o->x,
		N * sizeof v), nereid_int(n), nereid_float(v), nereid_int(128)};
	return nereid_launch(GET(&o->k), GET(&o->stream), nereid_grid_of(8, 1, 1), args, 5, NULL, err);
}

static void *launch_until_done(void *arg) {
	struct open_handles *o = (struct open_handles *)arg;
	where_enter(o->w);
	for (int i = 0; !GET(&o->done); i++) {
		nereid_error *err = NULL;
		nereid_status s = launch_open(o, i, &err);
		if (s != NEREID_OK && s != NEREID_ERR_HANDLE) fprintf(stderr, "%s\n", nereid_error_text(err));
		TRUE(s == NEREID_OK || s == NEREID_ERR_HANDLE);
		__atomic_fetch_add(s == NEREID_OK ? &o->launched : &o->refused, 1, __ATOMIC_RELAXED);
		nereid_error_free(err);
	}
	return NULL;
}

/* replace opens what is to be launched next and closes what is launched now. */
static void replace(struct open_handles *o, int round) {
	nereid_stream *s;
	MUST(nereid_stream_new(o->w->device, &s, &err));
	nereid_stream_close(SWAP(&o->stream, s));
	if (round % 10) return;
	nereid_kernel *k;
	nereid_bound *b;
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, o->x, N * sizeof(float)), nereid_ptr(NEREID_FLOAT32, o->x,
		N * sizeof(float)), nereid_int(N), nereid_float(1), nereid_int(128)};
	MUST(nereid_module_kernel(o->m, "add", &k, &err));
	MUST(nereid_bind(k, o->w->device, args, 5, NULL, &b, &err));
	nereid_bound_close(SWAP(&o->bound, b));
	nereid_kernel_close(SWAP(&o->k, k));
}

/* cmd_closing closes streams and kernels while threads launch with them: a launch is made, or its handle is
 * closed. */
int cmd_closing(struct where *w) {
	struct open_handles o;
	pthread_t ids[3];
	float zeros[N] = {0};
	memset(&o, 0, sizeof o);
	o.w = w;
	MUST(nereid_module_parse("adds.py", adds, strlen(adds), NULL, &o.m, &err));
	o.x = where_alloc(w, zeros, sizeof zeros, 0);
	replace(&o, 0);
	for (int i = 0; i < 3; i++) TRUE(!pthread_create(&ids[i], NULL, launch_until_done, &o));
	for (int round = 1; round < 500 || !GET(&o.refused); round++) replace(&o, round);
	SWAP(&o.done, 1);
	for (int i = 0; i < 3; i++) pthread_join(ids[i], NULL);
	printf("%ld launches, %ld refused\n", o.launched, o.refused);
	nereid_stream_close(o.stream);
	nereid_bound_close(o.bound);
	nereid_kernel_close(o.k);
	nereid_module_close(o.m);
	where_free(w, o.x, 0);
	return 0;
}

/* ---- Contexts ----------------------------------------------------------------------------------------- */

/* cmd_stray launches from a thread that has another context than the device's, or none: by every way. Each
 * time the thread's context is what it was. */
int cmd_stray(struct where *w) {
	struct shared s;
	nereid_module *m;
	float host[N];
	memset(&s, 0, sizeof s);
	s.w = w;
	for (int i = 0; i < N; i++) host[i] = (float)i;
	char *x = where_alloc(w, host, sizeof host, 0), *out = where_alloc(w, host, sizeof host, 0);
	MUST(nereid_module_parse("adds.py", adds, strlen(adds), NULL, &m, &err));
	MUST(nereid_module_kernel(m, "add", &s.k, &err));
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, x, sizeof host), nereid_ptr(NEREID_FLOAT32, x, sizeof host),
		nereid_int(N), nereid_float(1), nereid_int(128)};
	for (int round = 0; round < 8; round++) {
		int away = round % 4 == 1 || round % 4 == 3;
		float v = (float)(round + 1);
		if (away) where_stray(w, round % 4 == 3);
		if (round == 1) MUST(nereid_bind(s.k, w->device, args, 5, NULL, &s.bound, &err));
		add_once(&s, x, out, N, v, round > 4);
		if (away) where_back(w);
		where_wait(w);
		where_read(w, host, out, sizeof host);
		for (int i = 0; i < N && w->results; i++) TRUE(host[i] == (float)i + v);
	}
	where_free(w, x, 0);
	where_free(w, out, 0);
	nereid_bound_close(s.bound);
	nereid_kernel_close(s.k);
	nereid_module_close(m);
	return 0;
}

/* ---- Fork --------------------------------------------------------------------------------------------- */

/* in_child returns 0 if every kind of function answers, with an error or with nothing. */
static int in_child(struct where *w, nereid_kernel *k, nereid_error *before) {
	nereid_module *m;
	nereid_error *err = NULL;
	float v = 0;
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, &v, sizeof v)};
	if (nereid_module_load("x.py", NULL, &m, &err) != NEREID_ERR_FORKED) return 1;
	if (nereid_error_status(err) != NEREID_ERR_FORKED || !strstr(nereid_error_text(err), "fork")) return 2;
	nereid_error_free(err);
	if (nereid_launch_on(k, w->device, NULL, nereid_grid_of(1, 1, 1), args, 1, NULL,
		NULL) != NEREID_ERR_FORKED) return 3;
	if (nereid_kernel_name(k) || nereid_device_name(w->device) || nereid_kernel_params(k)) return 4;
	nereid_kernel_close(k);
	if (!*nereid_error_text(before)) return 5; /* errors made before stay readable */
	nereid_error_free(before);
	return 0;
}

int cmd_fork(struct where *w) {
	nereid_module *m;
	nereid_kernel *k;
	nereid_error *before = NULL;
	MUST(nereid_module_parse("adds.py", adds, strlen(adds), NULL, &m, &err));
	MUST(nereid_module_kernel(m, "add", &k, &err));
	TRUE(nereid_module_kernel(m, "nothing", &k, &before) != NEREID_OK);
	pid_t child = fork();
	if (child == 0) {
		alarm(20); /* a hang is a failure */
		_exit(in_child(w, k, before));
	}
	int status;
	TRUE(waitpid(child, &status, 0) == child);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "the child ended with %#x\n", (unsigned)status);
		return 1;
	}
	nereid_error_free(before);
	float zeros[N] = {0}; /* the parent goes on */
	struct shared s;
	memset(&s, 0, sizeof s);
	s.w = w;
	s.k = k;
	char *x = where_alloc(w, zeros, sizeof zeros, 0), *out = where_alloc(w, zeros, sizeof zeros, 0);
	add_once(&s, x, out, N, 2, 0);
	where_wait(w);
	where_read(w, zeros, out, sizeof zeros);
	TRUE(!w->results || (zeros[0] == 2 && zeros[N - 1] == 2));
	child = fork(); /* a child that execs is on its own */
	if (child == 0) {
		execlp("true", "true", (char *)NULL);
		_exit(1);
	}
	TRUE(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
	where_free(w, x, 0);
	where_free(w, out, 0);
	nereid_kernel_close(k);
	nereid_module_close(m);
	return 0;
}

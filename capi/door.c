/* The C half of the library: the functions of nereid.h that run compiled code; door_jit.c has those that
 * compile. It keeps calls out of Go in a forked child, where Go's threads are gone and a call would wait for
 * them forever, and it owns errors, which outlive that. Everything else is Go's: go_x is nereid_x. */
#define _GNU_SOURCE /* dladdr */
#include "door.h"
#include "_cgo_export.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const char *door_path(void) {
	Dl_info info;
	return dladdr((void *)door_path, &info) ? info.dli_fname : 0;
}

char *door_kept[64]; /* nobody reads it, so a static one would not exist */

const char *door_keep(char *s) {
	static unsigned n;
	unsigned i = __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
	if (i < sizeof door_kept / sizeof *door_kept) door_kept[i] = s;
	return s;
}

/* ---- Errors ------------------------------------------------------------------------------------------- */

struct nereid_error {
	nereid_status status;
	char *text, *file, *kernel, *param;
	int line, column;
	size_t n;
	nereid_diagnostic diagnostics[];
};

static const char *or_empty(const char *s) { return s ? s : ""; }

nereid_error *door_error(int status, char *text, char *file, int line, int column, char *kernel, char *param,
	size_t n) {
	nereid_error *e = calloc(1, sizeof *e + n * sizeof *e->diagnostics);
	if (!e) abort();
	e->status = (nereid_status)status;
	e->text = text;
	e->file = file;
	e->line = line;
	e->column = column;
	e->kernel = kernel;
	e->param = param;
	e->n = n;
	return e;
}

void door_diagnose(nereid_error *e, size_t i, char *severity, char *code, char *message, char *hint,
	char *file, int line, int column, int end_line, int end_column) {
	nereid_diagnostic d = {severity, code, message, hint, file, line, column, end_line, end_column};
	e->diagnostics[i] = d;
}

nereid_status nereid_error_status(const nereid_error *e) { return e ? e->status : NEREID_OK; }
const char *nereid_error_text(const nereid_error *e) { return e ? or_empty(e->text) : ""; }
const char *nereid_error_file(const nereid_error *e) { return e ? or_empty(e->file) : ""; }
int nereid_error_line(const nereid_error *e) { return e ? e->line : 0; }
int nereid_error_column(const nereid_error *e) { return e ? e->column : 0; }
const char *nereid_error_kernel(const nereid_error *e) { return e ? or_empty(e->kernel) : ""; }
const char *nereid_error_param(const nereid_error *e) { return e ? or_empty(e->param) : ""; }
size_t nereid_error_diagnostics(const nereid_error *e) { return e ? e->n : 0; }

bool nereid_error_diagnostic(const nereid_error *e, size_t i, nereid_diagnostic *out) {
	if (!e || !out || i >= e->n) return false;
	*out = e->diagnostics[i];
	return true;
}

void nereid_error_free(nereid_error *e) {
	if (!e) return;
	for (size_t i = 0; i < e->n; i++) {
		nereid_diagnostic *d = &e->diagnostics[i];
		free((void *)d->severity);
		free((void *)d->code);
		free((void *)d->message);
		free((void *)d->hint);
		free((void *)d->file);
	}
	free(e->text);
	free(e->file);
	free(e->kernel);
	free(e->param);
	free(e);
}

const char *nereid_status_name(nereid_status s) {
	static const char *const names[] = {
		[NEREID_OK] = "NEREID_OK",
		[NEREID_ERR_ARGUMENT] = "NEREID_ERR_ARGUMENT",
		[NEREID_ERR_HANDLE] = "NEREID_ERR_HANDLE",
		[NEREID_ERR_IO] = "NEREID_ERR_IO",
		[NEREID_ERR_COMPILE] = "NEREID_ERR_COMPILE",
		[NEREID_ERR_REFUSED] = "NEREID_ERR_REFUSED",
		[NEREID_ERR_BUDGET] = "NEREID_ERR_BUDGET",
		[NEREID_ERR_FAULT] = "NEREID_ERR_FAULT",
		[NEREID_ERR_CRASH] = "NEREID_ERR_CRASH",
		[NEREID_ERR_NO_DEVICE] = "NEREID_ERR_NO_DEVICE",
		[NEREID_ERR_NO_LLVM] = "NEREID_ERR_NO_LLVM",
		[NEREID_ERR_NOT_COMPILED] = "NEREID_ERR_NOT_COMPILED",
		[NEREID_ERR_CAPTURING] = "NEREID_ERR_CAPTURING",
		[NEREID_ERR_CANCELLED] = "NEREID_ERR_CANCELLED",
		[NEREID_ERR_DEVICE] = "NEREID_ERR_DEVICE",
		[NEREID_ERR_FORKED] = "NEREID_ERR_FORKED",
		[NEREID_ERR_INTERNAL] = "NEREID_ERR_INTERNAL",
	};
	if ((unsigned)s >= sizeof names / sizeof *names) return "";
	return names[s];
}

/* ---- Fork --------------------------------------------------------------------------------------------- */

volatile int door_forked;

static void in_child(void) { door_forked = 1; }
static __attribute__((constructor)) void watch_forks(void) { pthread_atfork(0, 0, in_child); }

nereid_status door_refuse(nereid_error **err) {
	if (err)
		*err = door_error(NEREID_ERR_FORKED, strdup("nereid: this process was forked from one that had loaded the "
			"library, whose threads are not here: use it before fork in the parent alone, or exec"),
			0, 0, 0, 0, 0, 0);
	return NEREID_ERR_FORKED;
}

/* ---- The functions of nereid.h ------------------------------------------------------------------------ */

int nereid_abi(void) { return NEREID_ABI; }
const char *nereid_version(void) { GET("", go_version()); }
void nereid_free(void *p) { free(p); }

nereid_dtype nereid_dtype_of(const char *name) {
	GET(NEREID_INVALID, (nereid_dtype)go_dtype_of((char *)name));
}
const char *nereid_dtype_name(nereid_dtype t) { GET("", go_dtype_name(t)); }
size_t nereid_dtype_size(nereid_dtype t) { GET(0, go_dtype_size(t)); }

nereid_status nereid_device_open(const char *name, nereid_device **out, nereid_error **err) {
	CALL(err, go_device_open((char *)name, (uintptr_t *)out, err));
}
nereid_status nereid_device_from_context(void *cucontext, nereid_device **out, nereid_error **err) {
	CALL(err, go_device_from_context(H(cucontext), (uintptr_t *)out, err));
}
nereid_status nereid_device_list(void (*f)(void *, const char *, const char *, const char *), void *user,
	nereid_error **err) {
	CALL(err, go_device_list(f, user, err));
}
char *nereid_device_name(nereid_device *d) { GET(0, go_device_name(H(d))); }
char *nereid_device_info(nereid_device *d) { GET(0, go_device_info(H(d))); }
char *nereid_device_stages(nereid_device *d) { GET(0, go_device_stages(H(d))); }
char *nereid_device_target(nereid_device *d) { GET(0, go_device_target(H(d))); }
void nereid_device_close(nereid_device *d) { DO(go_device_close(H(d))); }

nereid_status nereid_stream_new(nereid_device *d, nereid_stream **out, nereid_error **err) {
	CALL(err, go_stream_new(H(d), (uintptr_t *)out, err));
}
nereid_status nereid_stream_external(nereid_device *d, void *custream, nereid_stream **out,
	nereid_error **err) {
	CALL(err, go_stream_external(H(d), H(custream), (uintptr_t *)out, err));
}
nereid_status nereid_stream_sync(nereid_stream *s, nereid_error **err) { CALL(err, go_stream_sync(H(s),
	err)); }
void nereid_stream_cancel(nereid_stream *s) { DO(go_stream_cancel(H(s))); }
void nereid_stream_close(nereid_stream *s) { DO(go_stream_close(H(s))); }

nereid_status nereid_tensor_new(nereid_device *d, nereid_dtype dtype, const int64_t *shape, size_t ndim,
	nereid_tensor **out, nereid_error **err) {
	CALL(err, go_tensor_new(H(d), dtype, (int64_t *)shape, ndim, (uintptr_t *)out, err));
}
nereid_status nereid_tensor_read(nereid_tensor *t, void *into, size_t bytes, nereid_error **err) {
	CALL(err, go_tensor_read(H(t), into, bytes, err));
}
nereid_status nereid_tensor_write(nereid_tensor *t, const void *from, size_t bytes, nereid_error **err) {
	CALL(err, go_tensor_write(H(t), (void *)from, bytes, err));
}
uint64_t nereid_tensor_address(nereid_tensor *t) { GET(0, go_tensor_address(H(t))); }
void nereid_tensor_close(nereid_tensor *t) { DO(go_tensor_close(H(t))); }

char *nereid_code_stages(nereid_code *c) { GET(0, go_code_stages(H(c))); }
char *nereid_code_stage(nereid_code *c, const char *stage, size_t *bytes) {
	GET(0, go_code_stage(H(c), (char *)stage, bytes));
}
nereid_status nereid_code_info(nereid_code *c, char **json, nereid_error **err) {
	CALL(err, go_code_info(H(c), json, err));
}
nereid_status nereid_code_save(nereid_code *c, void **data, size_t *bytes, nereid_error **err) {
	CALL(err, go_code_save(H(c), data, bytes, err));
}
nereid_status nereid_code_load(nereid_device *d, const void *data, size_t bytes, nereid_code **out,
	nereid_error **err) {
	CALL(err, go_code_load(H(d), (void *)data, bytes, (uintptr_t *)out, err));
}
nereid_status nereid_code_launch(nereid_code *c, nereid_stream *s, nereid_grid grid, const nereid_arg *args,
	size_t n, nereid_error **err) {
	CALL(err, go_code_launch(H(c), H(s), &grid, (nereid_arg *)args, n, err));
}
void nereid_code_close(nereid_code *c) { DO(go_code_close(H(c))); }

nereid_status nereid_bundle_open(const char *path, nereid_bundle **out, nereid_error **err) {
	CALL(err, go_bundle_open((char *)path, (uintptr_t *)out, err));
}
char *nereid_bundle_variants(nereid_bundle *b) { GET(0, go_bundle_variants(H(b))); }
nereid_status nereid_bundle_code(nereid_bundle *b, const char *name, nereid_device *d, nereid_code **out,
	nereid_error **err) {
	CALL(err, go_bundle_code(H(b), (char *)name, H(d), (uintptr_t *)out, err));
}
void nereid_bundle_close(nereid_bundle *b) { DO(go_bundle_close(H(b))); }

/* ---- Calls of the caller's functions ------------------------------------------------------------------- */

void door_device(door_device_fn f, void *user, char *name, char *info, char *why) { f(user, name, info,
	why); }

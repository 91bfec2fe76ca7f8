/* door.h: what the C and the Go half of the library call of each other. nereid.h is for everybody else. */
#ifndef NEREID_DOOR_H
#define NEREID_DOOR_H

#include "nereid.h"

/* door_path returns the path of the file that this code is in, or NULL. */
const char *door_path(void);

/* door_keep returns a string that lives for ever, in C's memory, where a search for leaks finds it. */
const char *door_keep(char *s);

/* door_error returns an error with room for n diagnostics. It owns the strings, which malloc made; NULL means
 * "". */
nereid_error *door_error(int status, char *text, char *file, int line, int column, char *kernel, char *param,
	size_t n);
/* door_diagnose sets diagnostic i, whose strings malloc made. */
void door_diagnose(nereid_error *e, size_t i, char *severity, char *code, char *message, char *hint,
	char *file, int line, int column, int end_line, int end_column);

/* In a child of fork, door_forked is 1, and every call ends with door_refuse's error. */
extern volatile int door_forked __attribute__((visibility("hidden")));
nereid_status door_refuse(nereid_error **err);

/* H is the number of a handle. CALL calls a function of Go's that returns a status, GET one that returns
 * something else, DO one that returns nothing. */
#define H(handle) ((uintptr_t)(handle))
#define CALL(err, call) return __builtin_expect(door_forked, 0) ? door_refuse(err) : (nereid_status)(call)
#define GET(none, call) return __builtin_expect(door_forked, 0) ? (none) : (call)
#define DO(call) do { if (!door_forked) call; } while (0)

/* Calls of the caller's functions, which Go cannot make itself. */
typedef void (*door_device_fn)(void *user, const char *name, const char *info, const char *why);
void door_device(door_device_fn f, void *user, char *name, char *info, char *why);

#ifndef NEREID_RUN
int door_grid(nereid_grid_fn f, void *user, uintptr_t meta, uint32_t *grid);
void door_log(nereid_log_fn f, void *user, int level, char *text);
void door_progress(nereid_progress_fn f, void *user, size_t done, size_t total, nereid_variant *v,
	char *failed);
int door_before_compile(nereid_hooks *h, nereid_variant *v);
void door_after_compile(nereid_hooks *h, nereid_variant *v, uint64_t ns, int found, char *failed);
void door_stage(nereid_hooks *h, nereid_variant *v, char *name, uint64_t ns, void *text, size_t bytes);
void door_before_launch(nereid_hooks *h, nereid_variant *v, uint32_t *grid);
void door_after_launch(nereid_hooks *h, nereid_variant *v, uint32_t *grid, char *failed);
#endif

#endif

//go:build !nereid_run

/* The functions of nereid.h that compile, and launch what they compile: libnereid_run does not have them. */
#include "door.h"
#include "quick.h"
#include "_cgo_export.h"

nereid_status nereid_config_new(bool env, nereid_config **out, nereid_error **err) {
	CALL(err, go_config_new(env, (uintptr_t *)out, err));
}
nereid_status nereid_config_set(nereid_config *c, const char *key, const char *value, nereid_error **err) {
	CALL(err, go_config_set(H(c), (char *)key, (char *)value, err));
}
nereid_status nereid_config_log(nereid_config *c, nereid_log_fn fn, void *user, int least,
	nereid_error **err) {
	CALL(err, go_config_log(H(c), fn, user, least, err));
}
nereid_status nereid_config_hooks(nereid_config *c, const nereid_hooks *h, nereid_error **err) {
	CALL(err, go_config_hooks(H(c), (nereid_hooks *)h, err));
}
void nereid_config_close(nereid_config *c) { DO(go_config_close(H(c))); }

nereid_status nereid_module_load(const char *path, nereid_config *config, nereid_module **out,
	nereid_error **err) {
	CALL(err, go_module_load((char *)path, H(config), (uintptr_t *)out, err));
}
nereid_status nereid_module_parse(const char *name, const char *text, size_t n, nereid_config *config,
	nereid_module **out, nereid_error **err) {
	CALL(err, go_module_parse((char *)name, (char *)text, n, H(config), (uintptr_t *)out, err));
}
nereid_status nereid_module_ir(const char *name, const char *text, size_t n, nereid_config *config,
	nereid_module **out, nereid_error **err) {
	CALL(err, go_module_ir((char *)name, (char *)text, n, H(config), (uintptr_t *)out, err));
}
char *nereid_module_kernels(nereid_module *m) { GET(0, go_module_kernels(H(m))); }
nereid_status nereid_module_kernel(nereid_module *m, const char *name, nereid_kernel **out,
	nereid_error **err) {
	CALL(err, go_module_kernel(H(m), (char *)name, (uintptr_t *)out, err));
}
nereid_status nereid_module_warmup(nereid_module *m, nereid_device *d, const char *manifest,
	nereid_progress_fn progress, void *user, nereid_error **err) {
	CALL(err, go_module_warmup(H(m), H(d), (char *)manifest, progress, user, err));
}
void nereid_module_close(nereid_module *m) { DO(go_module_close(H(m))); }

const char *nereid_kernel_name(nereid_kernel *k) { GET(0, go_kernel_name(H(k))); }
size_t nereid_kernel_params(nereid_kernel *k) { GET(0, go_kernel_params(H(k))); }
const char *nereid_kernel_param(nereid_kernel *k, size_t i, uint32_t *flags) {
	GET(0, go_kernel_param(H(k), i, flags));
}
nereid_status nereid_kernel_signature(nereid_kernel *k, const nereid_arg *args, size_t n, char **out,
	nereid_error **err) {
	CALL(err, go_kernel_signature(H(k), (nereid_arg *)args, n, out, err));
}
nereid_status nereid_kernel_build(nereid_kernel *k, nereid_device *d, const char *signature,
	const nereid_options *options, nereid_error **err) {
	CALL(err, go_kernel_build(H(k), H(d), (char *)signature, (nereid_options *)options, err));
}
void nereid_kernel_close(nereid_kernel *k) { DO(go_kernel_close(H(k))); }

nereid_status nereid_launch(nereid_kernel *k, nereid_stream *s, nereid_grid grid, const nereid_arg *args,
	size_t n, const nereid_options *options, nereid_error **err) {
	if (!door_forked && quick_launch(H(k), H(s), 0, NULL, &grid, args, n, options)) return NEREID_OK;
	CALL(err, go_launch(H(k), H(s), &grid, (nereid_arg *)args, n, (nereid_options *)options, err));
}
nereid_status nereid_launch_on(nereid_kernel *k, nereid_device *d, void *custream, nereid_grid grid,
	const nereid_arg *args, size_t n, const nereid_options *options, nereid_error **err) {
	if (!door_forked && quick_launch(H(k), H(d), 1, custream, &grid, args, n, options)) return NEREID_OK;
	CALL(err, go_launch_on(H(k), H(d), H(custream), &grid, (nereid_arg *)args, n, (nereid_options *)options,
		err));
}
nereid_error *nereid_launch_call(const nereid_call *c) {
	nereid_error *err = NULL;
	nereid_grid grid = {c->x, c->y, c->z, 0, NULL, NULL};
	const nereid_arg *args = (const nereid_arg *)(c + 1);
	return nereid_launch_on(c->kernel, c->device, c->custream, grid, args, c->n, c->options, &err) ? err : NULL;
}
nereid_status nereid_prepare(nereid_kernel *k, nereid_stream *s, nereid_grid grid, const nereid_arg *args,
	size_t n, const nereid_options *options, nereid_error **err) {
	CALL(err, go_prepare(H(k), H(s), &grid, (nereid_arg *)args, n, (nereid_options *)options, err));
}

nereid_status nereid_bind(nereid_kernel *k, nereid_device *d, const nereid_arg *args, size_t n,
	const nereid_options *options, nereid_bound **out, nereid_error **err) {
	CALL(err, go_bind(H(k), H(d), (nereid_arg *)args, n, (nereid_options *)options, (uintptr_t *)out, err));
}
nereid_status nereid_bind_signature(nereid_kernel *k, nereid_device *d, const char *signature,
	const nereid_options *options, nereid_bound **out, nereid_error **err) {
	CALL(err, go_bind_signature(H(k), H(d), (char *)signature, (nereid_options *)options, (uintptr_t *)out,
		err));
}
size_t nereid_bound_params(nereid_bound *b) { GET(0, go_bound_params(H(b))); }
const char *nereid_bound_param(nereid_bound *b, size_t i, const char **type) {
	GET(0, go_bound_param(H(b), i, (char **)type));
}
nereid_status nereid_bound_launch(nereid_bound *b, void *custream, uint32_t x, uint32_t y, uint32_t z,
	void *const *params, size_t n, nereid_error **err) {
	if (!door_forked && quick_frozen(H(b), custream, x, y, z, params, n)) return NEREID_OK;
	CALL(err, go_bound_launch(H(b), H(custream), x, y, z, (void **)params, n, err));
}
void nereid_bound_close(nereid_bound *b) { DO(go_bound_close(H(b))); }

nereid_status nereid_compile(nereid_kernel *k, const char *target, const char *signature,
	const nereid_options *options, const char *until, nereid_code **out, nereid_error **err) {
	CALL(err, go_compile(H(k), (char *)target, (char *)signature, (nereid_options *)options, (char *)until,
		(uintptr_t *)out, err));
}

bool nereid_meta_int(const nereid_meta *m, const char *name, int64_t *out) {
	GET(false, go_meta_int(H(m), (char *)name, out));
}

nereid_status nereid_certify_prepare(nereid_dtype t, void *data, size_t bytes, nereid_error **err) {
	CALL(err, go_certify_prepare(t, data, bytes, err));
}
nereid_status nereid_certify_compare(nereid_dtype t, const void *before, const void *source, const void *code,
	size_t bytes, size_t *changed, char **differ, nereid_error **err) {
	CALL(err, go_certify_compare(t, (void *)before, (void *)source, (void *)code, bytes, changed, differ, err));
}

/* ---- Calls of the caller's functions ------------------------------------------------------------------- */

int door_grid(nereid_grid_fn f, void *user, uintptr_t meta, uint32_t *grid) {
	return f(user, (const nereid_meta *)meta, grid);
}
void door_log(nereid_log_fn f, void *user, int level, char *text) { f(user, level, text); }
void door_progress(nereid_progress_fn f, void *user, size_t done, size_t total, nereid_variant *v,
	char *failed) {
	f(user, done, total, v, failed);
}
int door_before_compile(nereid_hooks *h, nereid_variant *v) { return h->before_compile(h->user, v); }
void door_after_compile(nereid_hooks *h, nereid_variant *v, uint64_t ns, int found, char *failed) {
	h->after_compile(h->user, v, ns, found, failed);
}
void door_stage(nereid_hooks *h, nereid_variant *v, char *name, uint64_t ns, void *text, size_t bytes) {
	h->stage(h->user, v, name, ns, text, bytes);
}
void door_before_launch(nereid_hooks *h, nereid_variant *v, uint32_t *grid) {
	h->before_launch(h->user, v, grid);
}
void door_after_launch(nereid_hooks *h, nereid_variant *v, uint32_t *grid, char *failed) {
	h->after_launch(h->user, v, grid, failed);
}

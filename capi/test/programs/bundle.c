/* Runs a kernel of a bundle with libnereid_run: bundle DEVICE FILE. It prints "ok" if all is right. */
#include "check.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000 };

/* status frees an error and returns its status, which the text must explain. */
static nereid_status status(nereid_error *e, const char *text) {
	nereid_status s = nereid_error_status(e);
	if (!strstr(nereid_error_text(e), text)) {
		fprintf(stderr, "%s\n", nereid_error_text(e));
		exit(1);
	}
	nereid_error_free(e);
	return s;
}

/* add runs code that adds vectors, on memory of the device. */
static void add(nereid_device *d, nereid_stream *s, nereid_code *code) {
	static float x[N], out[N];
	const int64_t shape[1] = {N};
	nereid_tensor *tx, *ty;
	for (int i = 0; i < N; i++) x[i] = (float)i;
	MUST(nereid_tensor_new(d, NEREID_FLOAT32, shape, 1, &tx, &err));
	MUST(nereid_tensor_new(d, NEREID_FLOAT32, shape, 1, &ty, &err));
	MUST(nereid_tensor_write(tx, x, sizeof x, &err));
	nereid_arg args[] = {nereid_tensor_arg(tx), nereid_tensor_arg(tx), nereid_tensor_arg(ty), nereid_int(N)};
	MUST(nereid_code_launch(code, s, nereid_grid_of((N + 255) / 256, 1, 1), args, 4, &err));
	MUST(nereid_stream_sync(s, &err));
	MUST(nereid_tensor_read(ty, out, sizeof out, &err));
	if (strncmp(nereid_device_name(d), "cpu", 3) == 0) /* a stub of a driver computes nothing */
		for (int i = 0; i < N; i++) TRUE(out[i] == (float)(2 * i));
	nereid_tensor_close(tx);
	nereid_tensor_close(ty);
}

/* wrong calls get an error each. */
static void wrong(nereid_device *d, nereid_stream *s, nereid_bundle *b, nereid_code *code) {
	nereid_error *e = NULL;
	nereid_bundle *none = NULL;
	nereid_code *no_code = NULL;
	nereid_device *no_device = NULL;
	nereid_arg few[] = {nereid_int(1)};
	TRUE(nereid_bundle_open("/nowhere.nrb", &none, &e) == NEREID_ERR_IO && !none);
	TRUE(status(e, "/nowhere.nrb") == NEREID_ERR_IO);
	TRUE(nereid_bundle_code(b, "sub", d, &no_code, &e) != NEREID_OK && !no_code);
	TRUE(status(e, "sub") == NEREID_ERR_ARGUMENT);
	TRUE(nereid_device_open("interp", &no_device, &e) == NEREID_ERR_NO_DEVICE && !no_device);
	TRUE(status(e, "interp") == NEREID_ERR_NO_DEVICE);
	TRUE(nereid_code_launch(code, s, nereid_grid_of(1, 1, 1), few, 1, &e) != NEREID_OK);
	TRUE(status(e, "argument") == NEREID_ERR_ARGUMENT);
	TRUE(nereid_code_load(d, "no code", 7, &no_code, &e) != NEREID_OK && !no_code);
	nereid_error_free(e);
	TRUE(nereid_bundle_code((nereid_bundle *)d, "add", d, &no_code, NULL) == NEREID_ERR_HANDLE);
}

/* forks: the library refuses in a child, and goes on in the parent. */
static void forks(nereid_stream *s) {
	pid_t child = fork();
	if (child == 0) _exit(nereid_stream_sync(s, NULL) == NEREID_ERR_FORKED ? 0 : 1);
	int how = 1;
	TRUE(waitpid(child, &how, 0) == child && how == 0);
	MUST(nereid_stream_sync(s, &err));
}

int main(int argc, char **argv) {
	nereid_device *d;
	nereid_stream *s;
	nereid_bundle *b;
	nereid_code *code, *again;
	void *saved;
	size_t bytes;
	char *text;
	TRUE(argc == 3 && nereid_abi() == NEREID_ABI && nereid_dtype_of("fp32") == NEREID_FLOAT32);
	MUST(nereid_device_open(argv[1], &d, &err));
	MUST(nereid_stream_new(d, &s, &err));
	MUST(nereid_bundle_open(argv[2], &b, &err));
	text = nereid_bundle_variants(b);
	TRUE(strstr(text, "\"name\":\"add\"") && strstr(text, "\"BLOCK_SIZE\":\"256\""));
	nereid_free(text);
	MUST(nereid_bundle_code(b, "add", d, &code, &err));
	add(d, s, code);
	wrong(d, s, b, code);
	forks(s);

	MUST(nereid_code_info(code, &text, &err));
	TRUE(strstr(text, "add_kernel"));
	nereid_free(text);
	MUST(nereid_code_save(code, &saved, &bytes, &err));
	nereid_bundle_close(b);
	MUST(nereid_code_load(d, saved, bytes, &again, &err));
	nereid_free(saved);
	add(d, s, again);
	nereid_code_close(code);
	nereid_code_close(again);
	nereid_stream_close(s);
	nereid_device_close(d);
	puts("ok");
	return 0;
}

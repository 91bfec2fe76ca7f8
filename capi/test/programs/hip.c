/* Runs kernels through the library on AMD's GPU: hip SOFTMAX.py. It prints "ok" if all is right. */
#include "check.h"

#include <math.h>
#include <string.h>

enum { ROWS = 3, COLS = 200, BLOCK = 256 };

/* softmax compares what the kernel wrote with the same in double precision. */
static void judge(const float *x, const float *y) {
	for (int r = 0; r < ROWS; r++, x += COLS, y += COLS) {
		double most = x[0], sum = 0;
		for (int i = 0; i < COLS; i++) most = x[i] > most ? x[i] : most;
		for (int i = 0; i < COLS; i++) sum += exp(x[i] - most);
		for (int i = 0; i < COLS; i++) TRUE(fabs(y[i] - exp(x[i] - most) / sum) < 1e-6);
	}
}

int main(int argc, char **argv) {
	static float x[ROWS * COLS], y[ROWS * COLS];
	const int64_t shape[1] = {ROWS * COLS};
	nereid_device *d, *none = NULL;
	nereid_stream *s, *other;
	nereid_module *m;
	nereid_kernel *k;
	nereid_tensor *in, *out;
	nereid_error *e = NULL;
	TRUE(argc == 2);
	for (int i = 0; i < ROWS * COLS; i++) x[i] = (float)(i * 37 % 101) / 16 - 3;
	MUST(nereid_device_open("hip:0", &d, &err));
	TRUE(!strcmp(nereid_device_name(d), "hip:0"));
	TRUE(nereid_device_open("hip:1", &none, &e) == NEREID_ERR_NO_DEVICE && !none);
	TRUE(strstr(nereid_error_text(e), "hip:1"));
	nereid_error_free(e);
	MUST(nereid_stream_new(d, &s, &err));
	MUST(nereid_stream_external(d, NULL, &other, &err));
	MUST(nereid_module_load(argv[1], NULL, &m, &err));
	MUST(nereid_module_kernel(m, "softmax_kernel", &k, &err));
	MUST(nereid_tensor_new(d, NEREID_FLOAT32, shape, 1, &in, &err));
	MUST(nereid_tensor_new(d, NEREID_FLOAT32, shape, 1, &out, &err));
	MUST(nereid_tensor_write(in, x, sizeof x, &err));
	nereid_arg args[] = {nereid_tensor_arg(out), nereid_tensor_arg(in), nereid_int(COLS), nereid_int(COLS),
		nereid_int(COLS), nereid_int(BLOCK)};
	MUST(nereid_launch(k, s, nereid_grid_of(ROWS, 1, 1), args, 6, NULL, &err));
	MUST(nereid_stream_sync(s, &err));
	MUST(nereid_tensor_read(out, y, sizeof y, &err));
	judge(x, y);
	memset(y, 0, sizeof y);
	MUST(nereid_tensor_write(out, y, sizeof y, &err));
	MUST(nereid_launch(k, other, nereid_grid_of(ROWS, 1, 1), args, 6, NULL, &err));
	MUST(nereid_launch_on(k, d, NULL, nereid_grid_of(ROWS, 1, 1), args, 6, NULL, &err));
	MUST(nereid_stream_sync(other, &err));
	MUST(nereid_tensor_read(out, y, sizeof y, &err));
	judge(x, y);
	nereid_tensor_close(in);
	nereid_tensor_close(out);
	nereid_kernel_close(k);
	nereid_module_close(m);
	nereid_stream_close(s);
	nereid_stream_close(other);
	nereid_device_close(d);
	puts("ok");
	return 0;
}

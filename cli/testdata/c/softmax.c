/* Runs every variant of the softmax table on the CPU, or with the argument "cuda" or "hip" on a GPU, and
   compares the results with those of a plain loop. "launch" instead of "cuda" launches only: for a driver
   whose kernels do nothing. */
#include "gpu.h"
#include "softmax.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float from_half(uint16_t h) {
	int e = h >> 10 & 31, m = h & 1023;
	float v = e ? ldexpf(1024 + m, e - 25) : ldexpf(m, -24);
	return h >> 15 ? -v : v;
}

static uint16_t to_half(float f) { /* of small multiples of 1/8 alone */
	int e = 0;
	uint16_t sign = f < 0 ? 0x8000 : 0;
	float v = fabsf(f);
	if (v == 0) return sign;
	while (v >= 2048) v /= 2, e++;
	while (v < 1024) v *= 2, e--;
	return sign | (uint16_t)((e + 25) << 10) | ((uint16_t)v & 1023);
}

/* check runs one variant over some rows. */
static double check(const softmax_variant *v, const softmax_place *where, int half, int compare) {
	int rows = 5, stride = atoi(softmax_constant(v, "BLOCK_SIZE")), n = stride - 25, r, i;
	size_t width = half ? 2 : 4, bytes = (size_t)rows * stride * width;
	char *x = calloc(1, bytes), *y = calloc(1, bytes);
	uint64_t words[5] = {0}, dx = (uint64_t)(uintptr_t)x, dy = (uint64_t)(uintptr_t)y;
	double worst = 0;
	for (i = 0; i < rows * stride; i++) {
		float f = (float)(i * 7 % 33) / 8 - 2;
		if (half) ((uint16_t *)x)[i] = to_half(f);
		else ((float *)x)[i] = f;
	}
	if (where->gpu && (mem_alloc(&dx, bytes) || mem_alloc(&dy, bytes) || to_device(dx, x, bytes))) return 1e9;
	words[0] = dy, words[1] = dx, words[2] = (uint64_t)stride, words[3] = (uint64_t)stride,
	    words[4] = (uint64_t)n;
	if (softmax_launch(v, where, (unsigned)rows, 1, 1, words)) return printf("%s\n", softmax_error()), 1e9;
	if (where->gpu && (synchronize() || to_host(y, dy, bytes))) return 1e9;
	for (r = 0; compare && r < rows; r++) {
		double sum = 0;
		for (i = 0; i < n; i++) {
			float f = (float)((r * stride + i) * 7 % 33) / 8 - 2;
			sum += exp(f);
		}
		for (i = 0; i < stride; i++) {
			int at = r * stride + i;
			double want = i < n ? exp((float)(at * 7 % 33) / 8 - 2) / sum : 0;
			double got = half ? from_half(((uint16_t *)y)[at]) : ((float *)y)[at];
			double d = fabs(got - want) / (want + (half ? 6e-5 : 1e-6));
			if (!(d <= worst)) worst = d;
		}
	}
	free(x), free(y);
	return worst;
}

int main(int argc, char **argv) {
	softmax_place where = {argc > 1, 0, 3};
	const char *block[] = {"BLOCK_SIZE", "4096", 0}, *none[] = {"BLOCK_SIZE", "4095", 0};
	int i, bad = 0, compare = argc < 2 || argv[1][0] != 'l';
	if (argc > 1 && argv[1][0] == 'h') where.gpu = softmax_HIP;
	if (where.gpu && (where.gpu == softmax_HIP ? open_hip() : open_gpu())) return 1;
	for (i = 0; i < softmax_count; i++) {
		const softmax_variant *v = softmax_variants[i];
		int half = strstr(softmax_group(v), "fp16") != 0;
		double worst = check(v, &where, half, compare), allowed = half ? 2e-3 : 1e-5;
		if (!(worst <= allowed)) bad++;
		printf("%s %s %.1e\n", worst <= allowed ? "ok" : "FAIL", softmax_name(v), worst);
	}
	if (softmax_choose("softmax_fp32", block, &where, 0) != softmax_find("softmax_fp32_4096") ||
	    !softmax_find("softmax_fp32_4096")) bad++, printf("FAIL choose\n");
	if (softmax_choose("softmax_fp32", none, &where, 0)) bad++, printf("FAIL choose finds what is not there\n");
	if (softmax_find("nothing") || !strstr(softmax_error(), "nothing")) bad++, printf("FAIL find\n");
	if (softmax_launch(0, &where, 1, 1, 1, 0) == 0) bad++, printf("FAIL launch of nothing\n");
	printf("%d variants, %d bad\n", softmax_count, bad);
	return bad != 0;
}

// The loops that are built with -O3 -march=native -ffast-math: as one writes them when the compiler is to
// make the best of it.
#include "threads.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct rows { const void *x, *w, *b; void *out; long cols; float eps; };

static void softmax(void *p, long first, long end) {
    struct rows *a = p;
    long n = a->cols;
    for (long r = first; r < end; r++) {
        const float *restrict x = (const float *)a->x + r * n;
        float *restrict y = (float *)a->out + r * n;
        float top = x[0], sum = 0;
        for (long i = 1; i < n; i++) top = x[i] > top ? x[i] : top;
        for (long i = 0; i < n; i++) {
            y[i] = expf(x[i] - top);
            sum += y[i];
        }
        float scale = 1 / sum;
        for (long i = 0; i < n; i++) y[i] *= scale;
    }
}

void peer_softmax(const float *x, float *out, long rows, long cols) {
    struct rows a = {.x = x, .out = out, .cols = cols};
    peer_run(softmax, &a, rows);
}

static void layer_norm(void *p, long first, long end) {
    struct rows *a = p;
    long n = a->cols;
    const float *restrict w = a->w, *restrict b = a->b;
    for (long r = first; r < end; r++) {
        const float *restrict x = (const float *)a->x + r * n;
        float *restrict y = (float *)a->out + r * n;
        float mean = 0, var = 0;
        for (long i = 0; i < n; i++) mean += x[i];
        mean /= n;
        for (long i = 0; i < n; i++) var += (x[i] - mean) * (x[i] - mean);
        float rstd = 1 / sqrtf(var / n + a->eps);
        for (long i = 0; i < n; i++) y[i] = (x[i] - mean) * rstd * w[i] + b[i];
    }
}

void peer_layer_norm(const float *x, const float *w, const float *b, float *out, long rows, long cols) {
    struct rows a = {.x = x, .w = w, .b = b, .out = out, .cols = cols, .eps = 1e-5f};
    peer_run(layer_norm, &a, rows);
}

static inline float from_bf16(uint16_t h) {
    uint32_t u = (uint32_t)h << 16;
    float f;
    memcpy(&f, &u, 4);
    return f;
}

static inline uint16_t to_bf16(float f) { // to nearest, halves to even
    uint32_t u;
    memcpy(&u, &f, 4);
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static void rms_norm(void *p, long first, long end) {
    struct rows *a = p;
    long n = a->cols;
    const uint16_t *restrict w = a->w;
    for (long r = first; r < end; r++) {
        const uint16_t *restrict x = (const uint16_t *)a->x + r * n;
        uint16_t *restrict y = (uint16_t *)a->out + r * n;
        float sum = 0;
        for (long i = 0; i < n; i++) {
            float v = from_bf16(x[i]);
            sum += v * v;
        }
        float rstd = 1 / sqrtf(sum / n + a->eps);
        for (long i = 0; i < n; i++) y[i] = to_bf16(from_bf16(x[i]) * rstd * from_bf16(w[i]));
    }
}

void peer_rms_norm(const uint16_t *x, const uint16_t *w, uint16_t *out, long rows, long cols) {
    struct rows a = {.x = x, .w = w, .out = out, .cols = cols, .eps = 1e-6f};
    peer_run(rms_norm, &a, rows);
}

static void swiglu(void *p, long first, long end) {
    struct rows *a = p;
    const uint16_t *restrict g = a->x, *restrict u = a->w;
    uint16_t *restrict out = a->out;
    for (long i = first; i < end; i++) {
        float v = from_bf16(g[i]);
        out[i] = to_bf16(v / (1 + expf(-v)) * from_bf16(u[i]));
    }
}

void peer_swiglu(const uint16_t *gate, const uint16_t *up, uint16_t *out, long n) {
    struct rows a = {.x = gate, .w = up, .out = out};
    peer_run(swiglu, &a, n);
}

#include "quick.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOAD(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define STORE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

struct place {
	uint64_t handle, device;
	uintptr_t stream;
};

typedef int launch_fn(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
	void *, void **,
	void **);
typedef int current_fn(void **);

static struct place places[QUICK_SLOTS];
static struct quick *ways[QUICK_SLOTS][QUICK_WAYS];

/* slot returns the slot of a handle, or -1. */
static long slot(uint64_t handle) {
	uint32_t s = (uint32_t)handle;
	return handle && s < QUICK_SLOTS ? (long)s : -1;
}

/* ---- Writing, one thread at a time -------------------------------------------------------------------- */

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static struct quick *spare[1024]; /* memory to be reused */
static unsigned spares, made;

enum { MAX_MADE = 1 << 13 };

void quick_place(uint64_t handle, uint64_t device, uintptr_t stream) {
	long s = slot(handle);
	if (s < 0) return;
	struct place *p = &places[s];
	pthread_mutex_lock(&writing);
	STORE(&p->handle, 0);
	STORE(&p->device, device);
	STORE(&p->stream, stream);
	STORE(&p->handle, handle);
	pthread_mutex_unlock(&writing);
}

struct quick *quick_begin(void) {
	struct quick *q = NULL;
	pthread_mutex_lock(&writing);
	if (spares)
		q = spare[--spares];
	else if (made < MAX_MADE && (q = calloc(1, sizeof *q)))
		made++;
	pthread_mutex_unlock(&writing);
	if (!q) return NULL;
	STORE(&q->sequence, q->sequence | 1);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return q;
}

/* put_back keeps memory for reuse; what is too much stays where it is. */
static void put_back(struct quick *q) {
	if (q && spares < sizeof spare / sizeof *spare) spare[spares++] = q;
}

void quick_show(struct quick *q, unsigned way) {
	STORE(&q->sequence, (q->sequence | 1) + 1);
	long s = slot(q->owner);
	pthread_mutex_lock(&writing);
	if (s < 0) {
		put_back(q);
	} else {
		struct quick **at = &ways[s][way % QUICK_WAYS], *old = *at;
		STORE(at, q);
		put_back(old);
	}
	pthread_mutex_unlock(&writing);
}

void quick_forget(uint64_t handle) {
	long s = slot(handle);
	if (s < 0) return;
	pthread_mutex_lock(&writing);
	if (places[s].handle == handle) STORE(&places[s].handle, 0);
	for (int i = 0; i < QUICK_WAYS; i++) {
		struct quick *q = ways[s][i];
		if (q && q->owner == handle) {
			STORE(&ways[s][i], (struct quick *)NULL);
			put_back(q);
		}
	}
	pthread_mutex_unlock(&writing);
}

/* ---- Launches under way ------------------------------------------------------------------------------ */

/* Threads count their launches in shards, so that they do not wait for each other's memory. Launches that
 * begin while somebody waits are counted apart, so that waiting ends. */
enum { SHARDS = 32 };
static struct shard {
	uint32_t under_way[2];
	char pad[56];
} shards[SHARDS];
static uint32_t phase, threads;
static pthread_mutex_t waiting = PTHREAD_MUTEX_INITIALIZER;

/* begin begins a launch: whatever it finds open from here on is not destroyed before end. */
static uint32_t *begin(void) {
	static __thread uint32_t mine;
	if (!mine) mine = 1 + __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED) % SHARDS;
	uint32_t *n = &shards[mine - 1].under_way[LOAD(&phase) & 1];
	__atomic_fetch_add(n, 1, __ATOMIC_SEQ_CST);
	return n;
}

static void end(uint32_t *n) { __atomic_fetch_sub(n, 1, __ATOMIC_RELEASE); }

void quick_wait(void) {
	static const struct timespec pause = {0, 20000};
	pthread_mutex_lock(&waiting);
	for (uint32_t i = 0; i < 2; i++) {
		__atomic_store_n(&phase, 1 - i, __ATOMIC_SEQ_CST);
		for (int s = 0; s < SHARDS; s++)
			while (__atomic_load_n(&shards[s].under_way[i], __ATOMIC_SEQ_CST)) nanosleep(&pause, NULL);
	}
	pthread_mutex_unlock(&waiting);
}

/* ---- Reading, by any thread --------------------------------------------------------------------------- */

/* facts returns everything of an integer that its class depends on, as foreign.facts does. */
static inline unsigned facts(int64_t v) {
	return (unsigned)((v & 15) == 0) | (unsigned)(v == 1) << 1 | (unsigned)(v != (int64_t)(int32_t)v) << 2;
}

/* fits compares an argument with its step, and writes its word. */
static inline uint64_t fits(const struct quick *q, const struct quick_step *s, const nereid_arg *a,
	uint64_t *words) {
	uint64_t v = a->value.u, head, differ;
	memcpy(&head, a, sizeof head);
	differ = head ^ s->head;
	if (a->name || s->name) differ |= !a->name || !s->name || strcmp(a->name, q->text + s->name % QUICK_TEXT);
	if (s->size) differ |= a->size ^ s->size;
	uint64_t *to = &words[s->at % QUICK_ARGS];
	switch (s->how) {
	case HOW_IGNORE:
		break;
	case HOW_INT:
		differ |= (s->look >> facts((int64_t)v)) & 1;
		*to = v;
		break;
	case HOW_POINTER:
		differ |= (v & 15) | (uint64_t)!v | a->size >> 47;
		*to = v;
		break;
	case HOW_ANY:
		differ |= (uint64_t)!(v & 15) | a->size >> 47;
		*to = v;
		break;
	case HOW_FLOAT: {
		float f = (float)a->value.f;
		uint32_t bits;
		memcpy(&bits, &f, sizeof bits);
		*to = bits;
		break;
	}
	case HOW_WORD:
		*to = v;
		break;
	case HOW_BOOL:
		*to = v != 0;
		break;
	case HOW_SAME:
		differ |= v ^ s->value;
		break;
	default:
		differ |= differ || !v || strcmp(a->value.s, q->text + s->text % QUICK_TEXT);
	}
	return differ;
}

/* call launches with words if the memory that they come from did not change meanwhile, and if the thread has
 * the kernel's context. */
static int call(const struct quick *q, uint64_t sequence, uint32_t x, uint32_t y, uint32_t z, void *stream,
	uint64_t *words) {
	void *params[QUICK_ARGS], *context = NULL;
	struct quick c;
	memcpy(&c, q, offsetof(struct quick, steps));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (LOAD(&q->sequence) != sequence || x >= c.below) return 0;
	for (uint32_t i = 0; i < c.words && i < QUICK_ARGS; i++) params[i] = &words[i];
	if (((current_fn *)c.get_current)(&context) || (uintptr_t)context != c.context) return 0;
	return ((launch_fn *)c.launch)((void *)c.function, x, y, z, c.block[0], c.block[1], c.block[2], c.shared,
		stream, params, NULL) == 0;
}

/* same_options reports whether options are those of a quick launch. */
static int same_options(const struct quick *q, const nereid_options *o) {
	static const nereid_options none;
	if (!o) o = &none;
	int differ = (o->num_warps ^ q->sizes[0]) | (o->num_stages ^ q->sizes[1]) | (o->num_ctas ^ q->sizes[2]) |
		(o->maxnreg ^ q->sizes[3]) | (int)(o->flags ^ q->flags);
	return !differ && !o->extra && !o->extern_libs;
}

/* right_grid reports whether the driver runs a grid; 0 for y and z means 1. */
static int right_grid(uint32_t x, uint32_t y, uint32_t z) { return x && !(x >> 31) && !((y | z) >> 16); }

/* try_way launches by one way. */
static int try_way(const struct quick *q, uint64_t kernel, uint64_t device, void *stream,
	const nereid_grid *grid,
	const nereid_arg *args, size_t n, const nereid_options *o) {
	uint64_t sequence = LOAD(&q->sequence), words[QUICK_ARGS], differ = 0;
	if (sequence & 1 || q->owner != kernel || q->device != device || q->n != n || n > QUICK_ARGS) return 0;
	if (!same_options(q, o)) return 0;
	for (size_t i = 0; i < n; i++) differ |= fits(q, &q->steps[i], &args[i], words);
	if (differ) return 0;
	for (uint32_t i = 0; i < q->fixed && i < QUICK_FIXED; i++)
		words[q->fixed_words[i].at % QUICK_ARGS] = q->fixed_words[i].word;
	return call(q, sequence, grid->x, grid->y ? grid->y : 1, grid->z ? grid->z : 1, stream, words);
}

int quick_launch(uint64_t kernel, uint64_t place, int on_device, void *stream, const nereid_grid *grid,
	const nereid_arg *args, size_t n, const nereid_options *o) {
	long k = slot(kernel), p = slot(place);
	if (k < 0 || p < 0 || grid->fn || !args || !right_grid(grid->x, grid->y, grid->z)) return 0;
	uint32_t *launch = begin();
	int done = 0;
	struct place at = places[p];
	if (at.handle == place && LOAD(&places[p].handle) == place)
		for (int i = 0; i < QUICK_WAYS && !done; i++) {
			struct quick *q = LOAD(&ways[k][i]);
			if (!q) break;
			done = try_way(q, kernel, at.device, on_device ? stream : (void *)at.stream, grid, args, n, o);
		}
	end(launch);
	return done;
}

/* value reads a parameter of a frozen kernel. */
static inline uint64_t value(const struct quick_step *s, const void *p) {
	uint64_t v = 0;
	switch (s->look) {
	case 8:
		memcpy(&v, p, 8);
		break;
	case 4:
		memcpy(&v, p, 4);
		break;
	case 2:
		memcpy(&v, p, 2);
		break;
	default:
		memcpy(&v, p, 1);
	}
	return v;
}

/* try_frozen launches a frozen kernel. */
static int try_frozen(long b, uint64_t bound, void *stream, uint32_t x, uint32_t y, uint32_t z,
	void *const *params, size_t n) {
	struct quick *q = LOAD(&ways[b][0]);
	if (!q) return 0;
	uint64_t sequence = LOAD(&q->sequence), words[QUICK_ARGS], differ = 0;
	if (sequence & 1 || q->owner != bound || q->words != n) return 0;
	for (size_t i = 0; i < n; i++) {
		if (!params[i]) return 0;
		words[i] = value(&q->steps[i], params[i]);
		differ |= words[i] & q->steps[i].value;
	}
	return !differ && call(q, sequence, x, y ? y : 1, z ? z : 1, stream, words);
}

int quick_frozen(uint64_t bound, void *stream, uint32_t x, uint32_t y, uint32_t z, void *const *params,
	size_t n) {
	long b = slot(bound);
	if (b < 0 || n > QUICK_ARGS || !params || !right_grid(x, y, z)) return 0;
	uint32_t *launch = begin();
	int done = try_frozen(b, bound, stream, x, y, z, params, n);
	end(launch);
	return done;
}

#include "program.h"
#include "cuda.h"

#include <string.h>

struct where where_open(const char *name) {
	struct where w;
	memset(&w, 0, sizeof w);
	w.cuda = !strncmp(name, "cuda", 4) || !strncmp(name, "context", 7);
	const char *stub = getenv("NEREID_CUDA");
	w.results = !(w.cuda && stub && *stub);
	if (w.cuda) {
		int device;
		TRUE(cuda_open());
		CU(cuda.device_get(&device, 0));
		if (!strncmp(name, "context", 7)) {
			CU(cuda.ctx_create(&w.context, 0, device));
		} else {
			CU(cuda.primary_retain(&w.context, device));
			CU(cuda.set_current(w.context));
		}
		CU(cuda.stream_create(&w.stream, 1));
	}
	if (!strncmp(name, "context", 7))
		MUST(nereid_device_from_context(NULL, &w.device, &err));
	else
		MUST(nereid_device_open(name, &w.device, &err));
	return w;
}

void where_enter(struct where *w) {
	if (w->cuda) CU(cuda.set_current(w->context));
}

void where_stray(struct where *w, int none) {
	if (!w->cuda) return;
	int device;
	CU(cuda.device_get(&device, 0));
	CU(cuda.ctx_create(&w->stray, 0, device)); /* it is current now */
	if (none) {
		CU(cuda.ctx_destroy(w->stray));
		w->stray = NULL;
		CU(cuda.set_current(NULL));
	}
}

void where_back(struct where *w) {
	if (!w->cuda) return;
	void *now;
	CU(cuda.get_current(&now));
	TRUE(now == w->stray);
	if (w->stray) CU(cuda.ctx_destroy(w->stray));
	w->stray = NULL;
	where_enter(w);
}

void where_close(struct where *w) {
	if (w->cuda) {
		void *now;
		CU(cuda.get_current(&now));
		TRUE(now == w->context);
	}
	nereid_device_close(w->device);
}

char *where_alloc(struct where *w, const void *from, size_t bytes, size_t room) {
	char *all = (char *)calloc(1, bytes + 2 * room + 1);
	TRUE(all);
	memcpy(all + room, from, bytes);
	if (!w->cuda) return all + room;
	uint64_t p;
	CU(cuda.set_current(w->context));
	CU(cuda.alloc(&p, bytes + 2 * room + 1));
	CU(cuda.to_device(p, all, bytes + 2 * room));
	free(all);
	return (char *)p + room;
}

void where_read(struct where *w, void *into, const char *p, size_t bytes) {
	if (!w->cuda) {
		memcpy(into, p, bytes);
		return;
	}
	CU(cuda.from_device(into, (uint64_t)p, bytes));
}

void where_free(struct where *w, char *p, size_t room) {
	if (w->cuda)
		CU(cuda.mem_free((uint64_t)(p - room)));
	else
		free(p - room);
}

void where_wait(struct where *w) {
	if (w->cuda) CU(cuda.stream_synchronize(w->stream));
}

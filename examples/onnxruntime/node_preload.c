/* onnxruntime-node has no option for libraries of operators. With this library preloaded, every session that
   a process creates gets the one that NEREID_OPERATORS names:
     cc -shared -fPIC node_preload.c -o node_preload.so -ldl
     LD_PRELOAD=./node_preload.so NEREID_OPERATORS=./liboperators.so node run.js ...
   It changes two entries of ONNX Runtime's table of functions; their places are those of ONNX Runtime 1.14
   and later. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct { void *(*api)(uint32_t version); const char *(*version)(void); } base;
typedef void *create(void *env, const void *model, void *options, void **session);
typedef void *create_from_memory(void *env, const void *model, size_t size, void *options, void **session);

enum { CREATE = 7, CREATE_FROM_MEMORY = 8, REGISTER_LIBRARY = 228 };

static const base *real;
static void **functions; /* of the API that was asked for */
static create *create_session;
static create_from_memory *create_session_from_memory;

static void *add_operators(void *options) {
	const char *library = getenv("NEREID_OPERATORS");
	void *(*add)(void *, const char *) = (void *(*)(void *, const char *))functions[REGISTER_LIBRARY];
	return library ? add(options, library) : NULL;
}

static void *create_with(void *env, const void *model, void *options, void **session) {
	void *e = add_operators(options);
	return e ? e : create_session(env, model, options, session);
}

static void *create_from_memory_with(void *env, const void *model, size_t size, void *options,
    void **session) {
	void *e = add_operators(options);
	return e ? e : create_session_from_memory(env, model, size, options, session);
}

static void *api(uint32_t version) {
	void **table = real->api(version);
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)table & ~(page - 1);
	if (!table || functions) return table;
	if (mprotect((void *)from, 2 * page, PROT_READ | PROT_WRITE)) return perror("mprotect"), table;
	functions = table;
	create_session = (create *)table[CREATE], table[CREATE] = (void *)create_with;
	create_session_from_memory = (create_from_memory *)table[CREATE_FROM_MEMORY];
	table[CREATE_FROM_MEMORY] = (void *)create_from_memory_with;
	return table;
}

const base *OrtGetApiBase(void) {
	static base ours;
	void *lib = dlopen("libonnxruntime.so.1", RTLD_NOW | RTLD_NOLOAD);
	const base *(*get)(void) = lib ? (const base *(*)(void))dlsym(lib, "OrtGetApiBase") : NULL;
	if (!get) return fprintf(stderr, "libonnxruntime.so.1 is not loaded\n"), (const base *)NULL;
	real = get();
	ours.api = api, ours.version = real->version;
	return &ours;
}

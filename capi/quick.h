/* quick.h: launches that C makes itself, because one like it was made before. A call into Go and back costs
 * half a microsecond on a processor whose caches the driver has emptied; comparing the arguments costs a
 * fraction of that. Whatever does not fit takes the way through Go. */
#ifndef NEREID_QUICK_H
#define NEREID_QUICK_H

#include "nereid.h"

enum {
	QUICK_SLOTS = 1 << 14, /* handles with a slot beyond have no quick launches */
	QUICK_WAYS = 4,        /* quick launches of a kernel */
	QUICK_ARGS = 24,
	QUICK_FIXED = 8,
	QUICK_TEXT = 256
};

/* quick_step is foreign.Step: what an argument must look like, and what becomes of its value. For a frozen
 * kernel it is how a parameter is read. */
struct quick_step {
	uint64_t head;  /* the first eight bytes of the nereid_arg */
	uint64_t value; /* of HOW_SAME; of a frozen kernel the bits that must be 0 */
	uint64_t size;  /* bytes that the memory must have; 0 means any */
	uint16_t name;  /* where the name, and where the text are in quick.text; 0 means none */
	uint16_t text;
	uint8_t how, look, at;
};

/* quick is a launch that can be made again. Its memory is reused and never freed, so that a thread may read
 * it while another one closes the kernel: what was read counts if the sequence is even and the same before
 * and after. */
struct quick {
	uint64_t sequence; /* odd while it is being written */
	uint64_t owner;    /* the handle of the kernel, or of the frozen kernel */
	uint64_t device;   /* number of the device */
	uintptr_t launch, get_current; /* cuLaunchKernel, cuCtxGetCurrent */
	uintptr_t context, function;   /* CUcontext, CUfunction */
	uint32_t block[3], shared, below;
	uint32_t flags;
	int32_t sizes[4]; /* num_warps, num_stages, num_ctas, maxnreg */
	uint32_t n, words, fixed;
	struct quick_step steps[QUICK_ARGS];
	struct {
		uint64_t word;
		uint64_t at;
	} fixed_words[QUICK_FIXED];
	char text[QUICK_TEXT]; /* ends with a zero */
};

/* How an argument is taken: foreign.How. */
enum {
	HOW_IGNORE,
	HOW_INT,
	HOW_POINTER,
	HOW_ANY,
	HOW_FLOAT,
	HOW_WORD,
	HOW_BOOL,
	HOW_SAME,
	HOW_SAME_TEXT
};

/* quick_place says which device, by its number, and which stream a handle stands for. */
void quick_place(uint64_t handle, uint64_t device, uintptr_t stream);
/* quick_begin returns memory for a quick launch, to be written and then shown by quick_show; NULL if there is
 * no more. quick_show makes it way number way of its owner. */
struct quick *quick_begin(void);
void quick_show(struct quick *q, unsigned way);
/* quick_forget ends the quick launches of a handle, and what quick_place said of it. */
void quick_forget(uint64_t handle);
/* quick_wait returns when all quick launches that had begun have ended. */
void quick_wait(void);

/* The calls. They return 1 if the launch was made. */
int quick_launch(uint64_t kernel, uint64_t place, int on_device, void *stream, const nereid_grid *grid,
	const nereid_arg *args, size_t n, const nereid_options *o);
int quick_frozen(uint64_t bound, void *stream, uint32_t x, uint32_t y, uint32_t z, void *const *params,
	size_t n);

#endif

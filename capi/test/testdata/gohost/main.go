// Command gohost is a Go program, with a runtime of its own, that uses the C library: two Go runtimes share
// the process, its threads and its signals.
package main

/*
#include <nereid.h>
#include <stdlib.h>

static nereid_status add(nereid_kernel *k, nereid_device *d, float *x, float *out, int n,
    nereid_error **err) {
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, x, 4 * n), nereid_ptr(NEREID_FLOAT32, x, 4 * n),
		nereid_ptr(NEREID_FLOAT32, out, 4 * n), nereid_int(n), nereid_int(1024)};
	return nereid_launch_on(k, d, 0, nereid_grid_of((n + 1023) / 1024, 1, 1), args, 5, 0, err);
}
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"
)

func must(status C.nereid_status, err *C.nereid_error) {
	if status != C.NEREID_OK {
		fmt.Println(C.GoString(C.nereid_error_text(err)))
		os.Exit(1)
	}
}

func main() {
	var d *C.nereid_device
	var m *C.nereid_module
	var k *C.nereid_kernel
	var err *C.nereid_error
	name, file, kernel := C.CString("cpu"), C.CString("kernels/vector_add.py"), C.CString("add_kernel")
	must(C.nereid_device_open(name, &d, &err), err)
	must(C.nereid_module_load(file, nil, &m, &err), err)
	must(C.nereid_module_kernel(m, kernel, &k, &err), err)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			const n = 5000
			x, out := (*C.float)(C.calloc(n, 4)), (*C.float)(C.calloc(n, 4))
			from, to := unsafe.Slice(x, n), unsafe.Slice(out, n)
			for round := range 50 {
				from[n-1] = C.float(g + round)
				var err *C.nereid_error
				must(C.add(k, d, x, out, n, &err), err)
				if to[n-1] != C.float(2*(g+round)) {
					fmt.Println("wrong result")
					os.Exit(1)
				}
				runtime.GC()
			}
		})
	}
	wg.Wait()
	defer func() { // a fault of this program's is its own
		if recover() == nil {
			os.Exit(1)
		}
		fmt.Println("ok")
	}()
	var none *int
	*none = 1
}

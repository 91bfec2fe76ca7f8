/* program: what a C or C++ program does with the library, on one device.
 *
 *     program DEVICE replay CASE...    recorded launches: CASE.before → CASE.after
 *     program DEVICE threads CASE...   the same by 16 threads at once
 *     program DEVICE wrong             wrong calls, each an error with a text
 *     program DEVICE broken            the diagnostic of a kernel that does not compile
 *     program DEVICE features DIR      the rest of nereid.h
 *     program DEVICE closing           closes streams and kernels while threads launch with them
 *     program DEVICE stray             launches from threads with another CUDA context
 *     program DEVICE fork              a child that was forked after use
 */
#include "program.h"

#include <string.h>

int main(int argc, char **argv) {
	TRUE(argc >= 3);
	TRUE(nereid_abi() == NEREID_ABI);
	struct where w = where_open(argv[1]);
	const char *cmd = argv[2];
	int status = 0;
	if (!strcmp(cmd, "replay"))
		for (int i = 3; i < argc; i++) run_case(&w, argv[i], 0);
	else if (!strcmp(cmd, "threads"))
		status = cmd_threads(&w, argv + 3, argc - 3);
	else if (!strcmp(cmd, "wrong"))
		status = cmd_wrong(&w);
	else if (!strcmp(cmd, "broken"))
		status = cmd_broken(&w);
	else if (!strcmp(cmd, "features"))
		status = cmd_features(&w, argv[3]);
	else if (!strcmp(cmd, "closing"))
		status = cmd_closing(&w);
	else if (!strcmp(cmd, "stray"))
		status = cmd_stray(&w);
	else if (!strcmp(cmd, "fork"))
		status = cmd_fork(&w);
	else
		status = 2;
	where_close(&w);
	if (!status) printf("ok %s\n", cmd);
	return status;
}

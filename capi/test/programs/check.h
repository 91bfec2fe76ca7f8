/* check.h: what the test programs share. */
#ifndef NEREID_CHECK_H
#define NEREID_CHECK_H

#include <nereid.h>

#include <stdio.h>
#include <stdlib.h>

/* MUST ends the program, with the library's own words, if a call fails. It uses a variable err. */
#define MUST(call) \
	do { \
		nereid_error *err = NULL; \
		if ((call) != NEREID_OK) { \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, \
				nereid_status_name(nereid_error_status(err)), nereid_error_text(err)); \
			exit(1); \
		} \
	} while (0)

/* TRUE ends the program if a condition does not hold. */
#define TRUE(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
			exit(1); \
		} \
	} while (0)

#endif

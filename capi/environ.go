package main

/*
extern char **environ;
static const char *variable(int i) { return environ ? environ[i] : 0; }
*/
import "C"

import (
	"os"
	"strings"
)

func init() { takeEnvironment() }

// takeEnvironment takes over what the program has set in its environment before it opened the library, as
// os.environ of Python does: Go's runtime knows the environment that the process began with.
func takeEnvironment() {
	now := map[string]string{}
	for i := 0; ; i++ {
		p := C.variable(C.int(i))
		if p == nil {
			break
		}
		if name, value, ok := strings.Cut(C.GoString(p), "="); ok {
			now[name] = value
		}
	}
	for name, value := range now {
		if old, ok := os.LookupEnv(name); !ok || old != value {
			os.Setenv(name, value)
		}
	}
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); name != "" {
			if _, ok := now[name]; !ok {
				os.Unsetenv(name)
			}
		}
	}
}

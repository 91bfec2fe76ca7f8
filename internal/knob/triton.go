package knob

import (
	"os"
	"path/filepath"
	"strings"
)

// same lists variables of Triton's whose values mean the same here.
func same(names ...string) (out []also) {
	for _, n := range names {
		out = append(out, also{name: n})
	}
	return out
}

// negated is a flag of Triton's that turns off what ours turns on. Turned off, it says nothing.
func negated(name string) []also {
	return []also{{name, func(text string) string {
		if on, err := parseBool(text); err == nil && on {
			return "0"
		}
		return ""
	}}}
}

// whenOn is a flag of Triton's that means the same here, and says nothing while it is off.
func whenOn(name string) []also {
	return []also{{name, func(text string) string {
		if on, err := parseBool(text); err == nil && on {
			return "1"
		}
		return ""
	}}}
}

// instrumentation is Triton's variable for code that checks itself, of which there is none here.
const instrumentation = "TRITON_INSTRUMENTATION_MODE"

// unless is a flag of Triton's that is on if nobody says otherwise, where ours turns the same off.
func unless(name string) []also {
	return []also{{name, func(text string) string {
		if on, err := parseBool(text); err == nil && !on {
			return "1"
		}
		return ""
	}}}
}

// only lists a variable of Triton's that counts while a flag of its is on.
func only(flag, name string) []also {
	return []also{{name, func(text string) string {
		if on, err := parseBool(os.Getenv(flag)); err != nil || !on {
			return ""
		}
		return text
	}}}
}

// within is a folder of Triton's, in which ours is a folder of its own.
func within(name string) []also {
	return []also{{name, func(text string) string { return filepath.Join(text, "nereid") }}}
}

// home is Triton's folder for all that it keeps, in which a folder has a name; it counts while a flag is on.
func home(folder, flag string) also {
	return also{"TRITON_HOME", func(text string) string {
		if on, err := parseBool(os.Getenv(flag)); flag != "" && (err != nil || !on) {
			return ""
		}
		return filepath.Join(text, ".triton", filepath.FromSlash(folder))
	}}
}

// tritonStages are the flags that print a stage each.
func tritonStages() (out []also) {
	flags := []struct{ name, stage string }{{"LLVM_IR_ENABLE_DUMP", "llir"}, {"NVPTX_ENABLE_DUMP", "ptx"},
		{"AMDGCN_ENABLE_DUMP", "amdgcn"}}
	all := func(string) string {
		var stages []string
		for _, f := range flags {
			if on, err := parseBool(os.Getenv(f.name)); err == nil && on {
				stages = append(stages, f.stage)
			}
		}
		return strings.Join(stages, ",")
	}
	for _, f := range flags {
		out = append(out, also{f.name, all})
	}
	return out
}

// devices are the devices of Triton's back ends.
var devices = map[string]string{"nvidia": "cuda:0", "cuda": "cuda:0", "cpu": "cpu"}

// The variables whose values Triton writes in its own way.
var (
	tritonDevice = []also{{"TRITON_DEFAULT_BACKEND", func(text string) string { return devices[text] }}}
	// MLIR_ENABLE_DUMP is a flag, or the name of a kernel, for which there is no counterpart.
	tritonPasses = []also{{"MLIR_ENABLE_DUMP", func(text string) string {
		if on, err := parseBool(text); err == nil && on {
			return "all"
		}
		return ""
	}}}
	// TRITON_LIBCUDA_PATH is the library's folder.
	tritonCUDA = []also{{"TRITON_LIBCUDA_PATH", func(text string) string {
		if info, err := os.Stat(text); err == nil && info.IsDir() {
			return filepath.Join(text, "libcuda.so.1")
		}
		return text
	}}}
	// TRITON_REPRODUCER_PATH is the beginning of a file's name.
	tritonReproducer = []also{{"TRITON_REPRODUCER_PATH", func(text string) string {
		if info, err := os.Stat(text); err == nil && info.IsDir() {
			return text
		}
		return filepath.Dir(text)
	}}}
	tritonRedis = []also{{"TRITON_REMOTE_CACHE_BACKEND", func(class string) string {
		if !strings.Contains(strings.ToLower(class), "redis") {
			return ""
		}
		host, port := os.Getenv("TRITON_REDIS_HOST"), os.Getenv("TRITON_REDIS_PORT")
		if host == "" {
			host = "localhost"
		}
		if port == "" {
			port = "6379"
		}
		if strings.Contains(host, ":") { // an address of IPv6
			host = "[" + host + "]"
		}
		return "redis://" + host + ":" + port + "/0"
	}}}
)

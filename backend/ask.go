package backend

// Former is a Target that says in which form kernels are handed over. Without it, the form is Form{}.
type Former interface{ Form() Form }

// Form is how a kernel is written.
type Form struct {
	// Pretty asks for MLIR's pretty form, %0 = arith.addi %a, %b : i32, instead of the generic one.
	Pretty bool
	// ThreadsPerWarp is the number of threads of a warp, a power of two, for the layouts of TTGIR; 0 means
	// 32.
	ThreadsPerWarp int
}

// Optioned is a Target with options of its own, which users set by nereid.Options.Extra or --extra. Names
// and values that it does not know are refused before Compile. A Target without the method has no options.
type Optioned interface{ Options() []Option }

// Option is an option of a target.
type Option struct {
	Name   string
	Help   string   // a few words, for messages: "optimization level of cc"
	Values []string // the values that it takes; nil means those that Check accepts
	// Check returns an error for a value that the option does not take. nil means that Values say it all.
	Check func(value string) error
}

// Specializer is a Target that chooses what launches compile code for. Without it, that is what Triton
// compiles for on NVIDIA's GPUs: Specialization{Ones: true, Numbers16: true, Pointers16: true}.
type Specializer interface{ Specialization() Specialization }

// Specialization says which properties of arguments have code of their own. Code knows of the others
// nothing, and so serves all values of a type.
type Specialization struct {
	Ones       bool // a number that is 1 is compiled in
	Numbers16  bool // numbers that are divisible by 16 have code of their own (Param.Align16)
	Pointers16 bool // addresses that are divisible by 16 have code of their own (Param.Align16)
}

// Compatible is a Target that runs code of other versions than its own, for code that was compiled ahead of
// time, by another compiler or for an older chip of the family.
type Compatible interface {
	// Runs returns nil if code of a Version runs here, or else why not.
	Runs(version string) error
}

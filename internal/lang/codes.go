package lang

import "github.com/nereid-lang/nereid/internal/lang/sem"

// Codes are the short words in brackets at the end of messages about kernels, with what each means.
// docs/errors.md is made of them; a test holds the two and the messages themselves together.
var Codes = []struct{ Code, Doc string }{
	{"syntax", "The text is not Python."},
	{"indentation", "Lines are indented in a way that Python does not allow."},
	{"no-kernel", "The file has no kernel of that name."},
	{"signature", "The signature, the list of argument types given to `nereid compile`, cannot be read or " +
		"does not fit the kernel."},
	{"undefined", "A name has no value, or has one on some ways through the kernel only."},
	{sem.CodeAttribute, "A value has no attribute or method of that name."},
	{"python-name", "A name of the file's own Python code is not defined."},
	{"python-attribute", "A module or another value of the host has no attribute of that name."},
	{"python-type", "Python code that runs at compile time uses values of the wrong type."},
	{"python-index", "Python code that runs at compile time reaches beyond the end of a tuple or list."},
	{"python-zerodivision", "Python code that runs at compile time divides by zero."},
	{"python-import", "A module does not have the name that is imported from it."},
	{"unknown-package", "A value comes from a package that is not here, and it is needed to compile " +
		"the kernel."},
	{"global", "A kernel reads a global variable that is no `tl.constexpr`: a compiled kernel would not " +
		"see it change."},
	{"unsupported", "Python that kernels cannot have."},
	{sem.CodeArgs, "A call has too many arguments, too few, or one that the function does not take."},
	{"not-callable", "A value that is no function is called."},
	{"not-jit", "A plain Python function is used where a function under `@triton.jit` is needed."},
	{"noinline", "A function marked `noinline` takes and returns scalars only."},
	{"recursion", "A jit function calls itself, directly or through others."},
	{"limit", "The kernel takes too many steps to compile."},
	{sem.CodeType, "Values of types that do not go together, or that an operation does not take."},
	{sem.CodeShape, "Blocks of shapes that do not go together, or that an operation does not take."},
	{sem.CodeValue, "A compile-time value that an operation does not take."},
	{sem.CodeConst, "A value must be known at compile time and is not."},
	{sem.CodeTarget, "The target does not have what the kernel asks for."},
	{sem.CodeVersion, "The release of Triton that the kernel is compiled as does not have what it uses; " +
		"another one does ([VERSIONS.md](VERSIONS.md))."},
	{sem.CodeGluon, "A part of Gluon that is not compiled here ([VERSIONS.md](VERSIONS.md))."},
	{"constexpr", "A name declared as `tl.constexpr` is declared again, or a parameter is both that and " +
		"listed under `do_not_specialize`."},
	{"unused",
		"A function is called for nothing: it does no more than return a result, and that is dropped."},
	{"static-assert", "A condition of `tl.static_assert` does not hold."},
	{"condition", "The condition of an `if` or `while` has no single truth value."},
	{"branch-type", "A name has different types where the sides of an `if` meet."},
	{"loop-type", "A name has another type at the end of a loop's body than at its start."},
	{"loop", "A `for` loop runs over something that it cannot run over."},
	{"return-type", "The returns of a function give different types."},
	{"unpack", "A value cannot be unpacked into that many names."},
	{"aggregate", "A class under `_aggregate` is not made as it must be."},
	{"invalid", "Anything else that the compiler cannot take."},
}

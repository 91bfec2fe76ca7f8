// Package view makes the page of `nereid view`: a kernel's source beside every stage of its compilation, the
// passes as diffs, the layouts of its tensors, and the accesses, values and costs of a run. The page is one
// HTML document with its script, style and data inside; it loads nothing.
//
// What comes in is text of stages, modules in TritonGPU form and a record of the interpreter; what goes out
// is a Model, which JSON carries to the page's script.
//
// # The files
//
//	model.go     the data of a page
//	files.go     the sources that lines come from
//	target.go    the stages of a target
//	links.go     stages as lines, each with the places of the source that it comes from
//	links_asm.go the same for LLVM IR, PTX and assembly
//	passes.go    the text after each pass, as changes of the text before
//	diff.go      changes between two lists of lines
//	layouts.go   layouts of a TritonGPU module, as basis vectors
//	memory.go    registers and shared memory over the program
//	figures.go   numbers of compiled code, for two beside each other
//	accesses.go  the accesses of a run
//	findings.go  races, reads of what nobody wrote, NaN in results
//	values.go    the values of a program's variables
//	scopes.go    scopes of a kernel, as a recorded launch measured them
//	time.go      where the time of the host's processors goes, by line
//	cost.go      what each line costs on a simulated GPU, and the pipeline as a chart
//	page.go      the document
//	server.go    serving it, and compiling what the reader edits
//	page/        the document's parts: HTML, style, script
package view

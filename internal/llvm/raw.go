package llvm

import "github.com/nereid-lang/nereid/internal/dl"

// References to LLVM's objects, as the C API hands them out. Zero is none.
type (
	contextRef       uintptr
	moduleRef        uintptr
	bufferRef        uintptr
	targetRef        uintptr
	machineRef       uintptr
	layoutRef        uintptr
	passOptionsRef   uintptr
	errorRef         uintptr
	diagnosticRef    uintptr
	valueRef         uintptr
	typeRef          uintptr
	builderRef       uintptr
	jitRef           uintptr
	jitBuilderRef    uintptr
	sessionRef       uintptr
	dylibRef         uintptr
	symbolNameRef    uintptr
	definitionRef    uintptr
	objectLayerRef   uintptr
	eventListenerRef uintptr
)

// raw is the part of the C API that we call, one field for each symbol, under the symbol's name without its
// LLVM. A *byte result is a C string: an owned one goes through Lib.take, a borrowed one through
// dl.GoString.
type raw struct {
	getVersion              func(major, minor, patch *uint32)
	parseCommandLineOptions func(argc int32, argv **byte, overview *byte)
	installFatalHandler     func(callback uintptr)
	disposeMessage          func(*byte)
	getErrorMessage         func(errorRef) *byte // consumes the error
	disposeErrorMessage     func(*byte)

	contextCreate        func() contextRef
	contextDispose       func(contextRef)
	setDiagnosticHandler func(c contextRef, callback, opaque uintptr)
	diagDescription      func(diagnosticRef) *byte // owned
	diagSeverity         func(diagnosticRef) int32

	bufferCopy    func(data *byte, size uintptr, name string) bufferRef
	bufferStart   func(bufferRef) *byte // borrowed
	bufferSize    func(bufferRef) uintptr
	bufferDispose func(bufferRef)

	parseIR       func(c contextRef, b bufferRef, m *moduleRef, message **byte) int32 // consumes the buffer
	verifyModule  func(m moduleRef, action int32, message **byte) int32
	cloneModule   func(moduleRef) moduleRef
	disposeModule func(moduleRef)
	linkModules   func(into, m moduleRef) int32 // frees m
	printModule   func(moduleRef) *byte         // owned
	setTriple     func(m moduleRef, triple string)
	setLayout     func(m moduleRef, l layoutRef)

	defaultTriple   func() *byte // owned, as the next two
	hostCPU         func() *byte
	hostFeatures    func() *byte
	targetOf        func(triple string, t *targetRef, message **byte) int32
	createMachine   func(t targetRef, triple, cpu, features string, level, reloc, model int32) machineRef
	disposeMachine  func(machineRef)
	setAsmVerbosity func(m machineRef, verbose int32)
	createLayout    func(machineRef) layoutRef
	disposeLayout   func(layoutRef)
	emitToBuffer    func(tm machineRef, m moduleRef, fileType int32, message **byte, out *bufferRef) int32

	runPasses           func(m moduleRef, passes string, tm machineRef, o passOptionsRef) errorRef
	createPassOptions   func() passOptionsRef
	disposePassOptions  func(passOptionsRef)
	setVerifyEach       func(o passOptionsRef, on int32)
	setLoopInterleaving func(o passOptionsRef, on int32)
	setLoopUnrolling    func(o passOptionsRef, on int32)
	setMergeFunctions   func(o passOptionsRef, on int32)
	setInlinerThreshold func(o passOptionsRef, threshold int32)

	// Addresses for dl.Call, since a walk over a module calls them for every instruction.
	firstFunction    uintptr // (module) function, and so on downwards
	nextFunction     uintptr
	firstBlock       uintptr
	nextBlock        uintptr
	firstInstruction uintptr
	nextInstruction  uintptr
	canUseFastMath   uintptr // (value) bool; these three from LLVM 18 on
	getFastMathFlags uintptr
	setFastMathFlags uintptr

	// What keeps code generation from a pass, from LLVM 22 on: symbols of C++, which no LLVM need export.
	opcode           uintptr // (instruction) its LLVMOpcode
	setPassGate      uintptr // (context, gate)
	disableTable     uintptr // the virtual methods of llvm::OptDisable
	disableShouldRun uintptr // one of them

	// What finds masked stores and rewrites them.
	intrinsicID      uintptr // (function) its number, or 0
	firstUse         uintptr // (value) use, and then the next
	nextUse          uintptr
	userOf           uintptr // (use) value
	lookupIntrinsic  func(name string, n uintptr) uint32
	numArgs          func(valueRef) uint32
	operand          func(v valueRef, i uint32) valueRef
	isConstant       func(valueRef) int32
	isNull           func(valueRef) int32
	typeOf           func(valueRef) typeRef
	vectorSize       func(typeRef) uint32
	elementType      func(typeRef) typeRef
	aggregateElement func(v valueRef, i uint32) valueRef
	int64Type        func(contextRef) typeRef
	constInt         func(t typeRef, n uint64, signed int32) valueRef
	createBuilder    func(contextRef) builderRef
	disposeBuilder   func(builderRef)
	positionBefore   func(b builderRef, at valueRef)
	buildGEP         func(b builderRef, elem typeRef, at valueRef, indices *valueRef, n uint32,
		name string) valueRef
	buildExtract func(b builderRef, vector, lane valueRef, name string) valueRef
	buildStore   func(b builderRef, value, at valueRef) valueRef
	buildAdd     func(b builderRef, x, y valueRef, name string) valueRef
	isDisjoint   func(or valueRef) int32 // nil before LLVM 18
	replaceUses  func(old, by valueRef)
	setAlignment func(v valueRef, bytes uint32)
	erase        func(valueRef)

	createJITBuilder  func() jitBuilderRef
	disposeJITBuilder func(jitBuilderRef)
	setLayerCreator   func(b jitBuilderRef, callback, context uintptr)
	createJIT         func(j *jitRef, b jitBuilderRef) errorRef // consumes the builder
	disposeJIT        func(jitRef) errorRef
	jitSession        func(jitRef) sessionRef
	jitDylib          func(jitRef) dylibRef
	jitName           func(j jitRef, name string) symbolNameRef
	jitAddObject      func(j jitRef, d dylibRef, b bufferRef) errorRef // consumes the buffer
	jitLookup         func(j jitRef, address *uint64, name string) errorRef
	setErrorReporter  func(s sessionRef, callback, context uintptr)
	absoluteSymbols   func(pairs *symbolPair, n uintptr) definitionRef // consumes the names
	// consumes the symbols, unless it fails
	define              func(d dylibRef, symbols definitionRef) errorRef
	disposeDefinition   func(definitionRef)
	createRTDyldLayer   func(sessionRef) objectLayerRef
	createCallbackLayer func(s sessionRef, context, create, terminating, code, data, finalize,
		destroy uintptr) objectLayerRef
	addListener  func(l objectLayerRef, e eventListenerRef)
	gdbListener  func() eventListenerRef
	perfListener func() eventListenerRef // 0 where LLVM was built without it
}

// symbolPair is LLVMOrcCSymbolMapPair.
type symbolPair struct {
	name    symbolNameRef
	address uint64
	flags   [2]uint8 // generic, target
	_       [6]uint8
}

// symbols is the table that fills r from a library.
func (r *raw) symbols() []dl.Func {
	return []dl.Func{
		{Ptr: &r.getVersion, Symbol: "LLVMGetVersion"},
		{Ptr: &r.parseCommandLineOptions, Symbol: "LLVMParseCommandLineOptions"},
		{Ptr: &r.installFatalHandler, Symbol: "LLVMInstallFatalErrorHandler"},
		{Ptr: &r.disposeMessage, Symbol: "LLVMDisposeMessage"},
		{Ptr: &r.getErrorMessage, Symbol: "LLVMGetErrorMessage"},
		{Ptr: &r.disposeErrorMessage, Symbol: "LLVMDisposeErrorMessage"},

		{Ptr: &r.contextCreate, Symbol: "LLVMContextCreate"},
		{Ptr: &r.contextDispose, Symbol: "LLVMContextDispose"},
		{Ptr: &r.setDiagnosticHandler, Symbol: "LLVMContextSetDiagnosticHandler"},
		{Ptr: &r.diagDescription, Symbol: "LLVMGetDiagInfoDescription"},
		{Ptr: &r.diagSeverity, Symbol: "LLVMGetDiagInfoSeverity"},

		{Ptr: &r.bufferCopy, Symbol: "LLVMCreateMemoryBufferWithMemoryRangeCopy"},
		{Ptr: &r.bufferStart, Symbol: "LLVMGetBufferStart"},
		{Ptr: &r.bufferSize, Symbol: "LLVMGetBufferSize"},
		{Ptr: &r.bufferDispose, Symbol: "LLVMDisposeMemoryBuffer"},

		{Ptr: &r.parseIR, Symbol: "LLVMParseIRInContext"},
		{Ptr: &r.verifyModule, Symbol: "LLVMVerifyModule"},
		{Ptr: &r.cloneModule, Symbol: "LLVMCloneModule"},
		{Ptr: &r.disposeModule, Symbol: "LLVMDisposeModule"},
		{Ptr: &r.linkModules, Symbol: "LLVMLinkModules2"},
		{Ptr: &r.printModule, Symbol: "LLVMPrintModuleToString"},
		{Ptr: &r.setTriple, Symbol: "LLVMSetTarget"},
		{Ptr: &r.setLayout, Symbol: "LLVMSetModuleDataLayout"},

		{Ptr: &r.defaultTriple, Symbol: "LLVMGetDefaultTargetTriple"},
		{Ptr: &r.hostCPU, Symbol: "LLVMGetHostCPUName"},
		{Ptr: &r.hostFeatures, Symbol: "LLVMGetHostCPUFeatures"},
		{Ptr: &r.targetOf, Symbol: "LLVMGetTargetFromTriple"},
		{Ptr: &r.createMachine, Symbol: "LLVMCreateTargetMachine"},
		{Ptr: &r.disposeMachine, Symbol: "LLVMDisposeTargetMachine"},
		{Ptr: &r.setAsmVerbosity, Symbol: "LLVMSetTargetMachineAsmVerbosity"},
		{Ptr: &r.createLayout, Symbol: "LLVMCreateTargetDataLayout"},
		{Ptr: &r.disposeLayout, Symbol: "LLVMDisposeTargetData"},
		{Ptr: &r.emitToBuffer, Symbol: "LLVMTargetMachineEmitToMemoryBuffer"},

		{Ptr: &r.runPasses, Symbol: "LLVMRunPasses"},
		{Ptr: &r.createPassOptions, Symbol: "LLVMCreatePassBuilderOptions"},
		{Ptr: &r.disposePassOptions, Symbol: "LLVMDisposePassBuilderOptions"},
		{Ptr: &r.setVerifyEach, Symbol: "LLVMPassBuilderOptionsSetVerifyEach"},
		{Ptr: &r.setLoopInterleaving, Symbol: "LLVMPassBuilderOptionsSetLoopInterleaving"},
		{Ptr: &r.setLoopUnrolling, Symbol: "LLVMPassBuilderOptionsSetLoopUnrolling"},
		{Ptr: &r.setMergeFunctions, Symbol: "LLVMPassBuilderOptionsSetMergeFunctions"},
		{Ptr: &r.setInlinerThreshold, Symbol: "LLVMPassBuilderOptionsSetInlinerThreshold", Optional: true},

		{Ptr: &r.firstFunction, Symbol: "LLVMGetFirstFunction"},
		{Ptr: &r.nextFunction, Symbol: "LLVMGetNextFunction"},
		{Ptr: &r.firstBlock, Symbol: "LLVMGetFirstBasicBlock"},
		{Ptr: &r.nextBlock, Symbol: "LLVMGetNextBasicBlock"},
		{Ptr: &r.firstInstruction, Symbol: "LLVMGetFirstInstruction"},
		{Ptr: &r.nextInstruction, Symbol: "LLVMGetNextInstruction"},
		{Ptr: &r.canUseFastMath, Symbol: "LLVMCanValueUseFastMathFlags", Optional: true},
		{Ptr: &r.getFastMathFlags, Symbol: "LLVMGetFastMathFlags", Optional: true},
		{Ptr: &r.setFastMathFlags, Symbol: "LLVMSetFastMathFlags", Optional: true},

		{Ptr: &r.opcode, Symbol: "LLVMGetInstructionOpcode"},
		{Ptr: &r.setPassGate, Symbol: "_ZN4llvm11LLVMContext14setOptPassGateERNS_11OptPassGateE",
			Optional: true},
		{Ptr: &r.disableTable, Symbol: "_ZTVN4llvm10OptDisableE", Optional: true},
		{Ptr: &r.disableShouldRun, Symbol: "_ZNK4llvm10OptDisable13shouldRunPassENS_9StringRefES1_",
			Optional: true},

		{Ptr: &r.intrinsicID, Symbol: "LLVMGetIntrinsicID"},
		{Ptr: &r.firstUse, Symbol: "LLVMGetFirstUse"},
		{Ptr: &r.nextUse, Symbol: "LLVMGetNextUse"},
		{Ptr: &r.userOf, Symbol: "LLVMGetUser"},
		{Ptr: &r.lookupIntrinsic, Symbol: "LLVMLookupIntrinsicID"},
		{Ptr: &r.numArgs, Symbol: "LLVMGetNumArgOperands"},
		{Ptr: &r.operand, Symbol: "LLVMGetOperand"},
		{Ptr: &r.isConstant, Symbol: "LLVMIsConstant"},
		{Ptr: &r.isNull, Symbol: "LLVMIsNull"},
		{Ptr: &r.typeOf, Symbol: "LLVMTypeOf"},
		{Ptr: &r.vectorSize, Symbol: "LLVMGetVectorSize"},
		{Ptr: &r.elementType, Symbol: "LLVMGetElementType"},
		{Ptr: &r.aggregateElement, Symbol: "LLVMGetAggregateElement"},
		{Ptr: &r.int64Type, Symbol: "LLVMInt64TypeInContext"},
		{Ptr: &r.constInt, Symbol: "LLVMConstInt"},
		{Ptr: &r.createBuilder, Symbol: "LLVMCreateBuilderInContext"},
		{Ptr: &r.disposeBuilder, Symbol: "LLVMDisposeBuilder"},
		{Ptr: &r.positionBefore, Symbol: "LLVMPositionBuilderBefore"},
		{Ptr: &r.buildGEP, Symbol: "LLVMBuildGEP2"},
		{Ptr: &r.buildExtract, Symbol: "LLVMBuildExtractElement"},
		{Ptr: &r.buildStore, Symbol: "LLVMBuildStore"},
		{Ptr: &r.buildAdd, Symbol: "LLVMBuildAdd"},
		{Ptr: &r.isDisjoint, Symbol: "LLVMGetIsDisjoint", Optional: true},
		{Ptr: &r.replaceUses, Symbol: "LLVMReplaceAllUsesWith"},
		{Ptr: &r.setAlignment, Symbol: "LLVMSetAlignment"},
		{Ptr: &r.erase, Symbol: "LLVMInstructionEraseFromParent"},

		{Ptr: &r.createJITBuilder, Symbol: "LLVMOrcCreateLLJITBuilder"},
		{Ptr: &r.disposeJITBuilder, Symbol: "LLVMOrcDisposeLLJITBuilder"},
		{Ptr: &r.setLayerCreator, Symbol: "LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator"},
		{Ptr: &r.createJIT, Symbol: "LLVMOrcCreateLLJIT"},
		{Ptr: &r.disposeJIT, Symbol: "LLVMOrcDisposeLLJIT"},
		{Ptr: &r.jitSession, Symbol: "LLVMOrcLLJITGetExecutionSession"},
		{Ptr: &r.jitDylib, Symbol: "LLVMOrcLLJITGetMainJITDylib"},
		{Ptr: &r.jitName, Symbol: "LLVMOrcLLJITMangleAndIntern"},
		{Ptr: &r.jitAddObject, Symbol: "LLVMOrcLLJITAddObjectFile"},
		{Ptr: &r.jitLookup, Symbol: "LLVMOrcLLJITLookup"},
		{Ptr: &r.setErrorReporter, Symbol: "LLVMOrcExecutionSessionSetErrorReporter"},
		{Ptr: &r.absoluteSymbols, Symbol: "LLVMOrcAbsoluteSymbols"},
		{Ptr: &r.define, Symbol: "LLVMOrcJITDylibDefine"},
		{Ptr: &r.disposeDefinition, Symbol: "LLVMOrcDisposeMaterializationUnit"},
		{Ptr: &r.createRTDyldLayer, Symbol: "LLVMOrcCreateRTDyldObjectLinkingLayerWithSectionMemoryManager"},
		{Ptr: &r.createCallbackLayer,
			Symbol: "LLVMOrcCreateRTDyldObjectLinkingLayerWithMCJITMemoryManagerLikeCallbacks"},
		{Ptr: &r.addListener, Symbol: "LLVMOrcRTDyldObjectLinkingLayerRegisterJITEventListener"},
		{Ptr: &r.gdbListener, Symbol: "LLVMCreateGDBRegistrationListener"},
		{Ptr: &r.perfListener, Symbol: "LLVMCreatePerfJITEventListener", Optional: true},
	}
}

// families are the targets that we use where the library has them, each with the functions that make it
// known.
var families = []struct {
	name         string
	initializers []string
}{
	{"X86", []string{"TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser"}},
	{"AArch64", []string{"TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser"}},
	{"NVPTX", []string{"TargetInfo", "Target", "TargetMC", "AsmPrinter"}},
	{"AMDGPU", []string{"TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser"}},
}

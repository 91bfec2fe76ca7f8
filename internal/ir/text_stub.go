package ir

func printModule(p *Printer, op *Op)              {}
func parseModule(p *Parser, s *State) bool        { return false }
func (t *IntegerType) printType(p *Printer)       {}
func (t *FloatType) printType(p *Printer)         {}
func (t *IndexType) printType(p *Printer)         {}
func (t *NoneType) printType(p *Printer)          {}
func (t *TensorType) printType(p *Printer)        {}
func (t *MemRefType) printType(p *Printer)        {}
func (t *VectorType) printType(p *Printer)        {}
func (t *FunctionType) printType(p *Printer)      {}
func (t *TupleType) printType(p *Printer)         {}
func (t *ComplexType) printType(p *Printer)       {}
func (t *DialectType) printType(p *Printer)       {}
func (t *OpaqueType) printType(p *Printer)        {}
func (t *IntegerType) String() string             { return "" }
func (t *FloatType) String() string               { return "" }
func (t *IndexType) String() string               { return "" }
func (t *NoneType) String() string                { return "" }
func (t *TensorType) String() string              { return "" }
func (t *MemRefType) String() string              { return "" }
func (t *VectorType) String() string              { return "" }
func (t *FunctionType) String() string            { return "" }
func (t *TupleType) String() string               { return "" }
func (t *ComplexType) String() string             { return "" }
func (t *DialectType) String() string             { return "" }
func (t *OpaqueType) String() string              { return "" }
func (a *UnitAttr) printAttr(p *Printer)          {}
func (a *IntegerAttr) printAttr(p *Printer)       {}
func (a *FloatAttr) printAttr(p *Printer)         {}
func (a *StringAttr) printAttr(p *Printer)        {}
func (a *TypeAttr) printAttr(p *Printer)          {}
func (a *SymbolRefAttr) printAttr(p *Printer)     {}
func (a *ArrayAttr) printAttr(p *Printer)         {}
func (a *DictAttr) printAttr(p *Printer)          {}
func (a *DenseAttr) printAttr(p *Printer)         {}
func (a *DenseArrayAttr) printAttr(p *Printer)    {}
func (a *AffineMapAttr) printAttr(p *Printer)     {}
func (a *StridedLayoutAttr) printAttr(p *Printer) {}
func (a *DialectAttr) printAttr(p *Printer)       {}
func (a *OpaqueAttr) printAttr(p *Printer)        {}
func (a *UnknownLoc) printAttr(p *Printer)        {}
func (a *FileLoc) printAttr(p *Printer)           {}
func (a *NameLoc) printAttr(p *Printer)           {}
func (a *CallSiteLoc) printAttr(p *Printer)       {}
func (a *FusedLoc) printAttr(p *Printer)          {}
func (a *UnitAttr) String() string                { return "" }
func (a *IntegerAttr) String() string             { return "" }
func (a *FloatAttr) String() string               { return "" }
func (a *StringAttr) String() string              { return "" }
func (a *TypeAttr) String() string                { return "" }
func (a *SymbolRefAttr) String() string           { return "" }
func (a *ArrayAttr) String() string               { return "" }
func (a *DictAttr) String() string                { return "" }
func (a *DenseAttr) String() string               { return "" }
func (a *DenseArrayAttr) String() string          { return "" }
func (a *AffineMapAttr) String() string           { return "" }
func (a *StridedLayoutAttr) String() string       { return "" }
func (a *DialectAttr) String() string             { return "" }
func (a *OpaqueAttr) String() string              { return "" }
func (a *UnknownLoc) String() string              { return "" }
func (a *FileLoc) String() string                 { return "" }
func (a *NameLoc) String() string                 { return "" }
func (a *CallSiteLoc) String() string             { return "" }
func (a *FusedLoc) String() string                { return "" }

type compiledFormat struct{}

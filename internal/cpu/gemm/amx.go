package gemm

func (l *Lib) usesAMX(s Spec) bool { return false }

func (l *Lib) amx(s Spec) *Kernel { return nil }

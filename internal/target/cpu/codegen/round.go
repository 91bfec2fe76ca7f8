package codegen

// round is a round of an scf.for that is being written.
type round struct{ iv, lo val }

// first returns whether it is the first round.
func (r *round) first(g *gen) string {
	return g.op("icmp eq %s %s, %s", elemType(r.iv.t), r.iv.s, r.lo.s)
}

// inLoop makes r the current round until the returned function is called.
func (g *gen) inLoop(r *round) (leave func()) {
	outer := g.round
	g.round = r
	return func() { g.round = outer }
}

package lower

// joinedLanes scans lanes bit by bit: blocks of lanes become blocks of twice as many.
type joinedLanes struct {
	*scan
	mask int
	has  string // whether there is a lane before
}

// joined returns the scan of a segment of lane bits.
func (s *scan) joined(mask int) *joinedLanes {
	firstIs := 0
	if s.reverse {
		firstIs = mask
	}
	digits := s.l.val("and i32 %s, %d", s.l.ids.lane, mask)
	return &joinedLanes{s, mask, s.l.val("icmp ne i32 %s, %d", digits, firstIs)}
}

func (s *joinedLanes) over(t []string, bits []step) []string {
	done := 0
	for _, b := range bits {
		t = s.step(t, b.bit.lane, done)
		done |= b.bit.lane
	}
	return t
}

func (s *joinedLanes) before(t []string) (vals []string, has string) {
	return s.shuffle(t, s.predecessor()), s.has
}

// step adds, in blocks where bit is set, the total of the block where it is not.
func (s *joinedLanes) step(t []string, bit, done int) []string {
	l := s.l
	var src, cond string
	isSet := l.val("and i32 %s, %d", l.ids.lane, bit)
	if s.reverse {
		src = l.val("or i32 %s, %d", l.val("and i32 %s, %d", l.ids.lane, ^done&s.l.lastLane()), bit)
		cond = l.val("icmp eq i32 %s, 0", isSet)
	} else {
		src = l.val("and i32 %s, %d", l.val("or i32 %s, %d", l.ids.lane, done), ^bit&s.l.lastLane())
		cond = l.val("icmp ne i32 %s, 0", isSet)
	}
	return s.choose(cond, l.combine(s.op, s.shuffle(t, src), t), t)
}

// predecessor returns the lane before this one in the order of mask's bits. For the first lane the result is
// arbitrary.
func (s *joinedLanes) predecessor() string {
	l := s.l
	mask, low := s.mask, s.mask&-s.mask
	var next string
	if s.reverse { // all other bits are set, so that the carry passes over them
		next = l.val("add i32 %s, %d", l.val("or i32 %s, %d", l.ids.lane, ^mask&s.l.lastLane()), low)
	} else {
		next = l.val("sub i32 %s, %d", l.val("and i32 %s, %d", l.ids.lane, mask), low)
	}
	return l.val("or i32 %s, %s", l.val("and i32 %s, %d", next, mask),
		l.val("and i32 %s, %d", l.ids.lane, ^mask&s.l.lastLane()))
}

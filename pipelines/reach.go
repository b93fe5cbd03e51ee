package pipelines

import "slices"

// AlwaysReaches reports whether every run that does not fail executes the step: neither the step
// nor a block around it has a condition or a loop, and no earlier step can end the run.
func (s *Step) AlwaysReaches() bool {
	if s.Conditional() {
		return false
	}
	for ; s != nil; s = s.parent {
		if !s.in.Parallel && slices.ContainsFunc(s.in.Steps[:s.index], (*Step).mayEnd) {
			return false
		}
	}
	return true
}

// mayEnd reports whether the step can end a run without failing it.
func (s *Step) mayEnd() bool {
	return s.OnError == OnErrorBreak || ending(s.Handler) != "" || s.Block != nil && slices.ContainsFunc(s.Block.Steps, (*Step).mayEnd)
}

// alwaysEnds reports whether no step after this one can run.
func (s *Step) alwaysEnds() bool {
	if s.If != "" || s.Foreach != nil {
		return false
	}
	switch s.Handler {
	case "Break", "Snooze", "Drop":
		return true
	case "Fail":
		return s.OnError != OnErrorContinue
	}
	return s.Block != nil && s.OnError != OnErrorContinue && slices.ContainsFunc(s.Block.Steps, (*Step).alwaysEnds)
}

package handlers

// Pure is implemented by handlers that can be called for nothing. One that is
// pure, with the parameters that it has, changes nothing outside the run, waits
// for nothing, and puts out what its call and its parameters say alone. Tests of
// pipelines call such handlers for real; all others need a stub there.
type Pure interface {
	Handler
	Pure() bool
}

var (
	_ Pure = (*transformStep)(nil)
	_ Pure = (*jsonStep)(nil)
	_ Pure = (*templateStep)(nil)
	_ Pure = (*csvStep)(nil)
	_ Pure = (*logStep)(nil)
	_ Pure = (*progressStep)(nil)
	_ Pure = (*breakStep)(nil)
	_ Pure = (*failStep)(nil)
	_ Pure = (*snoozeStep)(nil)
	_ Pure = (*dropStep)(nil)
)

// Pure implements Pure.
func (*transformStep) Pure() bool { return true }

// Pure implements Pure.
func (*jsonStep) Pure() bool { return true }

// Pure implements Pure: neither the text nor the result is a file.
func (s *templateStep) Pure() bool { return s.Path == "" && s.To == "" }

// Pure implements Pure: neither the text nor the result is a file.
func (s *csvStep) Pure() bool { return s.Path == "" && s.To == "" }

// Pure implements Pure: the run's log is the caller's.
func (*logStep) Pure() bool { return true }

// Pure implements Pure: who listens is the caller's choice.
func (*progressStep) Pure() bool { return true }

// Pure implements Pure: what becomes of the item is the caller's business.
func (*breakStep) Pure() bool { return true }

// Pure implements Pure.
func (*failStep) Pure() bool { return true }

// Pure implements Pure.
func (*snoozeStep) Pure() bool { return true }

// Pure implements Pure.
func (*dropStep) Pure() bool { return true }

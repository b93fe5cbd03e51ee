package handlers

// Pure is implemented by handlers that may have no side effects. A handler that is pure with
// its parameters changes nothing outside the run, does not wait, and its output depends only
// on its call and its parameters. Tests of pipelines call pure handlers; all others need a
// stub.
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

// Pure implements Pure: the caller chooses the listener.
func (*progressStep) Pure() bool { return true }

// Pure implements Pure: the caller changes the item.
func (*breakStep) Pure() bool { return true }

// Pure implements Pure.
func (*failStep) Pure() bool { return true }

// Pure implements Pure.
func (*snoozeStep) Pure() bool { return true }

// Pure implements Pure.
func (*dropStep) Pure() bool { return true }

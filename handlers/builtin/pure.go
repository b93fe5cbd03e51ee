package builtin

import "botwork/handlers"

var (
	_ handlers.Pure = (*transformStep)(nil)
	_ handlers.Pure = (*jsonStep)(nil)
	_ handlers.Pure = (*templateStep)(nil)
	_ handlers.Pure = (*csvStep)(nil)
	_ handlers.Pure = (*logStep)(nil)
	_ handlers.Pure = (*progressStep)(nil)
	_ handlers.Pure = (*breakStep)(nil)
	_ handlers.Pure = (*failStep)(nil)
	_ handlers.Pure = (*snoozeStep)(nil)
	_ handlers.Pure = (*dropStep)(nil)
)

// Pure implements handlers.Pure.
func (*transformStep) Pure() bool { return true }

// Pure implements handlers.Pure.
func (*jsonStep) Pure() bool { return true }

// Pure implements handlers.Pure: neither the text nor the result is a file.
func (s *templateStep) Pure() bool { return s.Path == "" && s.To == "" }

// Pure implements handlers.Pure: neither the text nor the result is a file.
func (s *csvStep) Pure() bool { return s.Path == "" && s.To == "" }

// Pure implements handlers.Pure: the run's log is the caller's.
func (*logStep) Pure() bool { return true }

// Pure implements handlers.Pure: the caller chooses the listener.
func (*progressStep) Pure() bool { return true }

// Pure implements handlers.Pure: the caller changes the item.
func (*breakStep) Pure() bool { return true }

// Pure implements handlers.Pure.
func (*failStep) Pure() bool { return true }

// Pure implements handlers.Pure.
func (*snoozeStep) Pure() bool { return true }

// Pure implements handlers.Pure.
func (*dropStep) Pure() bool { return true }

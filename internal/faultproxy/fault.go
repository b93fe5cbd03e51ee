package faultproxy

import (
	"fmt"
	"time"
)

// Fault is what happens to the bytes of all connections, present and new. The
// zero Fault passes them on.
type Fault struct {
	kind kind

	// least and jitter bound the time that each piece is held up, either way.
	least, jitter time.Duration

	// after is how many bytes of a connection's answers still pass before the
	// fault begins, counted from the moment at which it is set.
	after int
}

type kind int

const (
	passing kind = iota
	resetting
	delaying
	swallowing
	stalling
)

// Reset ends every connection with an RST, new ones as soon as they are made.
func Reset() Fault { return Fault{kind: resetting} }

// Delay holds up each piece, in both directions, for at least this long and up
// to jitter longer. The order of the bytes stays.
func Delay(least, jitter time.Duration) Fault {
	return Fault{kind: delaying, least: least, jitter: jitter}
}

// Swallow makes connections half-open: they stay, new ones are accepted, what
// is sent is taken and goes nowhere, and neither end learns that the other has
// closed. A connection that has lost bytes never works again, whatever fault
// comes next.
func Swallow() Fault { return Fault{kind: swallowing} }

// Stall keeps all bytes until the next fault is set. Then they go on, however
// old they are.
func Stall() Fault { return Fault{kind: stalling} }

// CutAnswer lets requests through and so many bytes of a connection's answers; then it ends the
// connection with an RST. With 0 the request is executed and the caller never learns of it.
func CutAnswer(after int) Fault { return Fault{kind: resetting, after: after + 1} }

// SwallowAnswer is like CutAnswer, but leaves the connection half-open: the
// server waits in the middle of a transaction for a client that is not there.
func SwallowAnswer(after int) Fault { return Fault{kind: swallowing, after: after + 1} }

// String returns the fault for messages of tests.
func (f Fault) String() string {
	if f.after > 0 {
		name := map[kind]string{resetting: "cut the answer", swallowing: "swallow the answer"}[f.kind]
		return fmt.Sprintf("%s after %d bytes", name, f.after-1)
	}
	if f.kind == delaying {
		return fmt.Sprintf("delay by %v to %v", f.least, f.least+f.jitter)
	}
	return [...]string{"pass", "reset", "delay", "swallow", "stall"}[f.kind]
}

package faultproxy

import (
	"fmt"
	"time"
)

// Fault is what happens to the bytes of all connections, current and new. The
// zero Fault passes them on.
type Fault struct {
	kind kind

	// least and jitter are the range of the delay of each piece, in both directions.
	least, jitter time.Duration

	// after is how many bytes of a connection's answers are still passed on before the
	// fault begins, counted from the time at which it is set.
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

// Reset closes every connection with an RST, and new ones as soon as they are made.
func Reset() Fault { return Fault{kind: resetting} }

// Delay delays each piece, in both directions, by at least this duration and up to
// jitter longer. The order of the bytes does not change.
func Delay(least, jitter time.Duration) Fault {
	return Fault{kind: delaying, least: least, jitter: jitter}
}

// Swallow makes connections half-open: they remain open, new ones are accepted, but all
// bytes are dropped, and neither end notices that the other has closed. A connection
// that has lost bytes never works again, regardless of later faults.
func Swallow() Fault { return Fault{kind: swallowing} }

// Stall holds all bytes until the next fault is set. Then they are passed on, regardless
// of their age.
func Stall() Fault { return Fault{kind: stalling} }

// TruncateResponse passes on requests and this number of bytes of a connection's answers; then it closes the
// connection with an RST. With 0 the request is executed, but the caller gets no answer.
func TruncateResponse(after int) Fault { return Fault{kind: resetting, after: after + 1} }

// DropResponse is like TruncateResponse, but leaves the connection half-open: the
// server waits in the middle of a transaction for a client that does not answer.
func DropResponse(after int) Fault { return Fault{kind: swallowing, after: after + 1} }

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

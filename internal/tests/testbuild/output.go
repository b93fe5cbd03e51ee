package testbuild

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrEnded is returned by Await if the program has ended.
var ErrEnded = errors.New("the program has ended")

// Output collects what a program prints, on both streams in one text, as on a terminal.
type Output struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{} // closed when more is printed
}

// NewOutput returns an empty Output.
func NewOutput() *Output { return &Output{changed: make(chan struct{})} }

// Write implements io.Writer.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(b)
	close(o.changed)
	o.changed = make(chan struct{})
	return len(b), nil
}

// String returns what was printed so far.
func (o *Output) String() string {
	text, _ := o.now()
	return text
}

func (o *Output) now() (text string, changed <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String(), o.changed
}

// Await returns as soon as found is true of what was printed. It returns an error if the program ends
// before, or if that takes longer than patience.
func (o *Output) Await(ended <-chan struct{}, patience time.Duration, found func(text string) bool) error {
	late := time.After(patience)
	for {
		text, changed := o.now()
		if found(text) {
			return nil
		}
		select {
		case <-changed:
		case <-ended:
			if found(o.String()) {
				return nil
			}
			return ErrEnded
		case <-late:
			return fmt.Errorf("waited %v", patience)
		}
	}
}

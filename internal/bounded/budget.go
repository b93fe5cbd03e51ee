package bounded

import (
	"context"
	"fmt"
)

const (
	// MaxSteps limits the work of one budget. A step is about one operation of the
	// virtual machine, or 64 bytes of text that are read; the maximum takes seconds.
	MaxSteps = 50_000_000

	// MaxMemory limits the texts and lists that functions create, in bytes.
	MaxMemory = 64 << 20

	// MaxElements limits the elements of the lists and maps that one expression creates
	// with [], {}, .., map and filter.
	MaxElements = 1_000_000

	// MaxDepth limits the nesting of lists and maps. Code that reads such a value is
	// recursive, and a stack overflow would end the process.
	MaxDepth = 1_000

	// maxResults limits the results of expressions, in bytes. It is larger than
	// MaxMemory, because a result may consist of parts of the payload.
	maxResults = 2 * MaxMemory

	// lookEvery is the number of steps between two checks of the context.
	lookEvery = 10_000
)

// LimitError is the error for an expression or a template that exceeds a bound.
type LimitError struct{ Message string }

func (e *LimitError) Error() string { return e.Message }

// Hint returns what a user can do about it.
func (e *LimitError) Hint() string { return "process less data at a time" }

// Budget is what the expressions of one step, or one template, may use. Its zero value is
// used up: call Start first. A Budget is used by one goroutine.
type Budget struct {
	ctx     context.Context
	steps   int // remaining
	mark    int // when steps is less than mark, the context is checked
	memory  int // remaining
	results int // remaining
	depth   int // the number of template calls that have not returned

	// MaxMemory replaces the constant of this name; 0 means the constant.
	MaxMemory int
}

// Start fills the budget. Evaluations that use it end when ctx ends.
func (b *Budget) Start(ctx context.Context) {
	memory := b.MaxMemory
	if memory == 0 {
		memory = MaxMemory
	}
	b.ctx, b.steps, b.mark, b.memory, b.results, b.depth = ctx, MaxSteps, MaxSteps-lookEvery, memory, maxResults, 0
}

// Err returns the error of the budget's context.
func (b *Budget) Err() error {
	if b.ctx == nil {
		return nil
	}
	return b.ctx.Err()
}

// Steps charges n steps. Its error is a *LimitError or the error of the context.
func (b *Budget) Steps(n int) error {
	if n < 0 || n > MaxSteps { // also if a product overflowed
		n = MaxSteps + 1
	}
	b.steps -= n
	if b.steps >= b.mark {
		return nil
	}
	return b.look()
}

func (b *Budget) look() error {
	if err := b.Err(); err != nil {
		return err
	}
	if b.steps < 0 {
		b.steps, b.mark = -1, 0
		return &LimitError{fmt.Sprintf("it needs more than %d steps", MaxSteps)}
	}
	b.mark = max(b.steps-lookEvery, 0)
	return nil
}

// Memory charges n bytes, before they are used.
func (b *Budget) Memory(n int) error {
	return spend(&b.memory, n, "it creates texts and lists of more than %d MB")
}

func spend(left *int, n int, message string) error {
	if n < 0 || n > *left {
		*left = 0
		return &LimitError{fmt.Sprintf(message, MaxMemory>>20)}
	}
	*left -= n
	return nil
}

// tick charges an iteration of a loop. The virtual machine calls it and turns its panic
// into an error.
func (b *Budget) tick(steps int) bool {
	if err := b.Steps(steps); err != nil {
		panic(err)
	}
	return true
}

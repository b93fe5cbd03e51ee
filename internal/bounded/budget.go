package bounded

import (
	"context"
	"fmt"
)

const (
	// MaxSteps bounds the work of one budget. A step is about one operation of
	// the machine, or 64 bytes of text that are read: all of them take seconds.
	MaxSteps = 50_000_000

	// MaxMemory bounds the texts and lists that functions make, in bytes.
	MaxMemory = 64 << 20

	// MaxElements bounds the elements of the lists and maps that one expression
	// makes with [], {}, .., map and filter.
	MaxElements = 1_000_000

	// MaxDepth bounds how deep lists and maps lie in each other: what reads such
	// a value calls itself, and a stack that overflows ends the process.
	MaxDepth = 1_000

	// maxResults bounds the values that expressions give, in bytes. It is larger
	// than MaxMemory, since a value may be made of parts of the payload.
	maxResults = 2 * MaxMemory

	// lookEvery is after how many steps the context is asked.
	lookEvery = 10_000
)

// LimitError is returned when an expression or a template exceeds a bound.
type LimitError struct{ Message string }

func (e *LimitError) Error() string { return e.Message }

// Hint says what a user can do about it.
func (e *LimitError) Hint() string { return "work on less data at once" }

// Budget is what the expressions of one step, or one template, may use. Its
// zero value is used up: call Start first. One goroutine owns it.
type Budget struct {
	ctx     context.Context
	steps   int // left
	mark    int // when steps fall below it, the context is asked
	memory  int // left
	results int // left
	depth   int // of the calls of templates that have not returned

	// MaxMemory replaces the constant; 0 means the constant.
	MaxMemory int
}

// Start fills the budget. Evaluations that use it end when ctx does.
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

// Steps charges n steps. Its error is a *LimitError or the context's.
func (b *Budget) Steps(n int) error {
	if n < 0 || n > MaxSteps { // a product that overflowed, too
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
		return &LimitError{fmt.Sprintf("it takes more than %d steps", MaxSteps)}
	}
	b.mark = max(b.steps-lookEvery, 0)
	return nil
}

// Memory charges n bytes, before they are used.
func (b *Budget) Memory(n int) error {
	return spend(&b.memory, n, "it makes texts and lists of more than %d MB")
}

func spend(left *int, n int, message string) error {
	if n < 0 || n > *left {
		*left = 0
		return &LimitError{fmt.Sprintf(message, MaxMemory>>20)}
	}
	*left -= n
	return nil
}

// tick charges a pass of a loop. It is called by the machine, which makes an
// error of the panic.
func (b *Budget) tick(steps int) bool {
	if err := b.Steps(steps); err != nil {
		panic(err)
	}
	return true
}

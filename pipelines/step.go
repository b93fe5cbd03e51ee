package pipelines

import (
	"time"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/failsafe-go/failsafe-go"
)

// OnError says what a failed step does to its pipeline.
type OnError string

// The choices. OnErrorFail is the default.
const (
	OnErrorFail     OnError = "fail"     // the run fails
	OnErrorContinue OnError = "continue" // steps.<name>.error is set, and the step's input goes on to the next
	OnErrorBreak    OnError = "break"    // the run ends here, successfully
)

// Step is one entry of `steps`. It calls a handler, runs the steps of a block, or calls another
// pipeline.
type Step struct {
	// Name is unique within the pipeline. Path has also the names of the blocks around the step:
	// "post / sign".
	Name, Path string

	// One of the three is set.
	Handler string
	Block   *Block
	Uses    string // the pipeline that the step calls

	// Foreach is nil for a step that runs once.
	Foreach *Loop

	OnError OnError

	// If is the condition as it was written, "" if there is none.
	If string

	// Timeout bounds each attempt of the step; 0 means no bound.
	Timeout time.Duration

	// Attempts is how often the step is tried within one run; 1 means once.
	Attempts int

	// With holds the parameters as they were written.
	With map[string]any

	kind      handlers.Kind
	condition *expression
	backoff   workqueue.Resilience   // the waits between the attempts
	retry     failsafe.Executor[any] // nil when Attempts is 1

	// One of the two is set: the handler if all its parameters are constant, otherwise the
	// function that builds it in each run.
	handler handlers.Handler
	with    *template

	// checked are the parameters whose texts an expression may not all make.
	checked []handlers.Field

	// literal are the parameters from which handler was built.
	literal map[string]any

	// in is the list that has the step at the index; parent is the step whose block it is, nil
	// at the top of the file.
	in     *Block
	index  int
	parent *Step

	// perElement reports whether the condition of a loop is evaluated for each element, because
	// it names the element. Otherwise, it is evaluated once.
	perElement bool
}

// Outputs describes the output of the step's handler.
func (s *Step) Outputs() string { return s.kind.Output }

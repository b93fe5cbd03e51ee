package queue

import (
	"fmt"

	"github.com/rs/zerolog"

	"botwork/pipelines"
	"botwork/workqueue/assign"
	"botwork/workqueue/scoring"
)

// AssignKind is the name of the kind whose steps make assignment passes.
const AssignKind = pipelines.AssignHandler

// AssignParams returns what a step of AssignKind passes to its assignment pass, without running
// it. Parameters that an expression gives are known only in a run: they are an error. Scoring
// rules write to the log.
func AssignParams(s Services, with map[string]any, log zerolog.Logger) (assign.AssignParams, error) {
	h, err := assignKind(s).Build(with)
	if err != nil {
		return assign.AssignParams{}, err
	}
	step, ok := h.(*assignStep)
	if !ok {
		return assign.AssignParams{}, fmt.Errorf("a step %s is built as %T", AssignKind, h)
	}
	p, err := step.params()
	p.NewRule = scoring.Services{Secrets: s.Secrets, Log: log}.New
	return p, err
}

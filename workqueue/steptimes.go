package workqueue

import (
	"encoding/json"
	"slices"
	"time"
)

// maxStepTimes bounds the text of StepTimes, in bytes: it must fit a column of that many UTF-16 units.
// The times of later steps are left out.
const maxStepTimes = 4000

// StepTime is how long a run was in one step, with its waits and repetitions. A run that leaves a step several
// times has an element for each time.
type StepTime struct {
	Step string `json:"step"`
	Ms   int64  `json:"ms"` // rounded to milliseconds
}

// stepTimes are the times of the steps that a run has left, as a JSON array of StepTime without its end.
type stepTimes struct {
	text []byte
	full bool
}

// add adds a step. It encodes it at once, because the array is read again and again while the run goes on.
func (s *stepTimes) add(step string, took time.Duration) {
	one, err := json.Marshal(StepTime{step, took.Round(time.Millisecond).Milliseconds()})
	if err != nil || s.full || len(s.text)+len(one)+len("[]") > maxStepTimes {
		s.full = true
		return
	}
	separator := byte(',')
	if len(s.text) == 0 {
		separator = '['
	}
	s.text = append(append(s.text, separator), one...)
}

// clone returns a copy that can be added to.
func (s *stepTimes) clone() stepTimes { return stepTimes{slices.Clone(s.text), s.full} }

// json returns the array; "" if no step was added.
func (s *stepTimes) json() JSONText {
	if len(s.text) == 0 {
		return ""
	}
	return JSONText(s.text) + "]"
}

// ParseStepTimes returns the elements of the StepTimes of an item or an attempt; nil if there are none, or if
// the text was written by hand and is something else.
func ParseStepTimes(text JSONText) []StepTime {
	var all []StepTime
	if text == "" || json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	return all
}

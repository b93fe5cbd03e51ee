package bench

import "testing"

func TestSteps(t *testing.T) {
	progress := &counter{}
	o := StepsOptions{Common: Common{Repeat: 2, Progress: progress.add}, Runs: 30}
	r, err := Steps(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range stepForms {
		if _, ok := r.Figures[form.figure]; !ok {
			t.Errorf("%s was not measured", form.figure)
		}
	}
	if r.Engine != "none" || r.ItemsPerSecond != nil || *r.Lost != 0 || *r.RanTwice != 0 || progress.sum() != o.Work() {
		t.Errorf("report %+v, progress of %d, want %d", r, progress.sum(), o.Work())
	}
}

// TestStepsFindsWhatDoesNotRun checks that steps that do not run, and runs that fail, are
// reported.
func TestStepsFindsWhatDoesNotRun(t *testing.T) {
	before := stepForms[0].step
	defer func() { stepForms[0].step = before }()
	stepForms[0].step = "  - {handler: Nothing, if: payload.n == 2}\n"
	if r, err := Steps(t.Context(), StepsOptions{Common: Common{Repeat: 1}, Runs: 3}); err == nil || *r.Lost == 0 {
		t.Errorf("report %+v, error %v, want lost steps", r, err)
	}
	stepForms[0].step = "  - {handler: Take, with: {value: '${{ payload.x.y }}'}}\n"
	if _, err := Steps(t.Context(), StepsOptions{Common: Common{Repeat: 1}, Runs: 3}); err == nil {
		t.Error("a pipeline that fails was measured")
	}
}

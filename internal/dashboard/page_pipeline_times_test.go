package dashboard

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

func TestTimesBySteps(t *testing.T) {
	steps := []step{{Path: "load"}, {Path: "never"}, {Path: "save"}}
	var items []item
	for i := range 20 { // load takes 1 to 20 s, and save twice 500 ms
		items = append(items, item{StepTimes: json.RawMessage(fmt.Sprintf(`[{"step":"load","ms":%d},{"step":"save","ms":500},{"step":"save","ms":500}]`, (20-i)*1000))})
	}
	items = append(items, item{StepTimes: json.RawMessage(`[{"step":"old","ms":70000}]`)}, item{StepTimes: json.RawMessage("null")}, item{})
	got := timesBySteps(steps, items)
	want := []stepTime{
		{"load", 20, 10_500 * time.Millisecond, 19 * time.Second, 0.7}, {"never", 0, 0, 0, 0},
		{"save", 20, time.Second, time.Second, 20.0 / 300}, {"old", 1, 70 * time.Second, 70 * time.Second, 70.0 / 300},
	}
	if got == nil || got.Runs != 21 || len(got.Steps) != len(want) {
		t.Fatalf("got %+v, want 21 runs and the steps %v", got, want)
	}
	for i := range want {
		if got.Steps[i] != want[i] {
			t.Errorf("got %+v, want %+v", got.Steps[i], want[i])
		}
	}
	if got := timesBySteps(steps, []item{{}}); got != nil {
		t.Errorf("without times: got %+v, want nil", got)
	}
}

// The time of a block contains those of its steps.
func TestTimesByNestedSteps(t *testing.T) {
	steps := []step{{Path: "post"}, {Path: "post / sign"}, {Path: "post / send"}, {Path: "end"}}
	got := timesBySteps(steps, []item{{StepTimes: json.RawMessage(`[{"step":"post / sign","ms":1000},{"step":"post / send","ms":12000},{"step":"post","ms":8000},{"step":"end","ms":2000}]`)}})
	for i, want := range []float64{0.8, 0.1, 1, 0.2} { // the iterations of a loop run side by side
		if got.Steps[i].Share != want || got.Steps[i].Step != steps[i].Path {
			t.Errorf("got %+v, want the share %v of step %s", got.Steps[i], want, steps[i].Path)
		}
	}
}

package dashboard

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

func TestTimesBySteps(t *testing.T) {
	steps := []step{{Name: "load"}, {Name: "never"}, {Name: "save"}}
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

package workqueue

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestStepTimes(t *testing.T) {
	run := NewRun(&Item{ID: 7})
	if got := run.ProgressNote().StepTimes; got != "" {
		t.Errorf("before the first step: %q, want none", got)
	}
	run.EnterStep("load")
	run.LeaveStep("load", 1499*time.Microsecond)
	run.EnterStep(`"save" <it>`)
	run.LeaveStep(`"save" <it>`, 1500*time.Microsecond)
	run.LeaveStep("load", 25*time.Hour)
	want := []StepTime{{"load", 1}, {`"save" <it>`, 2}, {"load", 90_000_000}}
	note, changed := run.NewProgress()
	if got := ParseStepTimes(note.StepTimes); !changed || !slices.Equal(got, want) {
		t.Errorf("got %v from %q, want %v", got, note.StepTimes, want)
	}
	f := Outcome{Verdict: Failed, Error: "no such host"}.ToFinish(run.For(&Item{ID: 8}), time.Second, 0)
	if f.StepTimes != note.StepTimes {
		t.Errorf("the end has the times %q, want those of the run, %q", f.StepTimes, note.StepTimes)
	}
	for _, text := range []JSONText{"", "x", `{"step":"load"}`, `["load"]`} {
		if got := ParseStepTimes(text); got != nil {
			t.Errorf("ParseStepTimes(%q) = %v, want nil", text, got)
		}
	}
}

// A copy of a run for another of its items is not changed by what the run does later.
func TestStepTimesOfACopy(t *testing.T) {
	run := NewRun(&Item{ID: 7})
	run.LeaveStep("a", time.Second)
	first := run.For(&Item{ID: 8})
	run.LeaveStep("b", time.Second)
	second := run.For(&Item{ID: 9})
	first.LeaveStep("x", time.Second)
	second.LeaveStep("y", time.Second)
	for _, c := range []struct {
		run  *Run
		want string
	}{{first, "ax"}, {second, "aby"}, {run, "ab"}} {
		got := ""
		for _, s := range ParseStepTimes(c.run.ProgressNote().StepTimes) {
			got += s.Step
		}
		if got != c.want {
			t.Errorf("item %d: the steps %q, want %q", c.run.ID, got, c.want)
		}
	}
}

// The text fits its column, whatever the steps are called, and stays JSON.
func TestStepTimesAreBounded(t *testing.T) {
	for _, name := range []string{"step %d", strings.Repeat("\U0001F916", 190) + "%d", strings.Repeat("\\", 190) + "%d"} {
		run := NewRun(&Item{ID: 7})
		for i := range 1000 {
			run.LeaveStep(fmt.Sprintf(name, i), time.Millisecond)
		}
		text := run.ProgressNote().StepTimes
		got := ParseStepTimes(text)
		if len(text) > maxStepTimes || len(text) < maxStepTimes/2 || len(got) == 0 {
			t.Fatalf("%d bytes with %d steps, want at most %d bytes", len(text), len(got), maxStepTimes)
		}
		for i, s := range got {
			if s.Step != fmt.Sprintf(name, i) || s.Ms != 1 {
				t.Fatalf("step %d is %v", i, s)
			}
		}
	}
}

// Names of steps are cut to the width of their column, and those of branches between names.
func TestStepColumn(t *testing.T) {
	long, name := strings.Repeat("x", 198), strings.Repeat("ü", 96)
	for text, want := range map[string]string{
		"post / sign": "post / sign", long + "öö": long + "öö", long + "öö12": long + "öö",
		name + ", " + name + ", b":            name + ", " + name + ", b",
		name + ", " + name + ", b, " + name:   name + ", " + name + ", b, …",
		name + ", " + name + ", two, three":   name + ", " + name + ", …",
		name + "1234, " + name + "123, other": name + "1234, …",
		name + "1234, " + name + ", other":    name + "1234, …",
	} {
		if got := stepColumn(text); got != want || utf8.RuneCountInString(got) > 200 {
			t.Errorf("stepColumn(%s) = %s, %d characters, want %s", text, got, utf8.RuneCountInString(got), want)
		}
	}
}

package doctor_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/doctor"
)

func answer(state doctor.State, found string) func(context.Context) []doctor.Result {
	return func(context.Context) []doctor.Result { return []doctor.Result{{State: state, Found: found}} }
}

// states lists the results by check and state.
func states(results []doctor.Result) (list []string) {
	for _, r := range results {
		list = append(list, r.Check+" "+string(r.State))
	}
	return list
}

func TestFaultSkipsDependentChecks(t *testing.T) {
	got := doctor.Run(t.Context(), []doctor.Check{
		{Name: "settings", Run: answer(doctor.OK, "")},
		{Name: "database", After: []string{"settings"}, Run: answer(doctor.Fault, "")},
		{Name: "schema", After: []string{"database"}, Run: answer(doctor.OK, "")},
		{Name: "rights", After: []string{"settings", "schema"}, Run: answer(doctor.OK, "")},
		{Name: "disk", After: []string{"settings"}, Run: answer(doctor.Warning, "")},
		{Name: "log", After: []string{"disk"}, Run: answer(doctor.OK, "")},
		{Name: "broken", Run: func(context.Context) []doctor.Result { panic("no such statement") }},
	}, time.Minute)
	want := []string{"settings ok", "database fault", "schema skipped", "rights skipped", "disk warning", "log ok", "broken fault"}
	if diff := cmp.Diff(want, states(got)); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	for i, text := range map[int]string{2: "because database is at fault", 3: "because schema was not checked", 6: "no such statement"} {
		if !strings.Contains(got[i].Found, text) {
			t.Errorf("%s: found %q, want it to hold %q", got[i].Check, got[i].Found, text)
		}
	}
}

// A check that returns when its context ends reports its own result. A check that hangs is not
// waited for, and does not block independent checks.
func TestHangingCheckTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		released := make(chan struct{})
		started := time.Now()
		got := doctor.Run(t.Context(), []doctor.Check{
			{Name: "hangs", Run: func(context.Context) []doctor.Result { <-released; return nil }},
			{Name: "minds", Run: func(ctx context.Context) []doctor.Result {
				<-ctx.Done()
				return []doctor.Result{{State: doctor.Fault, Found: "the server did not answer"}}
			}},
			{Name: "needs", After: []string{"hangs"}, Run: answer(doctor.OK, "")},
			{Name: "other", Run: answer(doctor.OK, "")},
		}, 10*time.Second)
		if took := time.Since(started); took < 10*time.Second || took > 12*time.Second {
			t.Errorf("took %s, want slightly more than the timeout of 10s", took)
		}
		if diff := cmp.Diff([]string{"hangs fault", "minds fault", "needs skipped", "other ok"}, states(got)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		if got[0].Found != "no answer within 10s" || got[1].Found != "the server did not answer" {
			t.Errorf("found %q and %q", got[0].Found, got[1].Found)
		}
		close(released)
	})
}

func TestInterruptEndsAllChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		released := make(chan struct{})
		started := time.Now()
		got := doctor.Run(ctx, []doctor.Check{
			{Name: "quick", Run: answer(doctor.OK, "")},
			{Name: "hangs", Run: func(context.Context) []doctor.Result { <-released; return nil }},
			{Name: "needs", After: []string{"hangs"}, Run: answer(doctor.OK, "")},
		}, time.Minute)
		if took := time.Since(started); took != 2*time.Second {
			t.Errorf("ended after %s, want at the interrupt after 2s", took)
		}
		if diff := cmp.Diff([]string{"quick ok", "hangs skipped", "needs skipped"}, states(got)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		if !strings.Contains(got[1].Found, "interrupted") {
			t.Errorf("found %q", got[1].Found)
		}
		close(released)
	})
}

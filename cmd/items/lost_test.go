package items_test

import (
	"strings"
	"testing"

	"botwork/cmd/items"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

// A bulk command prints what was done, even if answers were lost.
func TestBulkCommandsCountWhatWasDone(t *testing.T) {
	for _, action := range []workqueue.Action{workqueue.Cancel, workqueue.Clone, workqueue.Delete} {
		for name, carriedOut := range map[string]bool{"carried out": true, "not carried out": false} {
			t.Run(string(action)+" "+name, func(t *testing.T) {
				clitest.InProject(t)
				clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "x"}`, "--count", "600")
				store := &clitest.LossyStore{Store: clitest.OpenQueue(t), Lose: func(call int) (bool, bool) { return carriedOut, call == 1 }}
				r := changeMany(t.Context(), store, action)
				if want := "600 items " + items.Done(action) + "\n"; r.Code != cli.ExitDone || !strings.HasSuffix(r.Stdout, want) {
					t.Errorf("exit code %d, output ends with %.80q, want %q; %s", r.Code, r.Stdout[max(0, len(r.Stdout)-80):], want, r.Stderr)
				}
				want := map[workqueue.Action]int{workqueue.Cancel: 600, workqueue.Clone: 1200, workqueue.Delete: 0}[action]
				if n := clitest.Rows(t); n != want {
					t.Errorf("%d items are there, want %d", n, want)
				}
				if n := strings.Count(r.Stdout, "new item "); action == workqueue.Clone && n != 600 {
					t.Errorf("it named %d new items, want 600", n)
				}
			})
		}
	}
}

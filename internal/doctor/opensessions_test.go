package doctor

import (
	"strings"
	"testing"
	"time"

	"botwork/workqueue"
)

func TestEvaluateOpenSessions(t *testing.T) {
	person := workqueue.RowHolder{Session: 4711, Host: "10.0.0.7", Program: "psql", Login: "ann", Open: 95 * time.Second, Statement: "UPDATE t SET a = '…'"}
	for _, c := range []struct {
		found  []workqueue.RowHolder
		unseen int
		state  State
		want   []string
	}{
		{nil, 0, OK, []string{"no session"}},
		{[]workqueue.RowHolder{person}, 1, Warning, []string{"session 4711 (psql on 10.0.0.7, login ann)", "1m35s", "UPDATE t SET a = '…'", "pg_terminate_backend(4711)"}},
		{nil, 2, OK, []string{"2 sessions", "GRANT pg_read_all_stats TO bot"}},
	} {
		results := evaluateOpenSessions("bot", c.found, c.unseen)
		text := results[0].Found + " " + results[0].Advice
		if len(results) != 1 || results[0].State != c.state {
			t.Errorf("%v: %+v", c.found, results)
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%q does not say %q", text, want)
			}
		}
	}
}

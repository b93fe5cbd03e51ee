//go:build unix

package e2e

import (
	"net/url"
	"os"
	"strings"
	"testing"

	"botwork/internal/faultproxy"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// behindProxy makes a project whose programs reach the database through a proxy
// that is cut.
func behindProxy(t *testing.T, e testdb.Engine) (*project, *faultproxy.Proxy) {
	dsn := e.DSN(t)
	p, through := faultproxy.New(t, dsn)
	u, err := url.Parse(through)
	if err != nil {
		t.Fatal(err)
	}
	password, asked := u.User.Password()
	if !asked {
		password = "correct-horse" // a server without passwords accepts any
		u.User = url.UserPassword(u.User.Username(), password)
	}
	x := projectOn(t, e, u.String(), e.Open(t, dsn))
	x.password = password
	return x, p
}

// eachServer runs a test for each engine with a server.
func eachServer(t *testing.T, test func(t *testing.T, e testdb.Engine)) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Server == "" {
			t.Skip("an embedded database is always available")
		}
		test(t, e)
	})
}

func TestWorkerWaitsForUnreachableDatabase(t *testing.T) {
	eachServer(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x, proxy := behindProxy(t, e)
		w := x.worker("w")
		w.await("cannot use the database; retrying", 2)
		for _, word := range []string{"again_in", "connection refused", proxy.Addr()} {
			if !strings.Contains(w.String(), word) {
				t.Errorf("the output does not contain %q", word)
			}
		}
		proxy.Restore()
		w.await("worker started", 1)
		w.wantDrained(os.Interrupt)
		if strings.Contains(w.String(), x.password) || strings.Contains(w.String(), url.QueryEscape(x.password)) {
			t.Error("it printed the password")
		}
	})
}

func TestCtrlCInterruptsWaitForDatabase(t *testing.T) {
	eachServer(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x, _ := behindProxy(t, e)
		w := x.worker("w")
		w.await("cannot use the database; retrying", 1)
		w.signal(os.Interrupt)
		if code := w.wait(); code != 1 || !strings.Contains(w.String(), "interrupted") {
			t.Errorf("exit code %d, want 1 and the word \"interrupted\"", code)
		}
		if strings.Contains(w.String(), x.password) {
			t.Error("it printed the password")
		}
	})
}

// A script must not wait: it gets an error immediately.
func TestOtherCommandsDoNotWaitForTheDatabase(t *testing.T) {
	eachServer(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x, proxy := behindProxy(t, e)
		for _, args := range [][]string{{"items", "list"}, {"run", "--once"}, {"enqueue", "--pipeline", "hold", "--payload", "{}"}} {
			r := x.run(args...)
			r.want(1, "connection refused", proxy.Addr())
			if strings.Contains(r.stderr, x.password) {
				t.Errorf("botwork %s printed the password", r.args)
			}
		}
	})
}

func TestResultsSurviveOutage(t *testing.T) {
	eachServer(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x, proxy := behindProxy(t, e)
		proxy.Restore()
		id, letGo := x.enqueueHold()
		w := x.worker("w", "LEASE=25s", "HEARTBEAT=1s")
		w.await("begun", 1)

		proxy.Cut()
		letGo("kept")
		w.await("could not save results; keeping them and retrying", 1)
		if it := x.item(id); it.State != workqueue.Blocked {
			t.Errorf("while the database is unavailable the item is %s, want Blocked", it.State)
		}
		proxy.Restore()

		it := x.awaitState(id, workqueue.Processed)
		if it.Fence != 1 || it.RetryCount != 0 || it.ReleaseCount != 0 || !strings.Contains(string(it.Output), "kept") {
			t.Errorf("Fence %d, RetryCount %d, ReleaseCount %d, output %s; want 1, 0, 0 and its output", it.Fence, it.RetryCount, it.ReleaseCount, it.Output)
		}
		if got := x.outcomes(id); len(got) != 0 {
			t.Errorf("attempts %v, want none", got)
		}
		// The database is available again: another item runs, and no item ran twice.
		next, letGo := x.enqueueHold()
		letGo("")
		x.awaitState(next, workqueue.Processed)
		w.wantDrained(os.Interrupt)
		if n := strings.Count(w.String(), "begun"); n != 2 {
			t.Errorf("%d runs of two items", n)
		}
	})
}

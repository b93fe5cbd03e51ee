package service

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
)

// control is the service control manager's side of a service.
type control struct {
	requests chan svc.ChangeRequest
	mu       sync.Mutex
	seen     []svc.Status
}

func (c *control) take() []svc.Status {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.seen
	c.seen = nil
	return seen
}

type end struct {
	own  bool
	code uint32
}

// drive runs the work under a service control manager.
func drive(t *testing.T, work Work) (*control, chan end) {
	c := &control{requests: make(chan svc.ChangeRequest)}
	status, ended := make(chan svc.Status), make(chan end, 1)
	go func() {
		h := &handler{ctx: t.Context(), work: work, life: newLife(func(string) {})}
		own, code := h.Execute(nil, c.requests, status)
		ended <- end{own, code}
		close(status)
	}()
	go func() {
		for s := range status {
			c.mu.Lock()
			c.seen = append(c.seen, s)
			c.mu.Unlock()
		}
	}()
	return c, ended
}

func TestManagerNotifications(t *testing.T) {
	for _, request := range []svc.Cmd{svc.Stop, svc.Shutdown, svc.PreShutdown} {
		synctest.Test(t, func(t *testing.T) {
			c, ended := drive(t, func(ctx context.Context, life *Life) int {
				time.Sleep(2500 * time.Millisecond) // reads files
				life.Ready(10*time.Second, time.Second)
				<-ctx.Done()
				time.Sleep(3500 * time.Millisecond)
				return 0
			})
			time.Sleep(4 * time.Second)
			seen := c.take()
			if len(seen) != 4 || seen[0].State != svc.StartPending || seen[2].CheckPoint != 2 || seen[3].State != svc.Running ||
				seen[3].Accepts != svc.AcceptStop|svc.AcceptShutdown|svc.AcceptPreShutdown {
				t.Errorf("while it starts the manager sees %+v, want three times pending, then running", seen)
			}
			c.requests <- svc.ChangeRequest{Cmd: request}
			c.requests <- svc.ChangeRequest{Cmd: svc.Interrogate}
			c.requests <- svc.ChangeRequest{Cmd: svc.Stop} // a second stop changes nothing
			if got := <-ended; got != (end{}) {
				t.Errorf("ended with %+v, want exit code 0", got)
			}
			seen = c.take()
			last := uint32(0)
			for i, s := range seen {
				if i == 1 { // the answer to the question
					last--
				}
				if s.State != svc.StopPending || s.CheckPoint != last+1 || s.WaitHint != 20_000 {
					t.Errorf("status %d of the stop is %+v, want check-point %d and a wait hint of 20s", i, s, last+1)
				}
				last = s.CheckPoint
			}
			if last != 4 && last != 5 {
				t.Errorf("the last check-point is %d, want one per second", last)
			}
		})
	}
}

func TestManagerGetsExitCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, ended := drive(t, func(context.Context, *Life) int { return 2 })
		if got := <-ended; got != (end{true, 2}) {
			t.Errorf("ended with %+v, want the service's own code 2", got)
		}
	})
}

func TestServiceThatDoesNotStopIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := make(chan struct{})
		c, ended := drive(t, func(_ context.Context, life *Life) int {
			life.Ready(10*time.Second, time.Second)
			<-hangs
			return 0
		})
		c.take()
		began := time.Now()
		c.requests <- svc.ChangeRequest{Cmd: svc.Stop}
		if got := <-ended; got != (end{true, ExitAbandoned}) || time.Since(began) != 10*time.Second+stopMargin {
			t.Errorf("ended with %+v after %s, want code %d after %s", got, time.Since(began), ExitAbandoned, 10*time.Second+stopMargin)
		}
		close(hangs)
	})
}

func TestRunWithoutServiceManager(t *testing.T) {
	if _, err := Run(t.Context(), "botwork", nil); !errors.Is(err, ErrByHand) {
		t.Errorf("Run = %v, want ErrByHand", err)
	}
}

func TestExplainErrorsByNumber(t *testing.T) {
	for number, want := range map[windows.Errno]struct {
		is   error
		text string
	}{
		5:    {ErrNoRights, `error 5); run this in a console that was opened with "Run as administrator"`},
		1053: {nil, "(error 1053); see `botwork service logs`"},
		1060: {ErrNotInstalled, "(error 1060); `botwork service install`"},
		1069: {nil, "Log on as a service"},
		1072: {nil, "close services.msc"},
		1073: {ErrInstalled, "(error 1073); `botwork service uninstall`"},
	} {
		err := explain("install", "botwork", number)
		if !strings.HasPrefix(err.Error(), "install the service botwork: ") || !strings.Contains(err.Error(), want.text) || want.is != nil && !errors.Is(err, want.is) {
			t.Errorf("error %d is explained as %q, want %q and %v", number, err, want.text, want.is)
		}
	}
	if err := explain("start", "botwork", nil); err != nil {
		t.Errorf("nothing is explained as %v", err)
	}
}

func TestAccounts(t *testing.T) {
	for account, want := range map[string]struct {
		spelt    string
		password bool
	}{
		"":                   {"", false},
		"LocalSystem":        {"", false},
		"localservice":       {`NT AUTHORITY\LocalService`, false},
		"NetworkService":     {`NT AUTHORITY\NetworkService`, false},
		`NT SERVICE\botwork`: {`NT SERVICE\botwork`, false},
		`CORP\botwork$`:      {`CORP\botwork$`, false},
		`CORP\bot`:           {`CORP\bot`, true},
		"bot@corp.example":   {"bot@corp.example", true},
		"bot":                {`.\bot`, true},
	} {
		if got := accountOf(account); got != want.spelt || NeedsPassword(account) != want.password {
			t.Errorf("%q is %q and needs a password: %v; want %+v", account, got, NeedsPassword(account), want)
		}
	}
}

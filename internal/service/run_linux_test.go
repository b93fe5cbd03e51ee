package service

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeSocket is systemd's side of the socket.
type fakeSocket struct {
	net.Conn
	mu    sync.Mutex
	heard []string
}

func (e *fakeSocket) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, string(b))
	return len(b), nil
}

// take returns the lines received since the last call.
func (e *fakeSocket) take() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	heard := e.heard
	e.heard = nil
	return heard
}

func count(list []string, what string) int { return strings.Count(strings.Join(list, "\n"), what) }

// drive runs the work under a systemd with a watchdog interval of 30s.
func drive(t *testing.T, ctx context.Context, work Work) (*fakeSocket, chan int) {
	e := &fakeSocket{}
	ended := make(chan int, 1)
	go func() { ended <- (&notifier{conn: e, dog: 30 * time.Second}).run(ctx, work) }()
	synctest.Wait()
	return e, ended
}

func TestSystemdNotifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		e, ended := drive(t, ctx, func(ctx context.Context, life *Life) int {
			time.Sleep(2500 * time.Millisecond) // reads files
			life.Ready(10*time.Second, time.Second)
			life.Status("waits\nfor the database")
			<-ctx.Done()
			time.Sleep(3500 * time.Millisecond)
			return 0
		})
		time.Sleep(4 * time.Second)
		synctest.Wait()
		want := []string{
			"EXTEND_TIMEOUT_USEC=20000000", "WATCHDOG=1", "EXTEND_TIMEOUT_USEC=20000000", "WATCHDOG=1",
			"READY=1", "STATUS=waits", "WATCHDOG=1", "WATCHDOG=1",
		}
		got := e.take()
		if count(got, "READY=1") != 1 || count(got, "STATUS=waits") != 1 || len(got) != len(want) || count(got, "EXTEND") != 2 {
			t.Errorf("notifications during the start (-want +got):\n%s", cmp.Diff(want, got))
		}
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("exit code %d, want 0", code)
		}
		got = e.take()
		if len(got) == 0 || got[0] != "STOPPING=1\nEXTEND_TIMEOUT_USEC=20000000" || count(got, "EXTEND") != 4 {
			t.Errorf("notifications during the stop: %q, want STOPPING and three more extensions", got)
		}
	})
}

// The watchdog must end a process whose heartbeat loop has stopped, and no other.
func TestWatchdogNotificationsEndWithHeartbeats(t *testing.T) {
	for name, c := range map[string]struct {
		every time.Duration
		beats int
		until time.Duration // how long the service sends notifications
	}{
		"no heartbeat":       {time.Second, 0, time.Hour},
		"heartbeats stop":    {10 * time.Second, 3, 50 * time.Second},
		"long interval":      {time.Minute, 3, 300 * time.Second},
		"only one heartbeat": {10 * time.Second, 1, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				e, ended := drive(t, t.Context(), func(_ context.Context, life *Life) int {
					life.Ready(time.Second, c.every)
					for i := range c.beats {
						if i > 0 {
							time.Sleep(c.every)
						}
						life.Beat()
					}
					time.Sleep(time.Hour - time.Since(began))
					return 1
				})
				last := time.Duration(0)
				for time.Since(began) < time.Hour-time.Second {
					time.Sleep(time.Second)
					synctest.Wait()
					if count(e.take(), "WATCHDOG=1") > 0 {
						last = time.Since(began)
					}
				}
				if last > c.until || last < c.until-2*time.Second {
					t.Errorf("the last notification was sent after %s, want about %s", last, c.until)
				}
				<-ended
			})
		})
	}
}

func TestServiceThatDoesNotStopIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		hangs := make(chan struct{})
		_, ended := drive(t, ctx, func(_ context.Context, life *Life) int {
			life.Ready(10*time.Second, time.Second)
			<-hangs
			return 0
		})
		began := time.Now()
		stop()
		if code := <-ended; code != ExitAbandoned || time.Since(began) != 10*time.Second+stopMargin {
			t.Errorf("ended with %d after %s, want %d after %s", code, time.Since(began), ExitAbandoned, 10*time.Second+stopMargin)
		}
		close(hangs)
	})
}

func TestRunWithoutServiceManager(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	if _, err := Run(t.Context(), "botwork", nil); err != ErrByHand { //nolint:errorlint // it is not wrapped
		t.Errorf("Run = %v, want ErrByHand", err)
	}
}

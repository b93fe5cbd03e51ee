package service

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is how often a service that starts or stops reports progress, and extension how much longer
// the manager should then wait. A service is alive if its last heartbeat is not older than lively.
const (
	tick      = time.Second
	extension = 20 * time.Second
)

// Run runs the work as the service name until ctx ends, and returns its exit code. It returns
// ErrByHand if systemd has not started this process, or not with Type=notify.
func Run(ctx context.Context, _ string, work Work) (int, error) {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return 0, ErrByHand
	}
	dog := watchdog()
	for _, variable := range []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		_ = os.Unsetenv(variable) // only for this process, not for programs of handlers
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: abstract(socket), Net: "unixgram"})
	if err != nil {
		return 0, fmt.Errorf("connect to systemd by NOTIFY_SOCKET: %w", err)
	}
	defer conn.Close() //nolint:errcheck // nothing is buffered
	n := &notifier{conn: conn, dog: dog}
	return n.run(ctx, work), nil
}

// abstract returns the name of a socket as Go expects it; names in the abstract namespace start
// with @ in both.
func abstract(socket string) string {
	if name, ok := strings.CutPrefix(socket, "@"); ok {
		return "\x00" + name
	}
	return socket
}

// watchdog returns the interval at which systemd expects notifications that the process is alive;
// 0: none.
func watchdog() time.Duration {
	if pid := os.Getenv("WATCHDOG_PID"); pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0
	}
	micros, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || micros <= 0 {
		return 0
	}
	return time.Duration(micros) * time.Microsecond
}

// notifier translates between systemd and the work.
type notifier struct {
	conn net.Conn
	dog  time.Duration
}

// send sends lines to systemd. A lost line is harmless: what matters is sent repeatedly.
func (n *notifier) send(lines ...string) { _, _ = n.conn.Write([]byte(strings.Join(lines, "\n"))) }

func (n *notifier) status(text string) {
	line, _, _ := strings.Cut(text, "\n")
	n.send("STATUS=" + line)
}

func (n *notifier) run(ctx context.Context, work Work) int {
	life := newLife(n.status)
	extend := "EXTEND_TIMEOUT_USEC=" + strconv.FormatInt(extension.Microseconds(), 10)
	ended := make(chan int, 1)
	go func() { ended <- work(ctx, life) }()

	every := tick
	if n.dog > 0 {
		every = min(every, n.dog/3)
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	ready, stop := life.ready, ctx.Done()
	starting, stopping := true, false
	var late <-chan time.Time
	for {
		select {
		case <-ready:
			ready, starting = nil, false
			n.send("READY=1")
		case <-stop:
			stop, stopping = nil, true
			n.send("STOPPING=1", extend)
			late = time.After(life.patience())
		case <-ticker.C:
			if starting || stopping {
				n.send(extend)
			}
			if n.dog > 0 && (stopping || life.alive(n.dog)) {
				n.send("WATCHDOG=1")
			}
		case code := <-ended:
			return code
		case <-late:
			return ExitAbandoned
		}
	}
}

// alive reports whether there was a recent heartbeat, or none yet. A loop with a long interval may
// miss one heartbeat.
func (l *Life) alive(within time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastBeat.IsZero() || l.now().Sub(l.lastBeat) <= max(within, 3*l.every)
}

// NeedsPassword reports whether an account logs on with a password: on Linux none does.
func NeedsPassword(string) bool { return false }

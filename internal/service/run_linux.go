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

// tick is how often a service that starts or stops shows that it gets on; extension is
// for how long the manager shall wait then. lively is how old the last beat of a
// service may be that says it lives.
const (
	tick      = time.Second
	extension = 20 * time.Second
)

// Run does the work as the service of the name, until ctx ends, and returns its exit
// code. ErrByHand says that systemd has not started this process, or not with
// Type=notify.
func Run(ctx context.Context, _ string, work Work) (int, error) {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return 0, ErrByHand
	}
	dog := watchdog()
	for _, variable := range []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		_ = os.Unsetenv(variable) // these are between systemd and this process; programs of handlers are others
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: abstract(socket), Net: "unixgram"})
	if err != nil {
		return 0, fmt.Errorf("reach systemd over NOTIFY_SOCKET: %w", err)
	}
	defer conn.Close() //nolint:errcheck // nothing is buffered
	n := &notifier{conn: conn, dog: dog}
	return n.run(ctx, work), nil
}

// abstract is how Go writes a name that is no file.
func abstract(socket string) string {
	if name, ok := strings.CutPrefix(socket, "@"); ok {
		return "\x00" + name
	}
	return socket
}

// watchdog is how often systemd wants to hear that the process lives; 0 for never.
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

// tell sends lines to systemd. A lost line is harmless: what matters is sent repeatedly.
func (n *notifier) tell(lines ...string) { _, _ = n.conn.Write([]byte(strings.Join(lines, "\n"))) }

func (n *notifier) status(text string) {
	line, _, _ := strings.Cut(text, "\n")
	n.tell("STATUS=" + line)
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
			n.tell("READY=1")
		case <-stop:
			stop, stopping = nil, true
			n.tell("STOPPING=1", extend)
			late = time.After(life.patience())
		case <-ticker.C:
			if starting || stopping {
				n.tell(extend)
			}
			if n.dog > 0 && (stopping || life.alive(n.dog)) {
				n.tell("WATCHDOG=1")
			}
		case code := <-ended:
			return code
		case <-late:
			return ExitAbandoned
		}
	}
}

// alive reports whether a heartbeat came lately, or none has come yet. A loop with a long
// interval may miss one heartbeat.
func (l *Life) alive(within time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.beaten.IsZero() || l.now().Sub(l.beaten) <= max(within, 3*l.every)
}

// NeedsPassword reports whether an account logs on with a password: none does here.
func NeedsPassword(string) bool { return false }

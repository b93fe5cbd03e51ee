package faultproxy

import (
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is a server that returns every piece.
func echo(t *testing.T) (dsn string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(conn, conn) // until one end closes
				conn.Close()
			}()
		}
	}()
	return "postgres://" + listener.Addr().String() + "/db"
}

// dial connects through the proxy.
func dial(t *testing.T, through string) net.Conn {
	t.Helper()
	u, err := url.Parse(through)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// ask sends a text and returns the part of the answer that arrives before the connection
// ends or the time has passed.
func ask(t *testing.T, conn net.Conn, text string, patience time.Duration) (string, error) {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		return "", err
	}
	answer := make([]byte, len(text))
	n, err := io.ReadFull(conn, answer)
	return string(answer[:n]), err
}

const (
	soon = 50 * time.Millisecond // for bytes that must not arrive
	long = 10 * time.Second      // for bytes that must arrive
)

func started(t *testing.T) (*Proxy, string) {
	t.Helper()
	p, through := New(t, echo(t))
	p.Restore()
	return p, through
}

func wantEcho(t *testing.T, conn net.Conn) {
	t.Helper()
	if got, err := ask(t, conn, "hello", long); got != "hello" {
		t.Errorf("answer %q, %v; want hello", got, err)
	}
}

func wantReset(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("error %v, want a reset connection", err)
	}
}

func wantSilence(t *testing.T, conn net.Conn) {
	t.Helper()
	if got, err := ask(t, conn, "hello", soon); got != "" || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("answer %q, %v; want none, and an open connection", got, err)
	}
}

func TestProxyRefusesUntilRestored(t *testing.T) {
	p, through := New(t, echo(t))
	if conn, err := net.Dial("tcp", p.Addr()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("connected to %v, %v; want a refused connection", conn, err)
	}
	p.Restore()
	conn := dial(t, through)
	wantEcho(t, conn)
	if p.ResponseBytes() != 5 {
		t.Errorf("%d bytes of answers, want 5", p.ResponseBytes())
	}
	p.Cut()
	if _, err := ask(t, conn, "hello", long); err == nil {
		t.Error("a connection is still open after the cut")
	}
	if _, err := net.Dial("tcp", p.Addr()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("connected after the cut: %v", err)
	}
}

func TestReset(t *testing.T) {
	p, through := started(t)
	old := dial(t, through)
	wantEcho(t, old)
	p.Drop()
	_, err := ask(t, old, "hello", long)
	wantReset(t, err)
	wantEcho(t, dial(t, through))

	p.Set(Reset())
	conn, err := net.Dial("tcp", p.Addr())
	if err == nil { // the reset may arrive before the dial has returned
		_, err = ask(t, conn, "hello", long)
		conn.Close()
	}
	wantReset(t, err)
	p.Set(Fault{})
	wantEcho(t, dial(t, through))
}

func TestDelayKeepsTheOrder(t *testing.T) {
	p, through := started(t)
	p.Set(Delay(time.Millisecond, 5*time.Millisecond))
	conn := dial(t, through)
	began := time.Now()
	for range 5 {
		wantEcho(t, conn)
	}
	if took := time.Since(began); took < 10*time.Millisecond {
		t.Errorf("ten delays of at least a millisecond took %v", took)
	}
	text := strings.Repeat("0123456789", 20_000)
	if got, err := ask(t, conn, text, long); got != text {
		t.Errorf("%d bytes were changed, %v", len(got), err)
	}
}

func TestSwallowedConnectionStaysHalfOpen(t *testing.T) {
	p, through := started(t)
	old := dial(t, through)
	wantEcho(t, old)
	p.Set(Swallow())
	unborn := dial(t, through)
	wantSilence(t, old)
	wantSilence(t, unborn)
	p.Set(Fault{})
	wantSilence(t, old)
	wantSilence(t, unborn)
	wantEcho(t, dial(t, through))
}

func TestStalledBytesArriveLate(t *testing.T) {
	p, through := started(t)
	conn := dial(t, through)
	wantEcho(t, conn)
	p.Set(Stall())
	wantSilence(t, conn)
	p.Set(Fault{})
	if got, err := ask(t, conn, "again", long); got != "hello" {
		t.Errorf("answer %q, %v; want the one that was held", got, err)
	}
}

func TestCutAndSwallowedAnswers(t *testing.T) {
	p, through := started(t)
	for after, want := range []string{"", "h", "he", "hel", "hell"} {
		p.Set(Fault{})
		cut, swallowed := dial(t, through), dial(t, through)
		wantEcho(t, cut)
		wantEcho(t, swallowed)
		p.Set(TruncateResponse(after))
		got, err := ask(t, cut, "hello", long)
		if wantReset(t, err); got != want {
			t.Errorf("%v: answer %q, want %q", TruncateResponse(after), got, want)
		}
		p.Set(DropResponse(after))
		if got, err = ask(t, swallowed, "hello", soon); got != want || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%v: answer %q, %v; want %q and an open connection", DropResponse(after), got, err, want)
		}
	}
	p.Set(TruncateResponse(5))
	wantEcho(t, dial(t, through))
}

func TestReadAnswersAreCounted(t *testing.T) {
	p, through := started(t)
	conn := dial(t, through)
	for asked := int64(1); asked <= 2000; asked++ {
		wantEcho(t, conn)
		if got := p.ResponseBytes(); got != 5*asked {
			t.Fatalf("%d bytes of answers are counted after %d were read", got, 5*asked)
		}
	}
}

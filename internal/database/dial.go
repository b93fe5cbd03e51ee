package database

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"
)

// A server that became unreachable, because of its machine or a firewall that drops
// packets, sends nothing. TCP detects it after the first of these times: data is not
// acknowledged, or the keepalives of an idle connection are not answered.
const (
	unacknowledgedFor = 20 * time.Second
	keepAliveIdle     = 15 * time.Second
	keepAliveInterval = 5 * time.Second
	keepAliveCount    = 3
)

// newDialer returns a dialer whose connections detect an unreachable machine.
func newDialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAliveIdle, Interval: keepAliveInterval, Count: keepAliveCount},
		Control: func(network, _ string, c syscall.RawConn) error {
			switch network {
			case "tcp", "tcp4", "tcp6":
			default:
				return nil
			}
			// Systems without this option still have keepalives.
			return c.Control(func(fd uintptr) { _ = limitUnacknowledged(fd, unacknowledgedFor) })
		},
	}
}

// answers reports whether a server responds to a new connection: it answers what hello
// sends, or closes the connection. A stopped program or an unreachable machine does not
// respond. A refused connection counts as a response: the machine is running, so TCP
// itself ends the other connections.
func answers(ctx context.Context, network, address string, hello func(net.Conn) error) bool {
	conn, err := newDialer().DialContext(ctx, network, address)
	if err != nil {
		return errors.Is(err, syscall.ECONNREFUSED)
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	if err := hello(conn); err != nil {
		return !isTimeout(err)
	}
	_, err = conn.Read(make([]byte, 1))
	return !isTimeout(err)
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// closeWriting is the hello for PostgreSQL: it ends the connection before the login. The
// server closes its side and logs nothing.
func closeWriting(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// prelogin is the first packet of every SQL Server client; this one contains only a
// version.
var prelogin = []byte{
	0x12, 0x01, 0x00, 0x14, 0x00, 0x00, 0x00, 0x00, // type, last packet, length 20
	0x00, 0x00, 0x06, 0x00, 0x06, // the version is at 6 and has 6 bytes
	0xff,                               // no more options
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // the version
}

func sendPrelogin(conn net.Conn) error {
	_, err := conn.Write(prelogin)
	return err
}

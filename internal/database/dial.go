package database

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"
)

// A server that has vanished, with its machine or behind a firewall that drops packets,
// says nothing. TCP finds out after the first of these: data that is not acknowledged, or
// an idle connection whose keepalives are not answered.
const (
	unacknowledgedFor = 20 * time.Second
	keepAliveIdle     = 15 * time.Second
	keepAliveInterval = 5 * time.Second
	keepAliveCount    = 3
)

// newDialer returns a dialer whose connections notice that the other machine is gone.
func newDialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAliveIdle, Interval: keepAliveInterval, Count: keepAliveCount},
		Control: func(network, _ string, c syscall.RawConn) error {
			switch network {
			case "tcp", "tcp4", "tcp6":
			default:
				return nil
			}
			// A system that does not know the option has keepalives all the same.
			return c.Control(func(fd uintptr) { _ = limitUnacknowledged(fd, unacknowledgedFor) })
		},
	}
}

// answers reports whether a server reacts to a new connection: to what hello sends, with a byte
// or by closing it. A program that is stopped, or a machine that is gone, does not; one that
// refuses the connection has a machine that is alive, so that TCP itself ends the other
// connections.
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

// closeWriting is the hello to PostgreSQL: a connection that ends before it begins. The
// server closes its side and logs nothing.
func closeWriting(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// prelogin is the first packet of every client of SQL Server, with nothing but a version.
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

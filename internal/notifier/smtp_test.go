package notifier_test

import (
	"bufio"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// smtpServer is an SMTP server on the loopback that takes every mail.
type smtpServer struct {
	port int

	mu    sync.Mutex
	mails []string // guarded by mu
}

func startSMTP(t *testing.T) *smtpServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &smtpServer{port: listener.Addr().(*net.TCPAddr).Port}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				s.serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		running.Wait()
	})
	return s
}

func (s *smtpServer) serve(conn net.Conn) {
	in := textproto.NewReader(bufio.NewReader(conn))
	fmt.Fprint(conn, "220 test ready\r\n")
	for {
		line, err := in.ReadLine()
		if err != nil {
			return
		}
		switch command, _, _ := strings.Cut(strings.ToUpper(line), " "); command {
		case "DATA":
			fmt.Fprint(conn, "354 go on\r\n")
			lines, err := in.ReadDotLines()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.mails = append(s.mails, strings.Join(lines, "\n"))
			s.mu.Unlock()
			fmt.Fprint(conn, "250 taken\r\n")
		case "QUIT":
			fmt.Fprint(conn, "221 bye\r\n")
			return
		default:
			fmt.Fprint(conn, "250 ok\r\n")
		}
	}
}

func (s *smtpServer) taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.mails...)
}

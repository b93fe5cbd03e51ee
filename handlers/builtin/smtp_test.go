package builtin

import (
	"bufio"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// smtpServer is a small SMTP server on loopback. It serves one connection
// after the other until the test ends.
type smtpServer struct {
	port int

	// replies has special replies by the first word of a command; "." is the end of the mail. The
	// reply "close" closes the connection.
	replies map[string]string

	mu       sync.Mutex
	commands []string // guarded by mu
	mails    []string // guarded by mu
}

func startSMTP(t *testing.T, replies map[string]string) *smtpServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &smtpServer{port: listener.Addr().(*net.TCPAddr).Port, replies: replies}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.serve(conn)
			conn.Close()
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	return s
}

func (s *smtpServer) serve(conn net.Conn) {
	in := textproto.NewReader(bufio.NewReader(conn))
	// reply sends the usual reply, or the test's, and reports whether the session continues.
	reply := func(command, usual string) (positive, open bool) {
		if other, ok := s.replies[command]; ok {
			usual = other
		}
		if usual == "close" {
			return false, false
		}
		fmt.Fprintf(conn, "%s\r\n", usual)
		return usual[0] < '4', true
	}
	if _, open := reply("connect", "220 test ready"); !open {
		return
	}
	for {
		line, err := in.ReadLine()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.commands = append(s.commands, line)
		s.mu.Unlock()
		command, _, _ := strings.Cut(strings.ToUpper(line), " ")
		usual := map[string]string{"EHLO": "250-test\r\n250 AUTH PLAIN", "DATA": "354 go on", "QUIT": "221 bye", "AUTH": "235 welcome"}[command]
		if usual == "" {
			usual = "250 ok"
		}
		positive, open := reply(command, usual)
		if command == "DATA" && positive {
			lines, err := in.ReadDotLines()
			if err != nil {
				return
			}
			if positive, open = reply(".", "250 taken"); positive {
				s.mu.Lock()
				s.mails = append(s.mails, strings.Join(lines, "\n"))
				s.mu.Unlock()
			}
		}
		if !open || command == "QUIT" {
			return
		}
	}
}

// taken returns the mails that the server accepted and the commands that it received.
func (s *smtpServer) taken() (mails, commands []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mails, s.commands
}

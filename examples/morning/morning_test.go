// Package morning_test runs the example: a report of the night by mail.
package morning_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"botwork/examples/internal/worker"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The items fail, and the mail tells which, how often and why.
func TestMorning(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		port, mails := mailServer(t)
		config := project(t, port)
		environ := []string{"BOTWORK_DATABASE_DRIVER=" + string(e.Driver), "BOTWORK_DATABASE_DSN=" + e.DSN(t)}
		w, err := worker.New(t.Context(), worker.Options{Config: config, Environ: environ, Log: t.Output()})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := w.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		if err := w.RunOnce(t.Context(), "morning-report"); err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(filepath.Join(filepath.Dir(config), "data", "morning-report.txt"))
		if err != nil || !strings.HasPrefix(string(kept), "Botwork: nothing failed\n") || len(mails) > 0 {
			t.Errorf("after a quiet night: %d mails, %v, and the file is\n%s", len(mails), err, kept)
		}

		var items []workqueue.NewItem
		for n := range 3 {
			items = append(items, workqueue.NewItem{
				IntegrationConfig: "load-orders", State: workqueue.Pending, Priority: 1001, Payload: workqueue.JSONText(fmt.Sprintf(`{"file": "order-%d.csv"}`, n)),
			})
		}
		if _, err := w.Store.Enqueue(t.Context(), items); err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(time.Minute)
		for failed := int64(0); failed < 3; {
			if time.Now().After(deadline) {
				t.Fatalf("%d items have failed, want 3", failed)
			}
			if err := w.RunOnce(t.Context(), "ExecuteWorkQueue"); err != nil {
				t.Fatal(err)
			}
			if failed, err = w.Store.CountItems(t.Context(), workqueue.ItemFilter{Statuses: []workqueue.Status{workqueue.StatusFailed}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.RunOnce(t.Context(), "morning-report"); err != nil {
			t.Fatal(err)
		}
		got := <-mails
		if want := "Botwork: 3 items failed"; got.subject != want {
			t.Errorf("subject %q, want %q", got.subject, want)
		}
		for _, want := range []string{"load-orders, step read: error", `order-<n>.csv`, "3 items, 3 given up, 6 failed attempts; new"} {
			if !strings.Contains(got.text, want) {
				t.Errorf("the mail lacks %q:\n%s", want, got.text)
			}
		}
	})
}

// project copies the project, with the mail server of the test, and returns its settings file.
func project(t *testing.T, port int) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("project")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "pipelines", "morning-report.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const host = "host: mail.example.test\n"
	changed := strings.Replace(string(text), host, fmt.Sprintf("host: 127.0.0.1\n      port: %d\n      tls: none\n", port), 1)
	if changed == string(text) {
		t.Fatalf("%s lacks %q", path, host)
	}
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "botwork.yaml")
}

// received is a mail.
type received struct{ subject, text string }

// mailServer accepts mails on loopback until the test ends.
func mailServer(t *testing.T) (port int, mails chan received) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mails = make(chan received, 10)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serveMail(t, conn, mails)
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	return listener.Addr().(*net.TCPAddr).Port, mails
}

func serveMail(t *testing.T, conn net.Conn, mails chan<- received) {
	defer conn.Close()
	text := textproto.NewConn(conn)
	say := func(line string) bool { return text.PrintfLine("%s", line) == nil }
	for open := say("220 ready"); open; {
		line, err := text.ReadLine()
		if err != nil {
			return
		}
		switch command, _, _ := strings.Cut(strings.ToUpper(line), " "); command {
		case "DATA":
			if !say("354 go on") {
				return
			}
			message, err := mail.ReadMessage(text.DotReader())
			if err != nil {
				t.Error(err)
				return
			}
			mails <- read(t, message)
			open = say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			open = say("250 ok")
		}
	}
}

// read decodes a mail of one part.
func read(t *testing.T, message *mail.Message) received {
	subject, err := new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
	if err != nil {
		t.Error(err)
	}
	return received{subject, body(t, message)}
}

func body(t *testing.T, message *mail.Message) string {
	in := message.Body
	switch encoding := message.Header.Get("Content-Transfer-Encoding"); strings.ToLower(encoding) {
	case "quoted-printable":
		in = quotedprintable.NewReader(in)
	case "base64":
		in = base64.NewDecoder(base64.StdEncoding, in)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

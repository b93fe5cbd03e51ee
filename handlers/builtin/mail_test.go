package builtin

import (
	"encoding/base64"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
)

func mailWith(port int, more map[string]any) map[string]any {
	with := map[string]any{
		"host": "127.0.0.1", "port": port, "tls": "none", "from": "Robot <robot@example.test>",
		"to": []any{"Ana <ana@example.test>"}, "subject": "Olá", "text": "Dear Ana",
	}
	maps.Copy(with, more)
	return with
}

func TestMailSends(t *testing.T) {
	server := startSMTP(t, nil)
	kind := mailKind(Resources{Folders: []string{tempFolder(t, map[string]string{"out/a.txt": "attached"})}})
	call := &handlers.Call{ItemID: 42, IdempotencyKey: "42", Pipeline: "orders", Step: "tell @ all"}
	out, err := run(t, kind, mailWith(server.port, map[string]any{
		"username": "bot", "password": "hunter2", "cc": "cc@example.test", "bcc": []any{"bcc@example.test"},
		"html": "<p>Dear Ana</p>", "attachments": "out/a.txt",
	}), call)
	const id = "<botwork-42-orders-tell+%40+all@example.test>"
	if diff := cmp.Diff(any(map[string]any{"messageId": id, "recipients": 3}), out); diff != "" || err != nil {
		t.Fatal(err, diff)
	}
	mails, commands := server.taken()
	if len(mails) != 1 {
		t.Fatalf("the server has %d mails, want 1", len(mails))
	}
	for _, want := range []string{
		"Message-ID: " + id, "Subject: =?UTF-8?q?Ol=C3=A1?=", "From: \"Robot\" <robot@example.test>", "To: \"Ana\" <ana@example.test>",
		"Dear Ana", "<p>Dear Ana</p>", `filename="a.txt"`, base64.StdEncoding.EncodeToString([]byte("attached")),
	} {
		if !strings.Contains(mails[0], want) {
			t.Errorf("the mail lacks %q:\n%s", want, mails[0])
		}
	}
	if strings.Contains(mails[0], "bcc@") {
		t.Error("the mail shows a blind copy")
	}
	for _, want := range []string{"RCPT TO:<bcc@example.test>", "AUTH PLAIN " + base64.StdEncoding.EncodeToString([]byte("\x00bot\x00hunter2"))} {
		if !slices.ContainsFunc(commands, func(c string) bool { return strings.HasPrefix(c, want) }) {
			t.Errorf("commands = %q, want %q among them", commands, want)
		}
	}
}

func TestMailOutcomes(t *testing.T) {
	for _, c := range []struct {
		name    string
		replies map[string]string
		with    map[string]any
		outcome string
		word    string
	}{
		{"unknown recipient", map[string]string{"RCPT": "550 5.1.1 who is that"}, nil, "permanent", "who is that"},
		{"mailbox is busy", map[string]string{"RCPT": "451 4.2.1 later"}, nil, "error", "later"},
		{"mail is refused", map[string]string{".": "554 5.7.1 spam"}, nil, "permanent", "spam"},
		{"disk is full", map[string]string{".": "452 4.3.1 full"}, nil, "error", "full"},
		{"wrong password", map[string]string{"AUTH": "535 5.7.8 no"}, map[string]any{"username": "bot", "password": "hunter2"}, "permanent", "535"},
		{"server is closed", map[string]string{"connect": "421 4.3.2 closing"}, nil, "error", "421"},
		{"server wants nobody", map[string]string{"connect": "554 5.3.2 no service"}, nil, "permanent", "554"},
		{"breaks before the mail is taken", map[string]string{".": "close"}, nil, "error", "mail through 127.0.0.1"},
		{"breaks after the mail was taken", map[string]string{"QUIT": "close"}, nil, "success", ""},
		{"no encryption", nil, map[string]any{"tls": "starttls"}, "error", "STARTTLS"},
		{"missing attachment", nil, map[string]any{"attachments": "none.txt"}, "error", "none.txt"},
		{"large attachment", nil, map[string]any{"attachments": "big.txt", "maxSize": 2}, "permanent", "maxSize"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := startSMTP(t, c.replies)
			kind := mailKind(Resources{Folders: []string{tempFolder(t, map[string]string{"big.txt": "123"})}})
			_, err := run(t, kind, mailWith(server.port, c.with), nil)
			if wantError(t, err, c.outcome); c.word != "" {
				wantError(t, err, c.outcome, c.word)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

func TestMailTimeout(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() }) // it never answers
	port := listener.Addr().(*net.TCPAddr).Port
	for _, encryption := range []string{"none", "tls"} {
		_, err = run(t, mailKind(Resources{}), mailWith(port, map[string]any{"timeout": "50ms", "tls": encryption}), nil)
		wantError(t, err, "error", "no end within 50ms")
	}
}

func TestMailValidate(t *testing.T) {
	kind := mailKind(Resources{})
	wantInvalid(t, kind, map[string]any{"host": "", "port": 70000, "from": "x", "subject": "s", "timeout": "0s", "password": "hunter2"},
		"host: want", "port: got 70000", `from: got "x"`, "to: want at least one", "text: want text or html", "username: want", "timeout: want")
	wantInvalid(t, kind, mailWith(25, map[string]any{"to": []any{"a@b", "c"}, "attachments": "a.txt"}),
		`to.1: got "c", want a mail address`, "attachments.0: path", "no folders are allowed")
}

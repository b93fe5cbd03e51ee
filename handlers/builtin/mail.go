package builtin

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"time"

	"botwork/handlers"
)

const mailDoc = `Sends one mail through an SMTP server, to all recipients or to none.

tls: starttls begins without encryption and fails if the server does not offer it; tls is encrypted from the start (usually
port 465); none is never encrypted, and then no password is sent except to this machine. Attachments are files in the
allowed folders, as for File.

It may run twice for one item: if the connection breaks after the server accepted the mail, the result is unknown. Every
attempt of this step for this item has the same Message-ID, by which most servers and mail programs drop the second copy; in a
loop each element, by its number, has another one. An error at the end of the session, after the server accepted the mail, is
not a failure.

A permanent refusal by the server (5xx: unknown recipient, wrong password) is a permanent error; a temporary one (4xx), and a
server that cannot be reached, are retried.`

func mailKind(res Resources) handlers.Kind {
	return handlers.Kind{
		Name: "Mail", Summary: "Send a mail", Doc: mailDoc,
		Output:      "{messageId, recipients: how many}.",
		OutputShape: handlers.Always(mailShape),
		Example: `- handler: Mail
  with:
    host: mail.example.test
    username: robot
    password: ${{ secrets.mailPassword }}
    from: Robot <robot@example.test>
    to: ${{ payload.email }}
    subject: Order ${{ payload.id }} is on its way
    text: |
      Dear ${{ payload.customer }},
      your order left our house today.
    attachments: [letters/invoice.txt]
`,
		New: func() handlers.Handler {
			return &mailStep{Port: 587, TLS: "starttls", Timeout: handlers.Duration(time.Minute), MaxSize: 10 << 20, folders: res.Folders}
		},
	}
}

type mailStep struct {
	Host        string            `json:"host" required:"true" doc:"name or address of the SMTP server"`
	Port        int               `json:"port" doc:"port of the SMTP server"`
	TLS         string            `json:"tls" enum:"starttls,tls,none" doc:"encryption"`
	Username    string            `json:"username" doc:"name to sign in with; without it there is no sign-in"`
	Password    handlers.Secret   `json:"password" doc:"password to sign in with"`
	From        string            `json:"from" required:"true" doc:"sender, such as Robot <robot@example.test>"`
	To          []string          `json:"to" doc:"recipients; one of to, cc and bcc is needed"`
	CC          []string          `json:"cc" doc:"recipients of a copy"`
	BCC         []string          `json:"bcc" doc:"recipients that the others do not see"`
	Subject     string            `json:"subject" required:"true" doc:"subject line"`
	Text        string            `json:"text" doc:"plain text; one of text and html is needed"`
	HTML        string            `json:"html" doc:"HTML text; if text is given too, mail programs choose"`
	Attachments []string          `json:"attachments" doc:"files to attach"`
	MaxSize     handlers.Size     `json:"maxSize" doc:"largest attachment"`
	Timeout     handlers.Duration `json:"timeout" doc:"longest time for the whole exchange"`

	folders folders
}

func (s *mailStep) Validate() error {
	var errs []error
	wrong := func(name, format string, args ...any) {
		errs = append(errs, handlers.WrongParam(name, fmt.Sprintf(format, args...)))
	}
	if s.Host == "" {
		wrong("host", "want the name of an SMTP server")
	}
	if s.Port < 1 || s.Port > 65535 {
		wrong("port", "got %d, want 1 to 65535", s.Port)
	}
	if _, err := mail.ParseAddress(s.From); err != nil {
		wrong("from", "got %q, want a mail address", s.From)
	}
	for name, list := range map[string][]string{"to": s.To, "cc": s.CC, "bcc": s.BCC} {
		for i, address := range list {
			if _, err := mail.ParseAddress(address); err != nil {
				wrong(fmt.Sprintf("%s.%d", name, i), "got %q, want a mail address", address)
			}
		}
	}
	if len(s.To)+len(s.CC)+len(s.BCC) == 0 {
		wrong("to", "want at least one recipient in to, cc or bcc")
	}
	if s.Text == "" && s.HTML == "" {
		wrong("text", "want text or html")
	}
	if s.Username == "" && s.Password != "" {
		wrong("username", "want the name that the password belongs to")
	}
	for i, path := range s.Attachments {
		if _, err := s.folders.locate(path); err != nil {
			wrong(fmt.Sprintf("attachments.%d", i), "%s", err)
		}
	}
	if s.Timeout <= 0 {
		wrong("timeout", "want more than 0s")
	}
	return errors.Join(errs...)
}

func (s *mailStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	message, err := s.message(call)
	if err != nil {
		return nil, keepOutcome(fmt.Errorf("mail: %w", err))
	}
	if err := s.send(ctx, call, message); err != nil {
		return nil, keepOutcome(fmt.Errorf("mail through %s:%d: %w", s.Host, s.Port, err))
	}
	return map[string]any{
		"messageId": message.GetMessageID(), "recipients": len(s.To) + len(s.CC) + len(s.BCC),
	}, nil
}

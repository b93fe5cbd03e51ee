package notifier

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers"
	"botwork/workqueue/notify"
)

// DefaultTimeout is the Timeout of a target that sets none.
const DefaultTimeout = 30 * time.Second

// Sender sends messages with the handlers Mail, HTTP and Template, and by their rules: which hosts may
// be reached, what a refusal is.
type Sender struct {
	Registry *handlers.Registry
	Log      zerolog.Logger
}

// Check returns what is wrong with a target, without sending.
func (s *Sender) Check(t notify.Target) error {
	if t.Template != "" {
		if _, err := s.build("Template", map[string]any{"text": t.Template}); err != nil {
			return fmt.Errorf("template: %w", err)
		}
	}
	_, err := s.step(t, notify.Message{Title: "test"}, "test")
	return redact(t, err)
}

// Send sends a message and returns what the other side answered.
func (s *Sender) Send(ctx context.Context, t notify.Target, m notify.Message) (answer string, err error) {
	text := m.Plain()
	if t.Template != "" {
		if text, err = s.fill(ctx, t, m); err != nil {
			return "", redact(t, err)
		}
	}
	h, err := s.step(t, m, text)
	if err != nil {
		return "", redact(t, err)
	}
	out, err := h.Handle(ctx, s.call(t, m))
	if err != nil {
		return "", redact(t, err)
	}
	return conceal(t, describe(out)), nil
}

// call describes the run to the handler. The id of the message makes the Idempotency-Key of a request and
// the Message-ID of a mail, the same whenever the message is sent.
func (s *Sender) call(t notify.Target, m notify.Message) *handlers.Call {
	return &handlers.Call{Pipeline: "notification", Step: t.Name, IdempotencyKey: m.ID, Attempt: 1, Log: s.Log}
}

// step builds the handler for a message.
func (s *Sender) step(t notify.Target, m notify.Message, text string) (handlers.Handler, error) {
	if t.Kind == notify.Mail {
		with := map[string]any{"host": t.Host, "from": t.From, "to": texts(t.To), "subject": m.Title, "text": text, "timeout": timeout(t)}
		set(with, "port", t.Port, t.Port != 0)
		set(with, "tls", t.TLS, t.TLS != "")
		set(with, "username", t.Username, t.Username != "")
		set(with, "password", t.Password, t.Password != "")
		return s.build("Mail", with)
	}
	headers := map[string]any{"X-Botwork-Delivery": m.ID}
	for name, value := range t.Headers {
		headers[name] = value
	}
	with := map[string]any{"url": t.URL, "method": "POST", "headers": headers, "idempotencyKey": true, "timeout": timeout(t), "body": body(t, m, text)}
	if t.Template != "" {
		contentType := t.ContentType
		if contentType == "" {
			contentType = "application/json"
		}
		headers["Content-Type"] = contentType
	}
	set(with, "auth", map[string]any{"token": t.Token}, t.Token != "")
	return s.build("HTTP", with)
}

// body returns the body of a request.
func body(t notify.Target, m notify.Message, text string) any {
	switch {
	case t.Template != "":
		return text
	case t.Kind == notify.Slack:
		return slack(m)
	case t.Kind == notify.Teams:
		return teams(m)
	}
	return plain(m)
}

// plain returns the message as its JSON, decoded.
func plain(m notify.Message) map[string]any {
	encoded, err := json.Marshal(m)
	if err != nil {
		return map[string]any{"title": m.Title} // unreachable: its fields are texts, numbers and times
	}
	decoded, _ := handlers.DecodeJSON(encoded) // likewise
	fields, _ := decoded.(map[string]any)
	return fields
}

func set(with map[string]any, key string, value any, given bool) {
	if given {
		with[key] = value
	}
}

func texts(list []string) []any {
	all := make([]any, len(list))
	for i, text := range list {
		all[i] = text
	}
	return all
}

func timeout(t notify.Target) string {
	if t.Timeout > 0 {
		return t.Timeout.String()
	}
	return DefaultTimeout.String()
}

func (s *Sender) build(kind string, with map[string]any) (handlers.Handler, error) {
	k, ok := s.Registry.Lookup(kind)
	if !ok {
		return nil, fmt.Errorf("there is no handler %s", kind)
	}
	return k.Build(with)
}

// fill fills the template of a target.
func (s *Sender) fill(ctx context.Context, t notify.Target, m notify.Message) (string, error) {
	h, err := s.build("Template", map[string]any{"text": t.Template, "data": plain(m)})
	if err != nil {
		return "", fmt.Errorf("template: %w", err)
	}
	out, err := h.Handle(ctx, s.call(t, m))
	if err != nil {
		return "", fmt.Errorf("template: %w", err)
	}
	text, _ := out.(string)
	return text, nil
}

// describe returns the output of a handler in one line.
func describe(out any) string {
	fields, _ := out.(map[string]any)
	if id, ok := fields["messageId"]; ok {
		return fmt.Sprintf("the server took the mail for %v recipient(s), Message-ID <%v>", fields["recipients"], id)
	}
	body := strings.Join(strings.Fields(fmt.Sprint(fields["body"])), " ")
	if len(body) > 200 {
		body = strings.ToValidUTF8(body[:200], "") + "…"
	}
	return strings.TrimSpace(fmt.Sprintf("status %v %s", fields["status"], body))
}

// concealed is an error of a target without its secrets.
type concealed struct {
	text string
	err  error
}

func (e *concealed) Error() string { return e.text }

func (e *concealed) Unwrap() error { return e.err }

// redact removes the secrets of a target from an error. The address of a webhook is one: whoever knows
// it can send.
func redact(t notify.Target, err error) error {
	if err == nil {
		return nil
	}
	return &concealed{conceal(t, err.Error()), err}
}

func conceal(t notify.Target, text string) string {
	const hidden = "<secret>"
	for _, secret := range []string{t.Password, t.Token, t.URL} {
		if len(secret) > 3 {
			text = strings.ReplaceAll(text, secret, hidden)
		}
	}
	u, err := url.Parse(t.URL)
	if err != nil || t.URL == "" {
		return text
	}
	for _, part := range []string{u.RequestURI(), u.EscapedPath(), u.Path, u.RawQuery} {
		if len(part) > 3 {
			text = strings.ReplaceAll(text, part, "/"+hidden)
		}
	}
	return text
}

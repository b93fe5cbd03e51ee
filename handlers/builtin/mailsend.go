package builtin

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/textproto"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"botwork/handlers"
)

// message composes the mail and reads its attachments.
func (s *mailStep) message(call *handlers.Call) (*mail.Msg, error) {
	m := mail.NewMsg()
	err := errors.Join(m.From(s.From), m.To(s.To...), m.Cc(s.CC...), m.Bcc(s.BCC...))
	if err != nil {
		return nil, handlers.Permanent(err)
	}
	m.Subject(s.Subject)
	m.SetDate()
	m.SetMessageID()
	if key := idempotencyKey(call); key != "" {
		m.SetMessageIDWithValue(key + "@" + s.senderDomain())
	}
	switch {
	case s.Text != "":
		m.SetBodyString(mail.TypeTextPlain, s.Text)
		if s.HTML != "" {
			m.AddAlternativeString(mail.TypeTextHTML, s.HTML)
		}
	default:
		m.SetBodyString(mail.TypeTextHTML, s.HTML)
	}
	for _, name := range s.Attachments {
		data, _, err := s.folders.read(name, s.MaxSize)
		if err != nil {
			return nil, err
		}
		if err := m.AttachReader(path.Base(filepath.ToSlash(name)), bytes.NewReader(data)); err != nil {
			return nil, fmt.Errorf("attach %q: %w", name, err)
		}
	}
	return m, nil
}

// senderDomain is what follows the @ of the sender, which Validate checked.
func (s *mailStep) senderDomain() string {
	address, err := netmail.ParseAddress(s.From)
	if err != nil {
		return "botwork.invalid"
	}
	return address.Address[strings.LastIndex(address.Address, "@")+1:]
}

// send hands the mail to the server.
func (s *mailStep) send(ctx context.Context, call *handlers.Call, message *mail.Msg) error {
	timeout := time.Duration(s.Timeout)
	// The end of this context closes the connection, also if the library does not close it or
	// waits for the server.
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, late("no end within %s", s.Timeout))
	defer cancel()
	security := &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12}
	options := []mail.Option{
		// The library's own timeout must be longer, because its error would not mention the timeout.
		mail.WithTimeout(timeout + time.Minute),
		mail.WithPort(s.Port), mail.WithTLSConfig(security), mail.WithoutRset(),
		mail.WithTLSPolicy(map[string]mail.TLSPolicy{"starttls": mail.TLSMandatory, "tls": mail.NoTLS, "none": mail.NoTLS}[s.TLS]),
		mail.WithDialContextFunc(func(dialing context.Context, network, address string) (net.Conn, error) {
			return s.dial(ctx, dialing, security, network, address)
		}),
	}
	if s.Username != "" {
		options = append(options, mail.WithUsername(s.Username), mail.WithPassword(string(s.Password)),
			mail.WithOpportunisticSMTPAuth(mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthPlain, mail.SMTPAuthLogin, mail.SMTPAuthCramMD5))
	}
	client, err := mail.NewClient(s.Host, options...)
	if err != nil {
		return handlers.Permanent(err)
	}
	err = client.DialAndSendWithContext(ctx, message)
	switch {
	case err == nil:
		return nil
	case message.IsDelivered():
		call.Log.Warn().Err(err).Msg("the server took the mail, then the connection broke")
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return classifySMTP(err)
}

// dial connects, with TLS from the start if asked to. The connection is closed
// when whole ends.
func (s *mailStep) dial(whole, dialing context.Context, security *tls.Config, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(dialing, network, address)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(whole, func() { conn.Close() })
	if s.TLS != "tls" {
		return conn, nil
	}
	encrypted := tls.Client(conn, security)
	if err := encrypted.HandshakeContext(dialing); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return encrypted, nil
}

// classifySMTP marks permanent rejections of the server as permanent.
func classifySMTP(err error) error {
	code := 0
	var sending *mail.SendError
	var reply *textproto.Error
	switch {
	case errors.As(err, &sending):
		code = sending.ErrorCode()
	case errors.As(err, &reply):
		code = reply.Code
	}
	if code >= 500 && code < 600 {
		return handlers.Permanent(err)
	}
	return err
}

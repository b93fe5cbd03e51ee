package database

import (
	"net/url"
	"regexp"
	"strings"
)

var passwordPair = regexp.MustCompile(`(?i)\b(password|pwd|clientsecret|secret|accesstoken)\s*=\s*("[^"]*"|'[^']*'|\{[^}]*\}|[^;&\s]*)`)

// SafeDSN returns dsn as a person may see it: passwords are <secret>.
func SafeDSN(dsn string) string {
	if u, err := url.Parse(dsn); err == nil && u.User != nil {
		if _, has := u.User.Password(); has {
			// URL.String would escape the angle brackets.
			u.User = url.UserPassword(u.User.Username(), "BOTWORKSECRET")
			dsn = strings.Replace(u.String(), "BOTWORKSECRET", "<secret>", 1)
		}
	} else if err != nil && strings.Contains(dsn, "@") {
		// Not a URL that can be taken apart: hide everything before the host.
		if scheme, rest, ok := strings.Cut(dsn, "://"); ok {
			if at := strings.LastIndex(rest, "@"); at >= 0 {
				dsn = scheme + "://<secret>" + rest[at:]
			}
		}
	}
	return passwordPair.ReplaceAllString(dsn, "$1=<secret>")
}

// redacted is an error whose text hides a DSN but which unwraps to the cause.
type redacted struct {
	err  error
	text string
}

func (e *redacted) Error() string { return e.text }
func (e *redacted) Unwrap() error { return e.err }

// Redact hides the passwords of dsn in err's text; errors.Is and errors.As see
// the original. A nil err stays nil.
func Redact(err error, dsn string) error {
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(err.Error(), dsn, SafeDSN(dsn))
	if u, perr := url.Parse(dsn); perr == nil && u.User != nil {
		if password, has := u.User.Password(); has && password != "" {
			text = strings.ReplaceAll(text, password, "<secret>")
			text = strings.ReplaceAll(text, url.QueryEscape(password), "<secret>")
		}
	}
	text = passwordPair.ReplaceAllString(text, "$1=<secret>")
	if text == err.Error() {
		return err
	}
	return &redacted{err: err, text: text}
}

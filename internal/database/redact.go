package database

import (
	"net/url"
	"strings"
)

// SafeDSN returns dsn for display: passwords are replaced by <secret>. If the end of a
// password is not clear, it hides too much rather than too little.
func SafeDSN(dsn string) string {
	var b strings.Builder
	at := 0
	for _, s := range secretsIn(dsn) {
		b.WriteString(dsn[at:s.from] + "<secret>")
		at = s.to
	}
	b.WriteString(dsn[at:])
	return b.String()
}

// Passwords returns the passwords and other secrets in dsn, each in all spellings in
// which an error or a log may repeat it; nil if there are none.
func Passwords(dsn string) []string {
	var all []string
	for _, s := range secretsIn(dsn) {
		all = append(all, forms(dsn[s.from:s.to])...)
	}
	return all
}

// passwordPair finds passwords in the text of an error, which may contain a part of a DSN
// that the driver parsed.
var passwordPair = lazily(`(?i)((?:password|pwd|secret|token|assertion)\s*=\s*)("[^"]*"|'[^']*'|\{[^}]*\}|[^;&\s]+)`)

// redacted is an error whose text hides a DSN and which unwraps to the cause.
type redacted struct {
	err  error
	text string
}

func (e *redacted) Error() string { return e.text }
func (e *redacted) Unwrap() error { return e.err }

// Redact hides the passwords of dsn in the text of err; errors.Is and errors.As see the
// original error. It returns nil for a nil err.
func Redact(err error, dsn string) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if dsn != "" {
		text = strings.ReplaceAll(text, dsn, SafeDSN(dsn))
	}
	for _, s := range secretsIn(dsn) {
		for _, form := range forms(dsn[s.from:s.to]) {
			text = strings.ReplaceAll(text, form, "<secret>")
		}
	}
	text = passwordPair().ReplaceAllString(text, "${1}<secret>")
	if text == err.Error() {
		return err
	}
	return &redacted{err: err, text: text}
}

// forms returns the spellings in which an error may repeat a password that a DSN contains as raw:
// escaped, unescaped and without its quotes.
func forms(raw string) []string {
	plain := raw
	if n := len(raw); n >= 2 && strings.ContainsRune(`"'{`, rune(raw[0])) {
		plain = raw[1 : n-1]
	}
	all := []string{raw, plain}
	if u, err := url.PathUnescape(plain); err == nil {
		all = append(all, u, url.QueryEscape(u), url.PathEscape(u))
	}
	if u, err := url.QueryUnescape(plain); err == nil {
		all = append(all, u) // a + in a parameter of a URL is a space
	}
	all = append(all, strings.NewReplacer(`\'`, `'`, `\\`, `\`, `\ `, ` `, `""`, `"`, `}}`, `}`).Replace(plain))
	var kept []string
	for _, form := range all {
		if form != "" {
			kept = append(kept, form)
		}
	}
	return kept
}

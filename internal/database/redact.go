package database

import (
	"net/url"
	"slices"
	"strconv"
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
var passwordPair = lazily(`(?i)((?:` + secretNames + `)[a-z]*\s*=\s*)("[^"]*"|'[^']*'|\{[^}]*\}|[^;&\s]+)`)

// quotedPart matches what errors quote, such as the part of a DSN that a parser rejected.
var quotedPart = lazily("\"(?:[^\"\\\\]|\\\\.)+\"|'[^']+'|`[^`]+`")

// minMasked is the length from which a secret is replaced wherever it occurs. A shorter one
// occurs in ordinary words; the settings refuse it.
const minMasked = 4

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
	secrets := Passwords(dsn)
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range secrets {
		if len(secret) >= minMasked {
			text = strings.ReplaceAll(text, secret, "<secret>")
		}
	}
	if len(secrets) > 0 {
		text = quotedPart().ReplaceAllStringFunc(text, func(quoted string) string { return withoutPart(quoted, secrets) })
	}
	text = passwordPair().ReplaceAllString(text, "${1}<secret>")
	if text == err.Error() {
		return err
	}
	return &redacted{err: err, text: text}
}

// redactParse is Redact for an error of a parser, which may show any part of a DSN whose form it
// does not recognise: it also hides the parts of the passwords.
func redactParse(err error, dsn string) error {
	if err == nil {
		return nil
	}
	secrets := Passwords(dsn)
	text := Redact(err, dsn).Error()
	var b strings.Builder
	for text != "" {
		if strings.HasPrefix(text, "<secret>") {
			b.WriteString("<secret>")
			text = text[len("<secret>"):]
			continue
		}
		if n := sharedPrefix(text, secrets); n >= minMasked {
			b.WriteString("<secret>")
			text = text[n:]
			continue
		}
		b.WriteByte(text[0])
		text = text[1:]
	}
	return &redacted{err: err, text: b.String()}
}

// sharedPrefix returns the length of the longest beginning of text that is a part of a secret.
func sharedPrefix(text string, secrets []string) int {
	n := 0
	for _, s := range secrets {
		for n < len(text) && strings.Contains(s, text[:n+1]) {
			n++
		}
	}
	return n
}

// withoutPart replaces a quoted text that is a part of a secret.
func withoutPart(quoted string, secrets []string) string {
	mark, plain := quoted[:1], quoted[1:len(quoted)-1]
	if unquoted, err := strconv.Unquote(quoted); err == nil {
		plain = unquoted
	}
	plain = strings.TrimLeft(plain, ":@/") // the separators before the part
	if plain == "" || !slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(s, plain) }) {
		return quoted
	}
	return mark + "<secret>" + mark
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

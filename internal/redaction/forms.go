package redaction

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// formsOf returns the forms in which a text may contain a secret: as it is, as in JSON, log
// lines, quoted texts and URLs, and its bytes as base64 and hex.
func formsOf(secret string) []string {
	quoted, _ := json.Marshal(secret) // a string always has a JSON form
	plain := unescaped(secret)
	escaped := strconv.Quote(secret)
	digits := hex.EncodeToString([]byte(secret))
	forms := []string{
		secret, string(quoted[1 : len(quoted)-1]), plain[1 : len(plain)-1], logged(secret), escaped[1 : len(escaped)-1],
		url.QueryEscape(secret), url.PathEscape(secret), digits, strings.ToUpper(digits),
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, encoding.EncodeToString([]byte(secret)), encoding.WithPadding(base64.NoPadding).EncodeToString([]byte(secret)))
		forms = append(forms, inBase64(encoding, secret)...)
	}
	return forms
}

// minInBase64 is the minimum length at which a part of a base64 text counts as a secret.
const minInBase64 = 8

// inBase64 returns the characters that depend only on the secret within the base64 of a
// longer text, such as name:password in an Authorization header. There are three forms: a
// secret can begin at each byte of a group of three.
func inBase64(encoding *base64.Encoding, secret string) []string {
	var cores []string
	for before := range 3 {
		text := encoding.WithPadding(base64.NoPadding).EncodeToString([]byte(strings.Repeat("x", before) + secret))
		first := (before*8 + 5) / 6 // characters with bits of the bytes before the secret
		last := (before + len(secret)) * 8 / 6
		if core := text[first:last]; len(core) >= minInBase64 {
			cores = append(cores, core)
		}
	}
	return cores
}

// unescaped returns the JSON form of a value without escaping <, > and &.
func unescaped(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // values of JSON always have a form
	return strings.TrimSuffix(b.String(), "\n")
}

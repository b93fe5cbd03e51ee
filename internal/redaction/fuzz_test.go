package redaction

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rs/zerolog"
)

// FuzzRedactor checks that texts, URLs, JSON and log lines contain no secrets after
// redaction.
func FuzzRedactor(f *testing.F) {
	f.Add("hunter22", "hunter22 and more", "before ", " after")
	f.Add(`a"b<c\`, "pass word/1", "…", "…")
	f.Add("näh-\u2028-\u007f-\x00-\b", "\x00\x01\x02\x03", "\\", "\"")
	f.Add("<secret>", "secret", "<", ">")
	f.Add("a&b=c%20", "aaaa", "aaa", "a")
	f.Fuzz(func(t *testing.T, first, second, before, after string) {
		if len(first)+len(second)+len(before)+len(after) > 2000 {
			return // longer texts are slower and find no other bugs
		}
		var secrets []string
		for _, s := range []string{first, second} {
			if len(s) >= minSecret && utf8.ValidString(s) && !strings.Contains(Hidden, s) {
				secrets = append(secrets, s)
			}
		}
		r := New(secrets...)
		for _, s := range secrets {
			text := before + s + after
			clean(t, r.Redact(text), secrets)

			address := "https://host/" + url.PathEscape(s) + "?q=" + url.QueryEscape(s)
			redacted := r.Redact(address)
			if parts := strings.Split(redacted, Hidden); len(parts) != 3 && !strings.Contains(address, Hidden) {
				for _, part := range parts {
					if strings.Contains(part, url.QueryEscape(s)) || strings.Contains(part, url.PathEscape(s)) {
						t.Errorf("%q became %q with the secret %q", address, redacted, s)
					}
				}
			}

			decoded(t, unescaped(r.Value(map[string]any{"list": []any{text}, text: 1})), secrets)

			full, err := json.Marshal(map[string]any{"a": text})
			if err != nil {
				t.Fatal(err)
			}
			decoded(t, r.Redact(string(full)), secrets)

			var line bytes.Buffer
			log := zerolog.New(r.Writer(&line))
			log.Info().Str("a", text).Bytes("b", []byte(text)).Msg(text)
			decoded(t, line.String(), secrets)
		}
	})
}

// clean wants no secret between the marks.
func clean(t *testing.T, text string, secrets []string) {
	t.Helper()
	for part := range strings.SplitSeq(text, Hidden) {
		for _, s := range secrets {
			if strings.Contains(part, s) {
				t.Errorf("%q holds the secret %q", text, s)
			}
		}
	}
}

// decoded checks that the texts and keys of a JSON value contain no secret. Redacting a
// secret of characters from the JSON syntax can make the text invalid; decoded ignores it.
func decoded(t *testing.T, text string, secrets []string) {
	t.Helper()
	var v map[string]any
	if json.Unmarshal([]byte(text), &v) != nil {
		clean(t, text, secrets)
		return
	}
	for _, one := range v {
		switch one := one.(type) {
		case string:
			clean(t, one, secrets)
		case []any:
			clean(t, one[0].(string), secrets)
		}
	}
}

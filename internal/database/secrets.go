package database

import (
	"regexp"
	"strings"
	"sync"
)

// span is a part of a DSN.
type span struct{ from, to int }

// lazily compiles a pattern at its first use. Most commands show no DSN, and compiling
// these patterns takes a large part of the program's start time.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// secretKey matches the names of parameters that contain a secret.
var secretKey = lazily(`(?i)(password|passwd|pwd|secret|token|assertion)`)

var scheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://`)

// secretsIn finds the secrets in a DSN of any engine, in order. It does not use the
// drivers' parsers, because errors show just those DSNs that the parsers reject.
func secretsIn(dsn string) []span {
	if at := scheme.FindString(dsn); at != "" {
		return secretsInURL(dsn, len(at))
	}
	return secretsInPairs(dsn)
}

// secretsInURL finds the password before the host and those in the parameters. The
// authority part starts at start.
func secretsInURL(dsn string, start int) []span {
	query := len(dsn)
	if i := strings.IndexByte(dsn, '?'); i >= 0 {
		query = i
	}
	var spans []span
	// A password may contain an unescaped slash, at sign or number sign. It ends at the
	// last at sign.
	if at := strings.LastIndexByte(dsn[start:query], '@'); at >= 0 {
		if colon := strings.IndexByte(dsn[start:start+at], ':'); colon >= 0 {
			spans = append(spans, span{start + colon + 1, start + at})
		}
	}
	for from := query + 1; from < len(dsn); {
		to := len(dsn)
		if i := strings.IndexByte(dsn[from:], '&'); i >= 0 {
			to = from + i
		}
		name, value, ok := strings.Cut(dsn[from:to], "=")
		switch {
		case secretKey().MatchString(name) && ok:
			spans = append(spans, span{to - len(value), to})
		case strings.Contains(name, "@"):
			// This is not a parameter but the end of a password with a question mark.
			return []span{{start, len(dsn)}}
		}
		from = to + 1
	}
	return spans
}

var (
	secretPair = lazily(`(?i)[a-z_ ]*(password|passwd|pwd|secret|token|assertion)[a-z_ ]*=\s*`)

	// quotedValue matches a value in the quotes of libpq, ADO or ODBC.
	quotedValue = lazily(`^('(?:[^'\\]|\\.)*'|"(?:[^"]|"")*"|\{(?:[^}]|\}\})*\})`)

	// nextPair matches where an unquoted value certainly ends. A semicolon or space alone
	// may be part of a password, depending on the engine, but not before a known name.
	nextPair = lazily(`(?i)[;\s]\s*(host|hostaddr|port|user|dbname|sslmode|sslcert|sslkey|sslrootcert|target_session_attrs|connect_timeout|application_name|search_path|timezone|` +
		`server|data source|address|addr|database|initial catalog|user id|uid|encrypt|trustservercertificate|trust server certificate|fedauth|app name|application name|applicationintent|` +
		`connection timeout|connect timeout|dial timeout|keepalive|packet size|failoverpartner|failoverport|workstation id|wsid|servercertificate|certificate|hostnameincertificate|` +
		`tlsmin|integrated security|trusted_connection|authenticator|multisubnetfailover|log|columnencryption|driver|` +
		`password|pwd|sslpassword)\s*=`)
)

// secretsInPairs finds the secrets in "key=value key=value" and
// "key=value;key=value".
func secretsInPairs(dsn string) []span {
	var spans []span
	for at := 0; ; {
		key := secretPair().FindStringIndex(dsn[at:])
		if key == nil {
			return spans
		}
		from := at + key[1]
		var to int
		if quoted := quotedValue().FindString(dsn[from:]); quoted != "" {
			to = from + len(quoted)
		} else if next := nextPair().FindStringIndex(dsn[from:]); next != nil {
			to = from + next[0]
		} else {
			to = from + len(strings.TrimRight(dsn[from:], "; "))
		}
		spans = append(spans, span{from, to})
		at = to
	}
}

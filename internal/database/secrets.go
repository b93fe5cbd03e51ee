package database

import (
	"net/url"
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

// secretNames are the parts of names of parameters that contain a secret.
const secretNames = `pass|pwd|secret|token|assertion|credential|api_?key|access_?key|account_?key`

// secretKey matches the names of parameters that contain a secret.
var secretKey = lazily(`(?i)(` + secretNames + `)`)

var scheme = regexp.MustCompile(`[a-zA-Z][a-zA-Z0-9+.-]*://`)

// hasNoLogin are the schemes that no login follows.
var hasNoLogin = map[string]bool{"file": true, "sqlite": true, "sqlite3": true, "odbc": true}

// secretsIn finds the secrets in a DSN of any engine, in order. It does not use the
// drivers' parsers, because errors show just those DSNs that the parsers reject.
func secretsIn(dsn string) []span {
	if at := scheme.FindStringIndex(dsn); at != nil && !strings.Contains(dsn[:at[0]], "=") {
		return secretsInURL(dsn, at[1])
	}
	if form := loginForm.FindStringIndex(dsn); form != nil {
		if name, _, _ := strings.Cut(dsn, ":"); !hasNoLogin[strings.ToLower(strings.TrimSpace(name))] {
			return secretsInURL(dsn, strings.IndexFunc(dsn, func(r rune) bool { return r != ' ' }))
		}
	}
	return secretsInPairs(dsn)
}

// secretsInURL finds the password before the host and those in the parameters. The
// authority part starts at start.
func secretsInURL(dsn string, start int) []span {
	query := len(dsn)
	if i := strings.IndexByte(dsn[start:], '?'); i >= 0 {
		query = start + i
	}
	var spans []span
	host := start
	// A password may contain an unescaped slash, at sign or number sign. It ends at the
	// last at sign.
	if at := strings.LastIndexByte(dsn[start:query], '@'); at >= 0 {
		if colon := strings.IndexByte(dsn[start:start+at], ':'); colon >= 0 {
			spans = append(spans, span{start + colon + 1, start + at})
		}
		host = start + at
	} else if from, ok := noPort(dsn[start:query]); ok {
		return []span{{start + from, len(dsn)}} // a password without a host
	}
	for _, s := range secretsInPairs(dsn[host:query]) {
		spans = append(spans, span{host + s.from, host + s.to})
	}
	inSecret := false
	for from := query + 1; from < len(dsn); {
		to := len(dsn)
		if i := strings.IndexByte(dsn[from:], '&'); i >= 0 {
			to = from + i
		}
		name, value, ok := strings.Cut(dsn[from:to], "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		switch {
		case secretKey().MatchString(name) && ok:
			spans = append(spans, span{to - len(value), to})
			inSecret = true
		case strings.Contains(name, "@"):
			// This is not a parameter but the end of a password with a question mark.
			return []span{{start, len(dsn)}}
		case host == start && strings.Contains(value, "@") && !nextParameter().MatchString(name):
			return []span{{start, len(dsn)}} // the same
		case inSecret && !nextParameter().MatchString(name):
			spans[len(spans)-1].to = to // the password may contain an unescaped &
		default:
			inSecret = false
			if at := secretPair().FindStringIndex(value); at != nil {
				spans = append(spans, span{to - len(value) + at[1], to})
			}
		}
		from = to + 1
	}
	return spans
}

// noPort returns where the first text after a colon begins that cannot be the port of a host in
// a comma-separated list.
func noPort(authority string) (from int, ok bool) {
	if end := strings.IndexAny(authority, "/;\\"); end >= 0 {
		authority = authority[:end]
	}
	for host := range strings.SplitSeq(authority, ",") {
		bracket := strings.LastIndexByte(host, ']') + 1 // an IPv6 address has colons
		_, port, has := strings.Cut(host[bracket:], ":")
		if has && strings.ContainsFunc(port, func(r rune) bool { return r < '0' || r > '9' }) {
			return from + len(host) - len(port), true
		}
		from += len(host) + 1
	}
	return 0, false
}

// knownNames are names of parameters that contain no secret.
const knownNames = `host|hostaddr|port|user|dbname|sslmode|sslcert|sslkey|sslrootcert|target_session_attrs|connect_timeout|application_name|search_path|timezone|` +
	`server|data source|address|addr|database|initial catalog|user id|uid|encrypt|trustservercertificate|trust server certificate|fedauth|app name|application name|applicationintent|` +
	`connection timeout|connect timeout|dial timeout|keepalive|packet size|failoverpartner|failoverport|workstation id|wsid|servercertificate|certificate|hostnameincertificate|` +
	`tlsmin|integrated security|trusted_connection|authenticator|multisubnetfailover|log|columnencryption|driver`

var (
	secretPair = lazily(`(?i)[a-z_ ]*(` + secretNames + `)[a-z_ ]*=\s*`)

	// quotedValue matches a value in the quotes of libpq, ADO or ODBC.
	quotedValue = lazily(`^('(?:[^'\\]|\\.)*'|"(?:[^"]|"")*"|\{(?:[^}]|\}\})*\})`)

	// nextPair matches where an unquoted value certainly ends. A semicolon or space alone
	// may be part of a password, depending on the engine, but not before a known name.
	nextPair = lazily(`(?i)[;\s]\s*(` + knownNames + `|password|pwd|sslpassword)\s*=`)

	// nextParameter matches the names of the parameters of a URL before which a value
	// certainly ends.
	nextParameter = lazily(`(?i)^(` + knownNames + `|default_query_exec_mode|statement_cache_capacity|jit|pool_\w+|sslnegotiation|sslsni|failover partner)$`)
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
		if quoted := quotedValue().FindString(dsn[from:]); quoted != "" && endsValue(dsn[from+len(quoted):]) {
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

// endsValue reports whether a quoted value ends before rest. A password that begins with a
// quote is not quoted.
func endsValue(rest string) bool {
	return rest == "" || strings.ContainsRune("; \t\r\n&", rune(rest[0]))
}

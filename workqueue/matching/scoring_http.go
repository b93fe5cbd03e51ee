package matching

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// maxHTTPTimeout bounds the time that a pass waits for one response.
const maxHTTPTimeout = 30 * time.Second

// headerName matches a token of RFC 9110.
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// sensitive are parts of the names of headers that contain secrets.
var sensitive = []string{"auth", "cookie", "key", "token", "secret", "password"}

func (c *collector) http(path []string, v any) *HTTPScoring {
	if v == nil {
		return nil
	}
	o, ok := v.(map[string]any)
	if !ok {
		c.add(path, "got %s, want {url, headers, timeout, fallback}", kindOf(v))
		return nil
	}
	c.known(path, o, httpKeys)
	h := &HTTPScoring{URL: c.text(path, o, "url"), Timeout: c.span(path, o, "timeout")}
	if o["url"] == nil {
		c.add(path, "the key %q is missing", "url")
	} else if wrong := wrongURL(h.URL); h.URL != "" && wrong != "" {
		c.add(under(path, "url"), "%s", wrong)
	}
	if h.Timeout > maxHTTPTimeout {
		c.add(under(path, "timeout"), "got %v, want at most %v: no other pass begins meanwhile", o["timeout"], maxHTTPTimeout)
	}
	h.Headers = c.headers(under(path, "headers"), o["headers"])
	// Without a fallback, the default score applies.
	if written := o["fallback"]; written != nil && written != string(DefaultRule) {
		f := c.number(under(path, "fallback"), written)
		h.Fallback = &f
	}
	return h
}

// wrongURL describes what is wrong with an address. It does not repeat the address,
// which may contain a password.
func wrongURL(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return "invalid address"
	case u.Scheme != "http" && u.Scheme != "https":
		return "want an address that begins with http:// or https://"
	case u.Host == "":
		return "the address has no host"
	case u.User != nil:
		return "the address contains a user: want a header {secret: name}"
	}
	return ""
}

func (c *collector) headers(path []string, v any) map[string]Header {
	if v == nil {
		return nil
	}
	o, ok := v.(map[string]any)
	if !ok {
		c.add(path, "got %s, want a mapping from names to values", kindOf(v))
		return nil
	}
	headers := make(map[string]Header, len(o))
	for _, name := range slices.Sorted(maps.Keys(o)) {
		here := under(path, name)
		if !headerName.MatchString(name) {
			c.add(here, "got the name %.40q, want the name of a header", name)
			continue
		}
		headers[name] = c.header(here, name, o[name])
	}
	return headers
}

// header rejects plain-text secrets, and repeats no value in its messages.
func (c *collector) header(path []string, name string, v any) Header {
	var h Header
	switch v := v.(type) {
	case string:
		h.Text = v
		if holdsSecret(name) {
			c.add(path, "got a text, want {secret: name} with the name of a secret of the settings; "+
				"{secret: name, prefix: \"Bearer \"} puts a text before it")
		}
	case map[string]any:
		c.known(path, v, headerKeys)
		h.Secret = c.text(path, v, "secret")
		h.Text = c.text(path, v, "prefix")
		if v["secret"] == nil {
			c.add(path, "the key %q is missing", "secret")
		}
	default:
		c.add(path, "want a text, or {secret: name}")
	}
	if strings.ContainsAny(h.Text, "\r\n\x00") {
		c.add(path, "want no line breaks")
	}
	return h
}

func holdsSecret(header string) bool {
	lower := strings.ToLower(header)
	return slices.ContainsFunc(sensitive, func(part string) bool { return strings.Contains(lower, part) })
}

package builtin

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"botwork/handlers"
)

// maxRedirects is the default limit of followed redirects.
const maxRedirects = 10

// redirects is which redirects a step follows: same-origin, follow, refuse, or a
// number: same-origin with that many redirects at most, where 0 is refuse.
type redirects struct {
	mode string
	most int
}

const (
	sameOrigin      = "same-origin"
	followRedirects = "follow"
	refuseRedirects = "refuse"
)

// UnmarshalText parses a mode or a number.
func (r *redirects) UnmarshalText(text []byte) error {
	switch mode := string(text); mode {
	case sameOrigin, followRedirects, refuseRedirects:
		*r = redirects{mode, maxRedirects}
		return nil
	}
	most, err := strconv.ParseUint(string(text), 10, 31)
	switch {
	case err != nil:
		return fmt.Errorf("got %q, want same-origin, follow, refuse or a number of redirects", text)
	case most == 0:
		*r = redirects{refuseRedirects, 0}
	default:
		*r = redirects{sameOrigin, int(most)}
	}
	return nil
}

// String returns the mode, or the number of redirects.
func (r redirects) String() string {
	if r.mode == sameOrigin && r.most != maxRedirects {
		return strconv.Itoa(r.most)
	}
	return r.mode
}

// Pattern implements Patterned.
func (*redirects) Pattern() (pattern, wanted string) {
	return "^(same-origin|follow|refuse|[0-9]+)$", "same-origin, follow, refuse or a number of redirects"
}

var _ handlers.Patterned = (*redirects)(nil)

// journey is a request that follows redirects.
type journey struct {
	*httpStep
	request *http.Request
	hops    int

	// foreign is set when another origin has been reached. From then on none of the step's data is
	// sent, not even to the first origin, because another host chose the address.
	foreign bool
}

// follow sends the request and follows redirects as far as the step allows. The response's
// Request is the last one.
func (s *httpStep) follow(request *http.Request) (*http.Response, error) {
	j := &journey{httpStep: s, request: request}
	for {
		response, err := s.client.do(j.request)
		if err != nil {
			if j.hops > 0 {
				err = fmt.Errorf("after a redirect to %s: %w", shownURL(j.request.URL), err)
			}
			return nil, err
		}
		location := response.Header.Get("Location")
		if !isRedirect(response.StatusCode) || location == "" || s.takes(response.StatusCode) {
			return response, nil
		}
		// A connection is used again when its response has been read.
		_, _ = io.CopyN(io.Discard, response.Body, 2<<10)
		response.Body.Close()
		if err := j.next(response.StatusCode, location); err != nil {
			return nil, handlers.Permanent(fmt.Errorf("got status %s, %w", response.Status, err))
		}
	}
}

// isRedirect reports whether a status sends the client elsewhere.
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// takes reports whether the step does not follow redirects and accepts the redirect's status
// as the response.
func (s *httpStep) takes(status int) bool {
	return s.Redirects.mode == refuseRedirects && (matches(s.ExpectStatus, status) || matches(s.BusinessStatus, status) || matches(s.RetryStatus, status))
}

// next returns the request to the address of a redirect.
func (j *journey) next(status int, location string) error {
	target, err := url.Parse(location)
	if err != nil {
		return errors.New("a redirect to what is no address") // net/url repeats it, with its secrets
	}
	from := j.request.URL
	to := from.ResolveReference(target)
	shown, same := shownURL(to), isSameOrigin(from, to)
	body := j.request.Body != nil && j.request.Body != http.NoBody && (status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect)
	foreign := j.foreign || !same
	switch {
	case j.Redirects.mode == refuseRedirects:
		return fmt.Errorf("a redirect to %s; redirects are refused here", shown)
	case to.Scheme != "http" && to.Scheme != "https" || to.Host == "":
		return fmt.Errorf("a redirect to %s, want an http or https address", shown)
	case from.Scheme == "https" && to.Scheme == "http":
		return fmt.Errorf("a redirect from https to %s; no redirect leads from https to http", shown)
	case j.hops >= j.Redirects.most:
		return fmt.Errorf("a redirect to %s, after %d redirects", shown, j.hops)
	case !same && j.Redirects.mode == sameOrigin:
		return fmt.Errorf("a redirect to %s, another origin; correct the url, or set redirects: follow to go there without the step's headers and body", shown)
	case foreign && body:
		return fmt.Errorf("a redirect to %s, another origin, that asks for the step's body again; correct the url", shown)
	}
	method := j.request.Method
	if status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect && method != http.MethodHead {
		method = http.MethodGet
	}
	next, err := http.NewRequestWithContext(j.request.Context(), method, to.String(), nil)
	if err != nil {
		return fmt.Errorf("a redirect to %s: %w", shown, err)
	}
	next.Header = headersFor(j.request.Header, foreign, body)
	next.URL.User = nil
	if !foreign {
		next.URL.User = from.User
		if target.Host == "" {
			next.Host = j.request.Host
		}
		if body {
			if next.Body, err = j.request.GetBody(); err != nil {
				return fmt.Errorf("a redirect to %s: %w", shown, err)
			}
			next.GetBody, next.ContentLength = j.request.GetBody, j.request.ContentLength
		}
	}
	j.request, j.foreign = next, foreign
	j.hops++
	return nil
}

// isSameOrigin reports whether two addresses have one scheme, host and port. A redirect from
// http to https on the same host, both on their default ports, also has the same origin: only
// the receiver of the first request receives the second.
func isSameOrigin(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == "http" && to.Scheme == "https" {
		return portOf(from) == "80" && portOf(to) == "443"
	}
	return from.Scheme == to.Scheme && portOf(from) == portOf(to)
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// headersFor returns the headers for the next address: for another origin, only those without
// data of this step.
func headersFor(headers http.Header, foreign, body bool) http.Header {
	kept := http.Header{}
	for name, values := range headers {
		switch name {
		case "Accept", "Accept-Language", "User-Agent":
		case "Content-Type", "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Md5":
			if !body {
				continue
			}
		default:
			if foreign {
				continue
			}
		}
		kept[name] = values
	}
	return kept
}

package builtin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"botwork/handlers"
)

const httpDoc = `Sends one HTTP request and returns the response.

A body that is text is sent as it is; any other value is sent as JSON. The proxy settings of the environment apply.

redirects: same-origin follows redirects to the same scheme, host and port, and from http to https on one host; another
origin is a permanent error that names the target. follow also follows redirects to other origins, with only the headers
Accept, Accept-Language and User-Agent of the step, without its sign-in and without its body: a redirect that needs the body
again (307, 308) is then a permanent error. refuse follows none: a redirect is a permanent error, unless expectStatus,
businessStatus or retryStatus lists its status. No redirect from https to http is followed.

handlers.http in the settings defines which hosts may be reached, at every redirect; link-local addresses and those where
clouds provide credentials (169.254.169.254 and others) are denied by default. The address is checked after the name was
resolved; with a proxy, which resolves names itself, only names and addresses in the URL can be checked. A host that is not
allowed is a permanent error.

It may run twice for one item: after a failure, and after a crash between the answer and its record. GET, PUT and DELETE are
usually safe to repeat; the second DELETE may get a 404, which expectStatus can list. For POST and PATCH set idempotencyKey:
the header Idempotency-Key is then the same for every attempt of this step for this item, and in the copy that a queue with
"as: copy" makes, so that a server that supports the header does the work once. It begins with a random key of the item, which no other item has, in this database or another; a repeated or cloned
item is new work and has another. It ends with the path of the step, in a loop with the number of the element: the list of
the loop must be the same in each attempt, and renaming the step changes the key.

The status decides: one of expectStatus is a success. One of businessStatus is a business error. One of
retryStatus is an ordinary failure, which is retried, not before the time of the response's Retry-After. The item waits at
most its resilience's maxRetryAfter (1h by default) and within, however long the server asks for; the step's own retry, which
holds a slot, waits at most its maxDelay. A Retry-After that is negative or neither a number nor a date is ignored, and a date
in the past is no wait. Any other status is a permanent error: the same request would get the same answer. A request without
an answer (no connection, timeout) is retried. A response larger than maxResponse is a permanent error, and so are headers
larger than 256KB.`

func httpKind(res Resources) handlers.Kind {
	client := &httpClient{rules: res.Hosts}
	return handlers.Kind{
		Name: "HTTP", Summary: "Send an HTTP request", Doc: httpDoc,
		Output: "{status, headers, body, encoding, url}: headers by lower-case name; body is the decoded value of a JSON " +
			"response (encoding json), else text (encoding text), or base64 for what is not UTF-8 (encoding base64); url is " +
			"where redirects led, without its query.",
		OutputShape: handlers.Always(httpShape),
		Example: `- name: order
  handler: HTTP
  with:
    method: POST
    url: https://shop.example.test/orders
    auth: {token: "${{ secrets.shopToken }}"}
    body: {customer: "${{ payload.customer }}", total: 12.5}
    idempotencyKey: true
    businessStatus: [409, 422]
- handler: Log
  with: {message: "order ${{ steps.order.output.body.id }} is placed"}
`,
		New: func() handlers.Handler {
			return &httpStep{
				Method: http.MethodGet, ExpectStatus: []statusPattern{"2xx"},
				RetryStatus: []statusPattern{"408", "425", "429", "5xx"},
				Redirects:   redirects{sameOrigin, maxRedirects}, Timeout: handlers.Duration(30 * time.Second), MaxResponse: 10 << 20,
				client: client,
			}
		},
	}
}

type httpStep struct {
	URL            string            `json:"url" required:"true" doc:"absolute http or https address"`
	Method         string            `json:"method" enum:"GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS" doc:"request method"`
	Query          map[string]any    `json:"query" doc:"query parameters, added to those of the address; a list gives one for each element"`
	Headers        map[string]string `json:"headers" doc:"request headers"`
	Auth           httpAuth          `json:"auth" doc:"sign-in: username and password (Basic) or token (Bearer)"`
	Body           any               `json:"body" doc:"request body: text as it is, any other value as JSON; null sends none"`
	IdempotencyKey bool              `json:"idempotencyKey" doc:"send an Idempotency-Key header made of the item's key, the pipeline and the step; a run without an item sends none"`
	ExpectStatus   []statusPattern   `json:"expectStatus" doc:"statuses that are a success, such as 201 or 2xx"`
	BusinessStatus []statusPattern   `json:"businessStatus" doc:"statuses that are a business error, such as 422"`
	RetryStatus    []statusPattern   `json:"retryStatus" doc:"statuses after which the request is retried"`
	Redirects      redirects         `json:"redirects" doc:"which redirects are followed, 10 at most: same-origin, follow or refuse; a number is same-origin with another maximum, 0 is refuse"`
	Timeout        handlers.Duration `json:"timeout" doc:"longest time for the whole exchange"`
	MaxResponse    handlers.Size     `json:"maxResponse" doc:"largest response body"`

	client *httpClient
}

type httpAuth struct {
	Username string          `json:"username" doc:"user name for Basic authentication"`
	Password handlers.Secret `json:"password" doc:"password for Basic authentication"`
	Token    handlers.Secret `json:"token" doc:"token for Bearer authentication"`
}

func (s *httpStep) Validate() error {
	var errs []error
	u, err := url.Parse(s.URL)
	switch {
	case err != nil:
		// The error of net/url repeats the address, which may hold a password.
		errs = append(errs, handlers.WrongParam("url", "this is no address"))
	case u.Scheme != "http" && u.Scheme != "https":
		errs = append(errs, handlers.WrongParam("url", fmt.Sprintf("the scheme is %q, want http or https", u.Scheme)))
	case u.Host == "":
		errs = append(errs, handlers.WrongParam("url", "the address has no host"))
	default:
		if err := s.client.rules.CheckHost(u.Hostname()); err != nil {
			errs = append(errs, handlers.WrongParam("url", err.Error()))
		}
	}
	if s.Auth.Token != "" && (s.Auth.Username != "" || s.Auth.Password != "") {
		errs = append(errs, handlers.WrongParam("auth", "give a token, or a username and password, not both"))
	}
	if len(s.ExpectStatus) == 0 {
		errs = append(errs, handlers.WrongParam("expectStatus", "want at least one status"))
	}
	if s.Timeout <= 0 {
		errs = append(errs, handlers.WrongParam("timeout", "want more than 0s"))
	}
	return errors.Join(errs...)
}

func (s *httpStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(s.Timeout), late("no answer within %s", s.Timeout))
	defer cancel()
	request, err := s.request(ctx, call)
	if err != nil {
		return nil, handlers.Permanent(err)
	}
	out, err := s.traced(request)
	if err == nil {
		return out, nil
	}
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w (%w)", cause, err)
	}
	err = fmt.Errorf("%s %s: %w", s.Method, shownURL(request.URL), err)
	return nil, keepOutcome(err)
}

// shownURL returns an address without its user, password and query, which may contain secrets.
func shownURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// keepOutcome wraps an error with the outcome of an inner error, so that the engine sees both
// the outcome and the whole text.
func keepOutcome(err error) error {
	var permanent *handlers.PermanentError
	var business *handlers.BusinessError
	var later *handlers.RetryAfterError
	switch {
	case errors.As(err, &permanent):
		return handlers.Permanent(err)
	case errors.As(err, &business):
		return handlers.Business(err)
	case errors.As(err, &later):
		return handlers.RetryAfter(err, later.After)
	}
	return err
}

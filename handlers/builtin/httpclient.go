package builtin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"

	"botwork/handlers"
	"botwork/internal/hostrules"
)

// maxResponseHeaders bounds a response's headers, in bytes.
const maxResponseHeaders = 256 << 10

// httpClient sends single requests to hosts that the rules allow. Its zero value
// denies the reserved networks only. Steps share it and its idle connections.
type httpClient struct {
	rules *hostrules.Rules

	// proxy and resolver replace those of the system in tests.
	proxy    func(*http.Request) (*url.URL, error)
	resolver *net.Resolver

	once            sync.Once
	direct, proxied *http.Transport // set by once
}

// do sends the request and follows no redirect. It does not use an http.Client, which parses
// the Location of a response even if it is not followed, and includes it in errors with the
// secrets that it may contain.
func (c *httpClient) do(request *http.Request) (*http.Response, error) {
	c.once.Do(c.init)
	transport, err := c.route(request)
	if err != nil {
		return nil, err
	}
	if user := request.URL.User; user != nil && request.Header.Get("Authorization") == "" {
		password, _ := user.Password()
		request.SetBasicAuth(user.Username(), password)
	}
	response, err := transport.RoundTrip(request)
	if err == nil {
		return response, nil
	}
	switch refused, isRefused := errors.AsType[*hostrules.RefusedError](err); {
	case isRefused:
		return nil, handlers.Permanent(refused)
	case strings.Contains(err.Error(), "response headers exceeded"), strings.Contains(err.Error(), "response header list larger"):
		// net/http has no error values for these.
		return nil, handlers.Permanent(fmt.Errorf("the response's headers are larger than %s", handlers.Size(maxResponseHeaders)))
	}
	return nil, err
}

// init creates the transports. The direct transport checks each connection after the name was
// resolved, with the actual address, so that a name cannot resolve to one address for the
// check and to another for the connection.
func (c *httpClient) init() {
	if c.proxy == nil {
		c.proxy = http.ProxyFromEnvironment
	}
	c.direct = http.DefaultTransport.(*http.Transport).Clone()
	c.direct.MaxResponseHeaderBytes = maxResponseHeaders
	c.proxied = c.direct.Clone()
	c.proxied.Proxy = c.proxy
	c.direct.Proxy = nil
	c.direct.DialContext = c.dial
}

// route selects the direct transport or a proxy. A proxy resolves the host itself, so that
// only the host's name, or its address, can be checked. An http proxy also uses the Host
// header.
func (c *httpClient) route(request *http.Request) (*http.Transport, error) {
	proxy, err := c.proxy(request)
	if err != nil {
		// The error contains the proxy's address, which may contain a password.
		return nil, handlers.Permanent(errors.New("the proxy's address in the environment cannot be read; correct HTTP_PROXY or HTTPS_PROXY"))
	}
	if proxy == nil {
		return c.direct, nil
	}
	hosts := []string{request.URL.Hostname()}
	if request.Host != "" {
		hosts = append(hosts, (&url.URL{Host: request.Host}).Hostname())
	}
	for _, host := range hosts {
		if err := c.rules.CheckProxied(host); err != nil {
			return nil, handlers.Permanent(err)
		}
	}
	return c.proxied, nil
}

func (c *httpClient) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if err := c.rules.CheckHost(host); err != nil {
		return nil, err
	}
	dialer := net.Dialer{Resolver: c.resolver, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return c.rules.CheckAddress(host, to.Addr())
	}}
	return dialer.DialContext(ctx, network, address)
}

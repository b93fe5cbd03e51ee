package builtin

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/internal/hostrules"
)

func rulesOf(t *testing.T, allow, deny []string) *hostrules.Rules {
	t.Helper()
	rules, err := hostrules.New(allow, deny)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// runHTTP runs an HTTP step whose names are resolved by names, which may be nil; call
// is 1 for the first query of an address.
func runHTTP(t *testing.T, rules *hostrules.Rules, names func(name string, call int) string, with map[string]any) (any, error) {
	t.Helper()
	h, err := httpKind(Resources{Hosts: rules}).Build(with)
	if err != nil {
		t.Fatal(err)
	}
	if names != nil {
		h.(*httpStep).client.resolver = resolver(t, names)
	}
	return h.Handle(context.Background(), &handlers.Call{})
}

// resolver asks a name server of the test, which knows addresses of IPv4.
func resolver(t *testing.T, names func(name string, call int) string) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		calls, query := 0, make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(query)
			if err != nil {
				return
			}
			var labels []string
			at := 12
			for query[at] != 0 {
				end := at + 1 + int(query[at])
				labels, at = append(labels, string(query[at+1:end])), end
			}
			isIPv4 := binary.BigEndian.Uint16(query[at+1:]) == 1
			answer := append([]byte{}, query[:min(n, at+5)]...)
			copy(answer[2:], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0})
			if isIPv4 {
				calls++
				answer[7] = 1
				address := netip.MustParseAddr(names(strings.Join(labels, "."), calls)).As4()
				answer = append(append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4), address[:]...)
			}
			_, _ = server.WriteTo(answer, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func to(address string) func(string, int) string {
	return func(string, int) string { return address }
}

func TestHTTPDeniedByTheAddressOfItsName(t *testing.T) {
	address, got := listener(t, nil)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(address, "http://"))
	named := "http://shop.example.test:" + port + "/"
	denied := rulesOf(t, nil, []string{"127.0.0.0/8"})

	if _, err := runHTTP(t, nil, to("127.0.0.1"), map[string]any{"url": named}); err != nil {
		t.Fatal(err)
	}
	_, err := runHTTP(t, denied, to("127.0.0.1"), map[string]any{"url": named})
	wantError(t, err, "permanent", `host "shop.example.test", which is 127.0.0.1, is not allowed: handlers.http.deny in the configuration lists 127.0.0.0/8`)
	_, err = runHTTP(t, rulesOf(t, nil, []string{"127.0.0.0/8", "::1"}), nil, map[string]any{"url": "http://localhost:" + port})
	wantError(t, err, "permanent", "handlers.http.deny")
	_, err = runHTTP(t, rulesOf(t, []string{"other.example.test"}, nil), to("127.0.0.1"), map[string]any{"url": named})
	wantError(t, err, "permanent", "handlers.http.allow in the configuration does not list it")
	_, err = runHTTP(t, rulesOf(t, []string{"*.example.test"}, nil), to("127.0.0.1"), map[string]any{"url": named})
	wantError(t, err, "success")
	wantInvalid(t, httpKind(Resources{Hosts: denied}), map[string]any{"url": address}, "url: host \"127.0.0.1\" is not allowed")
	if len(*got) != 2 {
		t.Errorf("the server got %d requests, want the two that are allowed", len(*got))
	}
}

func TestHTTPMetadataIsDeniedByDefault(t *testing.T) {
	for _, name := range []string{"metadata.google.internal", "innocent.example.test"} {
		_, err := runHTTP(t, nil, to("169.254.169.254"), map[string]any{"url": "http://" + name + "/latest"})
		wantError(t, err, "permanent", "which is 169.254.169.254, is not allowed", "denied by default")
	}
	address := serve(t, redirecting(302, func(*http.Request) string { return "http://169.254.169.254/latest" }))
	_, err := runHTTP(t, nil, nil, map[string]any{"url": address, "redirects": "follow"})
	wantError(t, err, "permanent", "after a redirect to http://169.254.169.254/latest", "denied by default")
}

func TestHTTPRebindingIsCheckedAtEachConnection(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip("this system has no 127.0.0.2: ", err)
	}
	var requests atomic.Int32
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("Connection", "close") // so that the next hop asks the resolver again
		http.Redirect(w, r, "/next", http.StatusFound)
	}), ReadHeaderTimeout: time.Minute}
	go web.Serve(server)
	t.Cleanup(func() { web.Close() })
	_, port, _ := net.SplitHostPort(server.Addr().String())
	rebinding := func(_ string, call int) string {
		if call == 1 {
			return "127.0.0.2"
		}
		return "127.0.0.1"
	}
	_, err = runHTTP(t, rulesOf(t, nil, []string{"127.0.0.1"}), rebinding, map[string]any{"url": "http://rebind.example.test:" + port})
	wantError(t, err, "permanent", "after a redirect to", "which is 127.0.0.1, is not allowed")
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestHTTPBehindAProxy(t *testing.T) {
	proxy, got := listener(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") })
	through, err := url.Parse(proxy)
	if err != nil {
		t.Fatal(err)
	}
	rules := rulesOf(t, nil, []string{"127.0.0.0/8", "evil.example.test"})
	run := func(with map[string]any) error {
		h, err := httpKind(Resources{Hosts: rules}).Build(with)
		if err != nil {
			t.Fatal(err)
		}
		h.(*httpStep).client.proxy = http.ProxyURL(through)
		_, err = h.Handle(context.Background(), &handlers.Call{})
		return err
	}
	// The proxy itself is on a network that is denied: the environment named it.
	wantError(t, run(map[string]any{"url": "http://good.example.test/"}), "success")
	for _, host := range []string{"2130706433", "0177.0.0.1", "2852039166"} {
		wantError(t, run(map[string]any{"url": "http://" + host + "/"}), "permanent", "is not allowed")
	}
	wantError(t, run(map[string]any{"url": "http://good.example.test/", "headers": map[string]any{"Host": "evil.example.test:80"}}), "permanent", `host "evil.example.test" is not allowed`)
	wantError(t, run(map[string]any{"url": "http://good.example.test/", "headers": map[string]any{"Host": "169.254.169.254"}}), "permanent", "is not allowed")
	if len(*got) != 1 {
		t.Errorf("the proxy got %d requests, want 1", len(*got))
	}
}

func TestHTTPResponseHeadersAreBounded(t *testing.T) {
	long := func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Long", strings.Repeat("x", 300<<10)) }
	const want = "the response's headers are larger than 256KB"
	_, err := runHTTP(t, nil, nil, map[string]any{"url": serve(t, long)})
	wantError(t, err, "permanent", want)

	server := httptest.NewUnstartedServer(http.HandlerFunc(long))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	h, err := httpKind(Resources{}).Build(map[string]any{"url": server.URL})
	if err != nil {
		t.Fatal(err)
	}
	trust(h.(*httpStep), server)
	_, err = h.Handle(context.Background(), &handlers.Call{})
	wantError(t, err, "permanent", want)
}

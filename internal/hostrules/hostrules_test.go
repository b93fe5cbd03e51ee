package hostrules

import (
	"net/netip"
	"strings"
	"testing"
)

func TestCheckAddress(t *testing.T) {
	for _, c := range []struct {
		name        string
		allow, deny []string
		host, addr  string
		want        string // a substring of the error; "" for none
	}{
		{"anything by default", nil, nil, "example.test", "10.1.2.3", ""},
		{"loopback by default", nil, nil, "localhost", "127.0.0.1", ""},
		{"metadata by default", nil, nil, "169.254.169.254", "169.254.169.254", "denied by default"},
		{"a name of metadata", nil, nil, "metadata.google.internal", "169.254.169.254", `host "metadata.google.internal", which is 169.254.169.254, is not allowed`},
		{"mapped", nil, nil, "x", "::ffff:169.254.169.254", "denied by default"},
		{"compatible", nil, nil, "x", "::169.254.169.254", "denied by default"},
		{"nat64", nil, nil, "x", "64:ff9b::169.254.169.254", "denied by default"},
		{"link-local with a zone", nil, nil, "x", "fe80::1%eth0", "denied by default"},
		{"metadata in IPv6", nil, nil, "x", "fd00:ec2::254", "denied by default"},
		{"another address of that network", nil, nil, "x", "fd00:ec2::1", ""},
		{"metadata elsewhere", nil, nil, "x", "100.100.100.200", "denied by default"},
		{"metadata is allowed", []string{"169.254.169.254"}, nil, "x", "169.254.169.254", ""},
		{"its whole network is allowed", []string{"169.254.0.0/16"}, nil, "x", "169.254.1.1", ""},
		{"everything else is allowed", []string{"*", "0.0.0.0/0", "::/0"}, nil, "x", "169.254.169.254", "denied by default"},
		{"its name is allowed", []string{"x"}, nil, "x", "169.254.169.254", "denied by default"},
		{"allowed and denied", []string{"169.254.169.254"}, []string{"169.254.169.254"}, "x", "169.254.169.254", "handlers.http.deny"},

		{"denied network", nil, []string{"127.0.0.0/8"}, "localtest.test", "127.9.9.9", "handlers.http.deny in the configuration lists 127.0.0.0/8"},
		{"denied network, mapped", nil, []string{"127.0.0.0/8"}, "x", "::ffff:127.0.0.1", "handlers.http.deny"},
		{"denied network, any address", nil, []string{"127.0.0.0/8"}, "0.0.0.0", "0.0.0.0", "handlers.http.deny"},
		{"denied loopback, any address", nil, []string{"::1"}, "::", "::", "handlers.http.deny"},
		{"loopback in IPv6", nil, []string{"127.0.0.0/8"}, "::1", "::1", ""},
		{"an exception", []string{"*", "10.1.2.3"}, []string{"10.0.0.0/8"}, "erp.test", "10.1.2.3", ""},
		{"next to the exception", []string{"*", "10.1.2.3"}, []string{"10.0.0.0/8"}, "erp.test", "10.1.2.4", "handlers.http.deny"},
		{"denied name", nil, []string{"Evil.test."}, "evil.TEST", "8.8.8.8", "lists evil.test"},
		{"denied domain", nil, []string{"*.evil.test"}, "a.b.evil.test.", "8.8.8.8", "lists *.evil.test"},
		{"not the domain itself", nil, []string{"*.evil.test"}, "evil.test", "8.8.8.8", ""},
		{"nor another domain with that suffix", nil, []string{"*.evil.test"}, "notevil.test", "8.8.8.8", ""},
		{"an allowed host of a denied domain", []string{"good.evil.test"}, []string{"*.evil.test"}, "good.evil.test", "8.8.8.8", ""},
		{"a denied host of an allowed domain", []string{"*.good.test"}, []string{"bad.good.test"}, "bad.good.test", "8.8.8.8", "lists bad.good.test"},

		{"not listed", []string{"good.test"}, nil, "other.test", "8.8.8.8", "handlers.http.allow in the configuration does not list it"},
		{"listed by name", []string{"good.test"}, nil, "good.test", "8.8.8.8", ""},
		{"listed by network", []string{"8.8.0.0/16"}, nil, "other.test", "8.8.8.8", ""},
		{"listed by name, denied by address", []string{"good.test"}, []string{"10.0.0.0/8"}, "good.test", "10.0.0.1", "handlers.http.deny"},
		{"an address is not a name", []string{"*.8.8"}, nil, "8.8.8.8", "8.8.8.8", "does not list it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, err := New(c.allow, c.deny)
			if err != nil {
				t.Fatal(err)
			}
			wantError(t, rules.CheckAddress(c.host, netip.MustParseAddr(c.addr)), c.want)
		})
	}
	wantError(t, (*Rules)(nil).CheckAddress("x", netip.MustParseAddr("169.254.169.254")), "denied by default")
	wantError(t, (*Rules)(nil).CheckAddress("x", netip.MustParseAddr("10.0.0.1")), "")
}

func TestCheckProxied(t *testing.T) {
	rules, err := New(nil, []string{"127.0.0.0/8", "evil.test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "127.1", "2130706433", "0177.0.0.1", "0x7f000001", "0x7F.1", "0xa9febb01", "127.0.0.1.", "::ffff:127.0.0.1", "0", "evil.test", "169.254.43518"} {
		if rules.CheckProxied(host) == nil {
			t.Errorf("CheckProxied(%q) = nil, want an error", host)
		}
	}
	for _, host := range []string{"good.test", "1.2.3.4.5", "0b1", "08.test", "8.8.8.8", "1_0"} {
		wantError(t, rules.CheckProxied(host), "")
	}
	closed, err := New([]string{"good.test", "10.0.0.0/8"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, closed.CheckProxied("good.test"), "")
	wantError(t, closed.CheckProxied("10.0.0.1"), "")
	wantError(t, closed.CheckProxied("erp.test"), "a proxy resolves it")
	wantError(t, (*Rules)(nil).CheckProxied("erp.test"), "")
}

func TestCheckHost(t *testing.T) {
	closed, err := New([]string{"10.0.0.0/8"}, []string{"evil.test"})
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, closed.CheckHost("erp.test"), "") // its address decides later
	wantError(t, closed.CheckHost("evil.test"), "lists evil.test")
	wantError(t, closed.CheckHost("11.0.0.1"), "does not list it")
	wantError(t, closed.CheckHost("10.0.0.1"), "")
}

func TestEntries(t *testing.T) {
	for _, good := range []string{"a", "a.b.test", "*.b.test", "A_b-1.test.", "1.2.3.4", "10.0.0.0/8", "10.1.2.3/8", "::1", "[::1]", "fd00::/8", "xn--bcher-kva.test", "::ffff:1.2.3.4"} {
		wantError(t, CheckAllow(good), "")
		wantError(t, CheckDeny(good), "")
	}
	for _, bad := range []string{"", ".", "*.", "*x", "a.*", "a..b", "http://a", "a:80", "bücher.test", "10.0.0.0/33", "a/8", "fe80::1%eth0", "127.1", "0x7f000001", "::ffff:10.0.0.0/104", "a b"} {
		if CheckAllow(bad) == nil || CheckDeny(bad) == nil {
			t.Errorf("%q was accepted", bad)
		}
		if _, err := New([]string{bad}, nil); err == nil {
			t.Errorf("New accepted %q", bad)
		}
		if _, err := New(nil, []string{bad}); err == nil {
			t.Errorf("New accepted %q", bad)
		}
	}
	wantError(t, CheckAllow("*"), "")
	wantError(t, CheckDeny("*"), "to deny everything except some hosts, use allow")
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("err = %v, want none", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("err = %v, want %q in it", err, want)
	}
}

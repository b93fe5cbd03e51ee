// Package hostrules decides which hosts the HTTP steps of a project may reach, by the
// host's name and by the address of the connection.
//
// A name alone is not enough: it can resolve to any address, and to a different one a
// moment later. The caller therefore resolves the name and then checks the address that
// it is about to connect to with [Rules.CheckAddress].
package hostrules

import (
	"fmt"
	"net/netip"
	"strings"
)

// Rules are the allowed and denied hosts. They are immutable. A nil *Rules has no
// entries: it denies only the reserved networks.
//
// The narrowest network that contains an address decides, and the longest pattern that
// matches a name; deny wins a tie. A host is rejected if its name or its address is
// denied. If there is any allowed entry, a host is also rejected if neither its name nor
// its address is allowed.
type Rules struct {
	networks []network
	names    []name
	closed   bool // true if there is an allowed entry
}

type network struct {
	netip.Prefix
	allow    bool
	reserved string // the purpose of the network, if it is denied by default
}

type name struct {
	pattern string // in lowercase: a host, *.domain or *
	allow   bool
}

// reserved networks are denied unless an allowed network is inside them. The machine
// itself serves these addresses, not a service on the network; in a cloud they provide
// the credentials of the machine.
var reserved = []network{
	{Prefix: netip.MustParsePrefix("169.254.0.0/16"), reserved: "link-local addresses and cloud metadata"},
	{Prefix: netip.MustParsePrefix("fe80::/10"), reserved: "link-local addresses"},
	{Prefix: netip.MustParsePrefix("fd00:ec2::254/128"), reserved: "cloud metadata"},
	{Prefix: netip.MustParsePrefix("fd20:ce::254/128"), reserved: "cloud metadata"},
	{Prefix: netip.MustParsePrefix("100.100.100.200/32"), reserved: "cloud metadata"},
	{Prefix: netip.MustParsePrefix("168.63.129.16/32"), reserved: "cloud metadata"},
	{Prefix: netip.MustParsePrefix("192.0.0.192/32"), reserved: "cloud metadata"},
}

// New creates rules from entries that CheckAllow and CheckDeny accept.
func New(allow, deny []string) (*Rules, error) {
	r := &Rules{closed: len(allow) > 0}
	for _, entry := range allow {
		if err := CheckAllow(entry); err != nil {
			return nil, err
		}
		r.add(entry, true)
	}
	for _, entry := range deny {
		if err := CheckDeny(entry); err != nil {
			return nil, err
		}
		r.add(entry, false)
	}
	return r, nil
}

// add adds a valid entry.
func (r *Rules) add(entry string, allow bool) {
	if prefix, isNetwork, _ := parseNetwork(entry); isNetwork {
		r.networks = append(r.networks, network{Prefix: prefix, allow: allow})
		return
	}
	r.names = append(r.names, name{canonical(entry), allow})
}

// CheckAllow checks an allowed entry: a host name, *.domain, an address, a network, or *
// for every name.
func CheckAllow(entry string) error {
	if entry == "*" {
		return nil
	}
	return check(entry)
}

// CheckDeny is like CheckAllow for a denied entry, which cannot be *.
func CheckDeny(entry string) error {
	if entry == "*" {
		return fmt.Errorf("got *, want a host or a network; to deny everything except some hosts, use allow")
	}
	return check(entry)
}

const want = "want a host name, *.domain, an IP address, or a network such as 10.0.0.0/8"

func check(entry string) error {
	if _, isNetwork, err := parseNetwork(entry); isNetwork || err != nil {
		return err
	}
	host := canonical(entry)
	for label := range strings.SplitSeq(strings.TrimPrefix(host, "*."), ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return fmt.Errorf("got %q, %s", entry, want)
		}
	}
	if _, isNumber := looseAddress(host); isNumber {
		return fmt.Errorf("got %q, want an IP address in its usual form, such as 127.0.0.1", entry)
	}
	return nil
}

// parseNetwork parses an address or a network. isNetwork is false if the entry is
// neither; it may be a name.
func parseNetwork(entry string) (prefix netip.Prefix, isNetwork bool, err error) {
	bare := strings.TrimSuffix(strings.TrimPrefix(entry, "["), "]")
	if addr, err := netip.ParseAddr(bare); err == nil {
		if addr.Zone() != "" {
			return prefix, false, fmt.Errorf("got %q, want an address without a zone", entry)
		}
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), true, nil
	}
	if !strings.Contains(entry, "/") {
		return prefix, false, nil
	}
	prefix, err = netip.ParsePrefix(entry)
	switch {
	case err != nil:
		return prefix, false, fmt.Errorf("got %q, %s", entry, want)
	case prefix.Addr().Is4In6():
		return prefix, false, fmt.Errorf("got %q, want an IPv4 network in IPv4 notation, such as 10.0.0.0/8", entry)
	}
	return prefix.Masked(), true, nil
}

// canonical returns the form in which names are compared.
func canonical(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

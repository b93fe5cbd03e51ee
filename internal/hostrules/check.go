package hostrules

import (
	"fmt"
	"net/netip"
	"strings"
)

// RefusedError reports which host is not allowed and why.
type RefusedError struct {
	Host    string
	Address string // "" if the name alone was the reason
	Reason  string
}

func (e *RefusedError) Error() string {
	if e.Address == "" || e.Address == e.Host {
		return fmt.Sprintf("host %q is not allowed: %s", e.Host, e.Reason)
	}
	return fmt.Sprintf("host %q, which is %s, is not allowed: %s", e.Host, e.Address, e.Reason)
}

// verdict is the result of the entries; unlisted if none matches.
type verdict int

const (
	unlisted verdict = iota
	allowed
	denied
)

// CheckAddress checks a connection to addr that is made for host. Its error is a
// *RefusedError.
func (r *Rules) CheckAddress(host string, addr netip.Addr) error {
	byAddress, reason := r.address(addr)
	byName := unlisted
	if _, err := netip.ParseAddr(host); err != nil {
		var nameReason string
		if byName, nameReason = r.name(host); byName == denied {
			return &RefusedError{Host: host, Reason: nameReason}
		}
	}
	switch {
	case byAddress == denied:
		return &RefusedError{Host: host, Address: addr.String(), Reason: reason}
	case r != nil && r.closed && byAddress == unlisted && byName == unlisted:
		return &RefusedError{Host: host, Address: addr.String(), Reason: "handlers.http.allow in the configuration does not list it"}
	}
	return nil
}

// CheckHost rejects the host of a URL before its name is resolved, if the name is denied.
// The caller must check the resolved address with CheckAddress.
func (r *Rules) CheckHost(host string) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		return r.CheckAddress(host, addr)
	}
	if byName, reason := r.name(host); byName == denied {
		return &RefusedError{Host: host, Reason: reason}
	}
	return nil
}

// CheckProxied checks a host that a proxy resolves, so that this process never sees its
// address. Spellings of addresses that resolvers accept, such as 2130706433, are checked
// as addresses. If there are allowed entries, the name itself must be allowed.
func (r *Rules) CheckProxied(host string) error {
	if addr, ok := looseAddress(canonical(host)); ok {
		return r.CheckAddress(host, addr)
	}
	byName, reason := r.name(host)
	switch {
	case byName == denied:
		return &RefusedError{Host: host, Reason: reason}
	case r != nil && r.closed && byName == unlisted:
		return &RefusedError{Host: host, Reason: "handlers.http.allow in the configuration does not list this name, " +
			"and a proxy resolves it, so an allowed network does not help"}
	}
	return nil
}

// address finds the narrowest matching network for each address that addr can mean. If
// one of them is denied, the result is denied.
func (r *Rules) address(addr netip.Addr) (verdict, string) {
	found := unlisted
	for _, a := range meanings(addr) {
		one, reason := r.single(a)
		if one == denied {
			return denied, reason
		}
		found = max(found, one)
	}
	return found, ""
}

func (r *Rules) single(addr netip.Addr) (verdict, string) {
	var best network
	bits := -1
	consider := func(n network, winsTie bool) {
		if n.Contains(addr) && (n.Bits() > bits || winsTie && n.Bits() == bits) {
			best, bits = n, n.Bits()
		}
	}
	for _, n := range reserved {
		consider(n, false)
	}
	if r != nil {
		for _, n := range r.networks {
			consider(n, best.reserved != "" || !n.allow)
		}
	}
	switch {
	case bits < 0:
		return unlisted, ""
	case best.allow:
		return allowed, ""
	case best.reserved != "":
		return denied, fmt.Sprintf("%s (%s) is denied by default; list the address under handlers.http.allow in the configuration if a step needs it", best.Prefix, best.reserved)
	}
	return denied, fmt.Sprintf("handlers.http.deny in the configuration lists %s", best.Prefix)
}

// name finds the longest pattern that matches a host that is not an address.
func (r *Rules) name(host string) (verdict, string) {
	if r == nil {
		return unlisted, ""
	}
	host = canonical(host)
	var best name
	for _, n := range r.names {
		if !n.matches(host) || len(n.pattern) < len(best.pattern) || len(n.pattern) == len(best.pattern) && n.allow {
			continue
		}
		best = n
	}
	switch {
	case best.pattern == "":
		return unlisted, ""
	case best.allow:
		return allowed, ""
	}
	return denied, fmt.Sprintf("handlers.http.deny in the configuration lists %s", best.pattern)
}

func (n name) matches(host string) bool {
	suffix, wild := strings.CutPrefix(n.pattern, "*")
	if wild {
		return len(host) > len(suffix) && strings.HasSuffix(host, suffix)
	}
	return host == n.pattern
}

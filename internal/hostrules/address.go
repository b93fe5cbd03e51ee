package hostrules

import (
	"net/netip"
	"strconv"
	"strings"
)

var (
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
	compatible = netip.MustParsePrefix("::/96")
	loopback4  = netip.AddrFrom4([4]byte{127, 0, 0, 1})
)

// meanings returns the addresses that a connection to addr can reach: also the IPv4
// address in an IPv6 address, and the loopback addresses for the unspecified address.
func meanings(addr netip.Addr) []netip.Addr {
	addr = addr.Unmap().WithZone("")
	switch {
	case addr.IsUnspecified():
		return []netip.Addr{addr, loopback4, netip.IPv6Loopback()}
	case nat64.Contains(addr), compatible.Contains(addr) && addr != netip.IPv6Loopback():
		bytes := addr.As16()
		return []netip.Addr{addr, netip.AddrFrom4([4]byte(bytes[12:]))}
	}
	return []netip.Addr{addr}
}

// looseAddress parses an address like inet_aton in C libraries, which many resolvers use:
// one to four numbers, decimal, octal (0…) or hexadecimal (0x…), of which the last one
// fills the remaining bytes. 127.1, 0177.0.0.1 and 0x7f000001 are 127.0.0.1.
func looseAddress(host string) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return addr, true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		digits, base := part, 10
		if hex, isHex := strings.CutPrefix(strings.ToLower(part), "0x"); isHex {
			digits, base = hex, 16
		} else if len(part) > 1 && part[0] == '0' {
			base = 8
		}
		n, err := strconv.ParseUint(digits, base, bits)
		if err != nil {
			return netip.Addr{}, false
		}
		value = value<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

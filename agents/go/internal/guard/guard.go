// Package guard protects against SSRF: it decides which addresses a call of a job may reach, by the same rules as
// Horae itself (domain/ssrf_guard.py), and checks the address that is really dialled.
package guard

import (
	"fmt"
	"net/netip"
)

// Cloud metadata services hand out the machine's credentials to any caller: refused even where private addresses are
// allowed.
var metadata = addresses("169.254.169.254", "169.254.170.2", "169.254.170.23", "fd00:ec2::254", "fd00:ec2::23",
	"fd20:ce::254", "100.100.100.200", "192.0.0.192", "168.63.129.16")

var (
	globalIPv6 = netip.MustParsePrefix("2000::/3")
	notGlobal  = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
		"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "3fff::/20")
)

// Networks of IPv6 whose addresses carry an IPv4 address, and the byte at which it begins.
var carriers = []struct {
	network netip.Prefix
	at      int
}{
	{netip.MustParsePrefix("::ffff:0:0/96"), 12},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12},
	{netip.MustParsePrefix("::/96"), 12},
	{netip.MustParsePrefix("64:ff9b::/96"), 12},
	{netip.MustParsePrefix("2002::/16"), 2},
}

var loopback = netip.MustParseAddr("::1")

// Here an IPv4 address may be carried at the end, but the address itself leads somewhere, too.
var localNAT64 = netip.MustParsePrefix("64:ff9b:1::/48")

// Refusal says why a call must not go to this address; it is empty if it may.
func Refusal(address netip.Addr, allowPrivate bool) string {
	private := ""
	for _, inner := range unwrapped(address.WithZone("")) {
		kind := kindOf(inner)
		if kind == "the cloud metadata service" {
			return fmt.Sprintf("%s is %s", address, kind)
		}
		if private == "" && kind != "" {
			private = fmt.Sprintf("%s is %s", address, kind)
		}
	}
	if allowPrivate {
		return ""
	}
	return private
}

// unwrapped are the addresses at which a packet to this one can end.
func unwrapped(address netip.Addr) []netip.Addr {
	if address.Is4() {
		return []netip.Addr{address}
	}
	raw := address.As16()
	if !address.IsUnspecified() && address != loopback {
		for _, carrier := range carriers {
			if contains(carrier.network, raw) {
				return []netip.Addr{ipv4At(raw, carrier.at)}
			}
		}
	}
	found := []netip.Addr{address}
	isatap := raw[8]&0xFD == 0 && raw[9] == 0 && raw[10] == 0x5E && raw[11] == 0xFE
	if localNAT64.Contains(address) || isatap {
		found = append(found, ipv4At(raw, 12))
	}
	return found
}

// contains compares by bits: netip's own Contains takes ::ffff:1.2.3.4 out of every IPv6 network.
func contains(network netip.Prefix, raw [16]byte) bool {
	base := network.Addr().As16()
	for bit := 0; bit < network.Bits(); bit++ {
		if mask := byte(0x80 >> (bit % 8)); (raw[bit/8]^base[bit/8])&mask != 0 {
			return false
		}
	}
	return true
}

func ipv4At(raw [16]byte, at int) netip.Addr {
	return netip.AddrFrom4([4]byte{raw[at], raw[at+1], raw[at+2], raw[at+3]})
}

func kindOf(address netip.Addr) string {
	switch {
	case within(metadata, address):
		return "the cloud metadata service"
	case address.IsLoopback(), address.IsUnspecified():
		return "a loopback address"
	case address.IsLinkLocalUnicast():
		return "a link-local address"
	case address.IsMulticast():
		return "a multicast address"
	case address.IsPrivate():
		return "a private address"
	case within(notGlobal, address), address.Is6() && !globalIPv6.Contains(address):
		return "a reserved address"
	}
	return ""
}

func within(networks []netip.Prefix, address netip.Addr) bool {
	for _, network := range networks {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

func addresses(texts ...string) []netip.Prefix {
	var made []netip.Prefix
	for _, text := range texts {
		address := netip.MustParseAddr(text)
		made = append(made, netip.PrefixFrom(address, address.BitLen()))
	}
	return made
}

func prefixes(texts ...string) []netip.Prefix {
	var made []netip.Prefix
	for _, text := range texts {
		made = append(made, netip.MustParsePrefix(text))
	}
	return made
}

package guard

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"
)

// Refused is a call that must not be made, now or later.
type Refused struct{ Why string }

func (r *Refused) Error() string { return r.Why }

// Dialer connects to allowed addresses only. A name is resolved once, all its addresses must be allowed, and the
// connection goes to one of those that were checked.
type Dialer struct {
	AllowPrivate bool
	Lookup       func(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Dial is the DialContext of an http.Transport.
func (d *Dialer) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	found, err := d.checked(ctx, host)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: 30 * time.Second}
	var last error
	for _, one := range found {
		connection, err := dialer.DialContext(ctx, network, net.JoinHostPort(one.String(), port))
		if err == nil {
			return connection, nil
		}
		last = err
	}
	return nil, fmt.Errorf("cannot connect to %s: %w", address, last)
}

func (d *Dialer) checked(ctx context.Context, host string) ([]netip.Addr, error) {
	if literal, err := netip.ParseAddr(host); err == nil {
		if why := Refusal(literal, d.AllowPrivate); why != "" {
			return nil, &Refused{why}
		}
		return []netip.Addr{literal}, nil
	}
	if oddLiteral(host) {
		return nil, &Refused{host + " is not an IP address in its usual form"}
	}
	found, err := d.Lookup(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("cannot resolve %s: %w", host, err)
	}
	for i, one := range found {
		found[i] = one.Unmap() // how resolvers in Go return IPv4
		if why := Refusal(found[i], d.AllowPrivate); why != "" {
			return nil, &Refused{host + " resolves to an address that is not allowed: " + why}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no address", host)
	}
	return found, nil
}

// oddLiteral tells a host that C libraries take for an address: its last label is a number, as in 0x7f.1 or 127.1.
func oddLiteral(host string) bool {
	host = strings.TrimRight(host, ".")
	last := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	if strings.HasPrefix(last, "0x") {
		return strings.Trim(last[2:], "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

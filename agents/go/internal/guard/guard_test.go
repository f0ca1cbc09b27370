package guard

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
)

func TestAddresses(t *testing.T) {
	public := []string{"8.8.8.8", "2a00:1450:4001::1", "64:ff9b::808:808", "::ffff:8.8.8.8", "2002:808:808::1"}
	private := []string{
		"127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.1.1", "0.0.0.0", "224.0.0.1", "100.64.0.1",
		"192.0.2.1", "198.18.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "ff02::1",
		"2001:db8::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::",
		"::ffff:0:127.0.0.1", "2a00:1450::5efe:7f00:1", "5000::1", "fe80::1%eth0",
	}
	always := []string{"169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::", "fd00:ec2::254",
		"168.63.129.16", "100.100.100.200"}
	for _, text := range public {
		if why := Refusal(netip.MustParseAddr(text), false); why != "" {
			t.Errorf("%s is refused: %s", text, why)
		}
	}
	for _, text := range private {
		if Refusal(netip.MustParseAddr(text), false) == "" {
			t.Errorf("%s is allowed", text)
		}
		if why := Refusal(netip.MustParseAddr(text), true); why != "" {
			t.Errorf("%s is refused though private addresses are allowed: %s", text, why)
		}
	}
	for _, text := range always {
		if Refusal(netip.MustParseAddr(text), true) == "" {
			t.Errorf("%s is allowed", text)
		}
	}
}

func TestANameIsCheckedByAllItsAddresses(t *testing.T) {
	dialer := Dialer{Lookup: func(context.Context, string, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("::ffff:10.0.0.1")}, nil
	}}
	_, err := dialer.Dial(context.Background(), "tcp", "rebound.example:80")
	var refused *Refused
	if !errors.As(err, &refused) || !strings.Contains(refused.Why, "10.0.0.1 is a private address") {
		t.Fatal(err)
	}
}

func TestOddLiteralsAreRefused(t *testing.T) {
	dialer := Dialer{AllowPrivate: true, Lookup: func(context.Context, string, string) ([]netip.Addr, error) {
		t.Fatal("asked a resolver")
		return nil, nil
	}}
	for _, host := range []string{"127.1", "0x7f.1", "2130706433", "0177.0.0.1", "1.2.3.4."} {
		var refused *Refused
		if _, err := dialer.Dial(context.Background(), "tcp", host+":80"); !errors.As(err, &refused) {
			t.Errorf("%s: %v", host, err)
		}
	}
}

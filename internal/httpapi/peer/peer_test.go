package peer

import (
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestClient(t *testing.T) {
	t.Parallel()
	proxies := Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for name, c := range map[string]struct {
		trusted   Proxies
		remote    string
		forwarded []string
		want      string
	}{
		"nobody is trusted":                 {nil, "10.0.0.1:80", []string{"203.0.113.9"}, "10.0.0.1"},
		"a client says it is somebody else": {proxies, "198.51.100.7:80", []string{"203.0.113.9"}, "198.51.100.7"},
		"a proxy":                           {proxies, "10.0.0.1:80", []string{"203.0.113.9"}, "203.0.113.9"},
		"a proxy that says nothing":         {proxies, "10.0.0.1:80", nil, "10.0.0.1"},
		"the client forged the left":        {proxies, "10.0.0.1:80", []string{"127.0.0.1, 10.9.9.9, 203.0.113.9"}, "203.0.113.9"},
		"two proxies":                       {proxies, "10.0.0.1:80", []string{"1.1.1.1, 203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		"two headers":                       {proxies, "10.0.0.1:80", []string{"203.0.113.9", "10.0.0.2"}, "203.0.113.9"},
		"a client inside":                   {proxies, "10.0.0.1:80", []string{"10.0.0.7"}, "10.0.0.7"},
		"no address":                        {proxies, "10.0.0.1:80", []string{"203.0.113.9, unknown, 10.0.0.2"}, "10.0.0.2"},
		"empty":                             {proxies, "10.0.0.1:80", []string{""}, "10.0.0.1"},
		"with a port":                       {proxies, "10.0.0.1:80", []string{"203.0.113.9:4711"}, "203.0.113.9"},
		"IPv6":                              {proxies, "[fd00::1]:80", []string{"2001:db8::7"}, "2001:db8::7"},
		"IPv6 with a port":                  {proxies, "[fd00::1]:80", []string{"[2001:db8::7]:4711"}, "2001:db8::7"},
		"IPv6 in brackets":                  {proxies, "[fd00::1]:80", []string{"[2001:db8::7]"}, "2001:db8::7"},
		"IPv4 in IPv6":                      {proxies, "[::ffff:10.0.0.1]:80", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		"a zone":                            {proxies, "[fd00::1%eth0]:80", []string{"2001:db8::7%eth0"}, "2001:db8::7"},
		"a socket without addresses":        {proxies, "@", []string{"203.0.113.9"}, "invalid IP"},
		"very many":                         {proxies, "10.0.0.1:80", []string{strings.Repeat("10.0.0.2,", 5000) + "10.0.0.3"}, "10.0.0.2"},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = c.remote
			for _, value := range c.forwarded {
				r.Header.Add("X-Forwarded-For", value)
			}
			if got := c.trusted.Client(r).String(); got != c.want {
				t.Errorf("%s, not %s", got, c.want)
			}
		})
	}
}

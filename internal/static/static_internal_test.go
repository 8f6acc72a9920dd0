package static

import "testing"

func TestAcceptsGzip(t *testing.T) {
	cases := map[string]bool{
		"":                  false,
		"gzip":              true,
		"GZIP":              true,
		"gzip, deflate, br": true,
		"br, gzip ; q=0.1":  true,
		"gzip;q=1.000":      true,
		"gzip;q=0":          false,
		"gzip; Q=0.000":     false,
		"identity":          false,
		"x-gzip-like":       false,
	}
	for header, want := range cases {
		if got := acceptsGzip([]string{header}); got != want {
			t.Errorf("Accept-Encoding %q: %t, want %t", header, got, want)
		}
	}
}

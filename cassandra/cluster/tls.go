package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"os"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// tls returns nil where connections are not encrypted.
func (c Config) tls() (*gocql.SslOptions, error) {
	if !c.TLS {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, badFile("the CA file", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, blog.Errorf(blog.Invalid, "the CA file %s holds no certificate in PEM", c.CAFile)
		}
	}
	if c.CertFile != "" {
		own, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		if err != nil {
			return nil, badFile("the client certificate", err)
		}
		config.Certificates = []tls.Certificate{own}
	}
	return &gocql.SslOptions{Config: config, EnableHostVerification: true}, nil
}

func badFile(what string, err error) error {
	return &blog.Error{Kind: blog.Invalid, Message: what + " can't be read", Err: err}
}

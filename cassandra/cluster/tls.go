package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"strings"
	"sync/atomic"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// dialer connects to nodes. It reads the files of TLS for each connection, so that they are renewed without a restart.
type dialer struct{ Config }

// DialHost is a method of [gocql.HostDialer]. Nodes name each other by addresses, which few certificates have: where
// the configuration has a host's name, the certificates of all nodes have it.
func (c dialer) DialHost(ctx context.Context, host *gocql.HostInfo) (*gocql.DialedHost, error) {
	plain := &net.Dialer{Timeout: c.ConnectTimeout}
	if !c.TLS {
		conn, err := plain.DialContext(ctx, "tcp", host.ConnectAddressAndPort())
		return &gocql.DialedHost{Conn: conn}, err
	}
	config, err := c.tls()
	if err != nil {
		return nil, err
	}
	config.ServerName = host.ConnectAddress().String()
	for _, name := range c.Hosts {
		if host, _, split := net.SplitHostPort(name); split == nil {
			name = host
		}
		if net.ParseIP(name) == nil {
			config.ServerName = name
			break
		}
	}
	encrypted := tls.Dialer{NetDialer: plain, Config: config}
	conn, err := encrypted.DialContext(ctx, "tcp", host.ConnectAddressAndPort())
	return &gocql.DialedHost{Conn: conn, DisableCoalesce: true}, err
}

// tls reads the files.
func (c Config) tls() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		config.RootCAs = x509.NewCertPool()
		if err != nil || !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, invalid("the CA file "+c.CAFile+" can't be read, or holds no certificate in PEM", err)
		}
	}
	if c.CertFile != "" {
		own, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		if err != nil {
			return nil, invalid("the client certificate can't be read", err)
		}
		config.Certificates = []tls.Certificate{own}
	}
	return config, nil
}

func invalid(message string, err error) *blog.Error {
	return &blog.Error{Kind: blog.Invalid, Message: message, Err: err}
}

// refusal has the reason for which a node and this program refuse each other, whenever they try again.
type refusal struct{ atomic.Pointer[blog.Error] }

// ObserveConnect is a method of [gocql.ConnectObserver].
func (r *refusal) ObserveConnect(o gocql.ObservedConnect) {
	own, is := errors.AsType[*blog.Error](o.Err)
	answer, answered := errors.AsType[gocql.RequestError](o.Err)
	switch {
	case is:
		r.Store(own)
	case answered && answer.Code() == gocql.ErrCodeCredentials && !strings.Contains(answer.Message(), "Unable to perform"):
		r.Store(invalid("Cassandra refuses the name or the password: see --cassandra-username and --cassandra-password-file", o.Err))
	case o.Err != nil && strings.HasPrefix(o.Err.Error(), "authentication required"):
		r.Store(invalid("Cassandra asks for a name and a password: give --cassandra-username and --cassandra-password-file", o.Err))
	case errors.As(o.Err, new(*tls.CertificateVerificationError)):
		r.Store(invalid("a Cassandra node's certificate has to be of an authority of --cassandra-ca-file, and for the first name of --cassandra-hosts, or the node's address where those are addresses", o.Err))
	case errors.As(o.Err, new(tls.RecordHeaderError)):
		r.Store(invalid("Cassandra does not encrypt connections: leave --cassandra-tls out, or turn client_encryption_options on", o.Err))
	}
}

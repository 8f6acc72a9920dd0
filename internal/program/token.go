package program

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/identity"
)

type tokenCommand struct {
	Key      string        `xor:"key" required:"" placeholder:"FILE" help:"The private key that signs, PEM. There is no default."`
	NewKey   string        `xor:"key" required:"" placeholder:"DIR" help:"Make the key first, and write it to this directory: private.pem, and jwks.json for --jwt-key-file. There is no default."`
	Subject  string        `required:"" placeholder:"SUBJECT" help:"Whom the token stands for: its sub. There is no default."`
	Issuer   string        `default:"broadsheet" help:"Its iss, as in --jwt-issuer."`
	Audience string        `default:"broadsheet" help:"Its aud, as in --jwt-audience."`
	Expires  time.Duration `default:"1h" help:"How long it is valid."`
}

func (c *tokenCommand) validate() error {
	if err := blog.CheckSubject(c.Subject); err != nil {
		return fmt.Errorf("--subject: %w", err)
	}
	if c.Issuer == "" || c.Audience == "" {
		return errors.New("--issuer and --audience must not be empty")
	}
	if c.Expires < time.Second {
		return errors.New("--expires must be at least 1s")
	}
	return nil
}

// Run prints a token, and nothing else to the standard output.
func (c *tokenCommand) Run(_ context.Context, p *program) error {
	signer, err := c.signer()
	if err != nil {
		return err
	}
	token, err := signer.Sign(c.Subject, c.Issuer, c.Audience, c.Expires)
	if err != nil {
		return err
	}
	if c.NewKey != "" {
		fmt.Fprintf(p.stderr, "The key is in %s. To serve those who have its tokens:\n  broadsheet serve --auth jwt --jwt-key-file %s --jwt-issuer %s --jwt-audience %s\n",
			filepath.Join(c.NewKey, identity.PrivateKeyFile), filepath.Join(c.NewKey, identity.KeySetFile), c.Issuer, c.Audience)
	}
	_, err = fmt.Fprintln(p.stdout, token)
	return err
}

func (c *tokenCommand) signer() (*identity.Signer, error) {
	if c.NewKey != "" {
		return identity.NewKey(c.NewKey)
	}
	return identity.ReadKey(c.Key)
}

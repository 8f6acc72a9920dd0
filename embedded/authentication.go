package embedded

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"broadsheet/blog"
)

// These are in the directory beside the format's mark. Programs that do not know them leave
// them there.
const (
	authenticationFile = "AUTHENTICATION"
	issuerFile         = "ISSUER"
)

// Authentication is a method of [blog.Store].
func (s *Store) Authentication(ctx context.Context) (string, error) {
	return s.noted(ctx, authenticationFile)
}

// SetAuthentication is a method of [blog.Store].
func (s *Store) SetAuthentication(ctx context.Context, how string) error {
	return s.note(ctx, authenticationFile, how)
}

// Issuer is a method of [blog.Store].
func (s *Store) Issuer(ctx context.Context) (string, error) { return s.noted(ctx, issuerFile) }

// SetIssuer is a method of [blog.Store].
func (s *Store) SetIssuer(ctx context.Context, was, issuer string) error {
	noted, err := s.noted(ctx, issuerFile)
	switch {
	case err != nil:
		return err
	case noted != was:
		return blog.Errorf(blog.Unavailable, "the store's issuer was noted otherwise meanwhile: try again")
	}
	return s.note(ctx, issuerFile, issuer)
}

// noted reads a file of one line; empty where there is none.
func (s *Store) noted(ctx context.Context, name string) (string, error) {
	if err := s.enter(ctx); err != nil {
		return "", err
	}
	defer s.inside.leave()
	text, err := readFile(s.space.fs, s.space.fs.PathJoin(s.space.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSuffix(string(text), "\n"), s.convert(err)
}

func (s *Store) note(ctx context.Context, name, text string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.inside.leave()
	return s.convert(replaceFile(s.space.dir, s.space.fs, name, text+"\n"))
}

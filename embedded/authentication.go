package embedded

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
)

// authenticationFile is in the directory beside the format's mark. Programs that do not know it leave
// it there.
const authenticationFile = "AUTHENTICATION"

// Authentication is a method of [blog.Store].
func (s *Store) Authentication(ctx context.Context) (string, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	file, err := s.space.fs.Open(s.space.fs.PathJoin(s.space.dir, authenticationFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", s.convert(err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	return strings.TrimSuffix(string(text), "\n"), s.convert(err)
}

// SetAuthentication is a method of [blog.Store].
func (s *Store) SetAuthentication(ctx context.Context, how string) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return s.convert(replaceFile(s.space.dir, s.space.fs, authenticationFile, how+"\n"))
}

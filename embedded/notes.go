package embedded

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"broadsheet/blog"
)

// noteFile is the name of the file that has a note, in the directory beside the format's mark. Programs that do not
// know it leave it there.
func noteFile(about blog.Note) string { return strings.ToUpper(string(about)) }

// Noted is a method of [blog.Store]. A note is one line.
func (s *Store) Noted(ctx context.Context, about blog.Note) (string, error) {
	if err := s.enter(ctx); err != nil {
		return "", err
	}
	defer s.inside.leave()
	text, err := readFile(s.space.fs, s.space.fs.PathJoin(s.space.dir, noteFile(about)))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSuffix(string(text), "\n"), s.convert(err)
}

// Note is a method of [blog.Store].
func (s *Store) Note(ctx context.Context, about blog.Note, was, text string) error {
	noted, err := s.Noted(ctx, about)
	if err == nil && noted != was {
		err = blog.Errorf(blog.Unavailable, "the store's %s was noted otherwise meanwhile: try again", about)
	}
	if err == nil {
		err = s.enter(ctx)
	}
	if err != nil {
		return err
	}
	defer s.inside.leave()
	if err := s.Ready(ctx); err != nil { // also: its directory is where it was
		return err
	}
	return s.convert(replaceFile(s.space.dir, s.space.fs, noteFile(about), text+"\n"))
}

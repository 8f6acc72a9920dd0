package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// threadList is a list whose keys are paths. Rows that are dead are passed by their keys alone, ever more at once: no gap
// covers them, for those are ranges of ids.
type threadList struct {
	tables.Pages
	store    *Store
	post     blog.PostID
	keys     span[blog.Path] // what is left to read
	backward bool
	wanted   int
	comments []blog.Comment
	over     bool // nothing is left
}

// Threads is a method of [blog.Floor].
func (s *Store) Threads(ctx context.Context, post blog.PostID, from, to blog.Path, backward bool, limit int) ([]blog.Comment, error) {
	if err := s.built(ctx, blog.CommentsByThread); err != nil {
		return nil, err
	}
	l := threadList{
		Pages: tables.Lists[blog.CommentsByThread], store: s, post: post,
		keys: span[blog.Path]{from, to}, backward: backward, wanted: limit,
	}
	err := l.read(ctx)
	if err == nil {
		err = s.unlessFound(ctx, post)(len(l.comments))
	}
	if err == nil {
		err = completeNames(ctx, s, l.comments, commentAuthor)
	}
	return l.comments, err
}

// read reads the first rows that stand, as many as wanted if there are so many.
func (l *threadList) read(ctx context.Context) error {
	err := l.rows(ctx)
	if dead := l.wanted - len(l.comments); err == nil && !l.over && 0 < dead && dead < lookAfter {
		err = l.rows(ctx)
	}
	for step := 0; err == nil && !l.over && len(l.comments) < l.wanted; {
		var standing []string
		step = min(max(4*step, firstStep), lastStep)
		if standing, err = l.standing(ctx, step); err == nil && len(standing) > 0 {
			err = l.fetch(ctx, standing)
		}
	}
	return err
}

// rows reads the next rows as they are.
func (l *threadList) rows(ctx context.Context) error {
	seen := 0
	err := l.each(ctx, l.page(l.Newest, l.Oldest, l.wanted), l.wanted, func(c blog.Comment) {
		seen++
		l.pass(c.Place())
		if c.Content != "" && len(l.comments) < l.wanted {
			l.comments = append(l.comments, c)
		}
	})
	l.over = seen < l.wanted
	return err
}

// page is a statement that reads so many of the rows that are left.
func (l *threadList) page(forward, backward cql.Statement, limit int) cql.Bound {
	if l.backward {
		forward = backward
	}
	return forward.With(cql.ID(l.post.UUID), string(l.keys.from), string(l.keys.to), limit)
}

func (l *threadList) pass(last blog.Path) {
	if l.backward {
		l.keys.to = last
	} else {
		l.keys.from = last.Next()
	}
}

func (l *threadList) each(ctx context.Context, read cql.Bound, limit int, visit func(blog.Comment)) error {
	var path string
	var of blog.Comment
	into := append([]any{&path}, tables.Into(commentLists[blog.CommentsByThread].columns[1:], &of)...)
	return l.store.db.Each(ctx, read, limit, func(row gocql.Scanner) error {
		of = blog.Comment{Post: l.post}
		err := row.Scan(into...)
		visit(of.At(blog.Path(path)))
		return err
	})
}

// standing reads the next keys, so many at most, and returns those of rows that stand, no more than are wanted.
func (l *threadList) standing(ctx context.Context, limit int) (standing []string, err error) {
	seen := 0
	err = l.store.db.Each(ctx, l.page(l.NewestKeys, l.OldestKeys, limit), limit, func(row gocql.Scanner) error {
		if len(l.comments)+len(standing) == l.wanted {
			return nil
		}
		var path string
		var version *int
		err := row.Scan(&path, &version)
		seen++
		l.pass(blog.Path(path))
		if version != nil && *version > 0 {
			standing = append(standing, path)
		}
		return err
	})
	l.over = seen < limit && len(l.comments)+len(standing) < l.wanted
	return standing, err
}

// fetch reads the rows with some keys.
func (l *threadList) fetch(ctx context.Context, keys []string) error {
	rows := make(map[string]blog.Comment, len(keys))
	err := l.each(ctx, l.Some.With(cql.ID(l.post.UUID), keys), len(keys), func(c blog.Comment) { rows[string(c.Place())] = c })
	for _, key := range keys { // in the order of the page
		if c := rows[key]; c.Content != "" {
			l.comments = append(l.comments, c)
		}
	}
	return err
}

package main

import (
	"context"
	"database/sql"
	"errors"
	"log"
)

// follower brings changes into an index.
type follower struct {
	index   *index
	api     api
	command []string // `broadsheet changes` with its flags, without --after
}

// run follows until the command ends, and builds the index where it has to.
func (f *follower) run(ctx context.Context) error {
	err := f.follow(ctx, f.index.cursor)
	for errors.Is(err, errExpired) {
		log.Print(err, ": the index is built anew")
		err = f.follow(ctx, "")
	}
	return err
}

// follow brings in what follows a cursor. "": it builds the index at the cursor that the feed begins
// with, and goes on from there.
func (f *follower) follow(ctx context.Context, after string) error {
	feed, err := startChanges(ctx, f.command, after)
	if err != nil {
		return err
	}
	for built := after != ""; ; built = true {
		posts, cursor, ok := feed.next()
		if !ok {
			return feed.end()
		}
		if !built {
			err = f.build(ctx, cursor)
		} else {
			err = f.bring(ctx, posts, cursor)
		}
		if err != nil {
			_ = feed.stop() // it is of no use any more
			return err
		}
	}
}

// bring brings posts that changed into the index, as they are now.
func (f *follower) bring(ctx context.Context, ids []string, cursor string) error {
	return f.index.advance(ctx, cursor, func(tx *sql.Tx) error { return f.fetch(ctx, tx, ids) })
}

// build makes the index anew from all posts. Until it is done searches find what was there before.
func (f *follower) build(ctx context.Context, cursor string) error {
	count := 0
	err := f.index.advance(ctx, cursor, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, deleteAll); err != nil {
			return err
		}
		for more, after := true, (*string)(nil); more; more = after != nil {
			ids, next, err := f.api.feed(ctx, after)
			if err == nil {
				err = f.fetch(ctx, tx, ids)
			}
			if err != nil {
				return err
			}
			count, after = count+len(ids), next
		}
		return nil
	})
	if err == nil {
		log.Printf("the index was built of %d posts", count)
	}
	return err
}

// fetch brings posts into the index as they are now, and takes out those that are gone.
func (f *follower) fetch(ctx context.Context, tx *sql.Tx, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	posts, err := f.api.posts(ctx, ids)
	if err != nil {
		return err
	}
	for i, id := range ids {
		if p := posts[i]; p != nil {
			err = put(ctx, tx, *p)
		} else {
			err = remove(ctx, tx, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite", in Go alone
)

// index is a file of SQLite: posts, their words, and the cursor up to which it holds all changes.
type index struct {
	db     *sql.DB
	cursor string // as the file has it; "" before the index was first built
}

const (
	createTables = `
		BEGIN IMMEDIATE;
		CREATE TABLE IF NOT EXISTS posts (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
		CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (title, content); -- its rowid is posts.number
		CREATE TABLE IF NOT EXISTS position (row INTEGER PRIMARY KEY CHECK (row = 1), cursor TEXT NOT NULL);
		INSERT OR IGNORE INTO position (row, cursor) VALUES (1, '');
		COMMIT`
	selectMade   = `SELECT count(*) FROM sqlite_master WHERE name = 'words'`
	selectCursor = `SELECT cursor FROM position`
	updateCursor = `UPDATE position SET cursor = ? WHERE cursor = ?`

	insertPost  = `INSERT INTO posts (id) VALUES (?) ON CONFLICT (id) DO NOTHING`
	insertWords = `REPLACE INTO words (rowid, title, content) SELECT number, ?, ? FROM posts WHERE id = ?`
	deleteWords = `DELETE FROM words WHERE rowid = (SELECT number FROM posts WHERE id = ?)`
	deletePost  = `DELETE FROM posts WHERE id = ?`
	deleteAll   = `DELETE FROM words; DELETE FROM posts;`

	selectFound = `
		SELECT posts.id, words.title FROM words JOIN posts ON posts.number = words.rowid
		WHERE words MATCH ? ORDER BY words.rank`
)

// openIndex opens the index of a file for a follower, and makes it where there is none. With a
// write-ahead log searches go on beside a transaction, and see what was there before it.
func openIndex(ctx context.Context, file string) (*index, error) {
	db, err := open(file, "mode=rwc&_txlock=immediate&_pragma=journal_mode(wal)&_pragma=synchronous(full)")
	if err != nil {
		return nil, err
	}
	x := &index{db: db}
	if _, err = db.ExecContext(ctx, createTables); err == nil {
		err = db.QueryRowContext(ctx, selectCursor).Scan(&x.cursor)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return x, nil
}

func open(file, options string) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?_pragma=busy_timeout(10000)&"+options)
}

func (x *index) close() error { return x.db.Close() }

// advance makes changes and moves the cursor, all or nothing. An index has one follower: where
// another one has moved the cursor, that is an error, and nothing was changed.
func (x *index) advance(ctx context.Context, cursor string, changes func(*sql.Tx) error) error {
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := changes(tx); err != nil {
		return err
	}
	moved, err := tx.ExecContext(ctx, updateCursor, cursor, x.cursor)
	if err != nil {
		return err
	}
	if rows, err := moved.RowsAffected(); err != nil || rows != 1 {
		return errors.Join(err, errors.New("this index has another follower"))
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	x.cursor = cursor
	return nil
}

// put brings a post into the index, in the place of what it holds of it.
func put(ctx context.Context, tx *sql.Tx, p post) error {
	if _, err := tx.ExecContext(ctx, insertPost, p.ID); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, insertWords, p.Title, p.Content, p.ID)
	return err
}

// remove takes a post out, where the index has it.
func remove(ctx context.Context, tx *sql.Tx, id string) error {
	if _, err := tx.ExecContext(ctx, deleteWords, id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, deletePost, id)
	return err
}

// hit is a post that has the words.
type hit struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// find returns the posts that have all of some words, the best match first. Where no follower has
// made the index yet, it fails.
func find(ctx context.Context, file string, words []string) (found []hit, err error) {
	db, err := open(file, "mode=rw") // which makes no file
	if err != nil {
		return nil, err
	}
	defer db.Close()
	made := false
	if _, err := os.Stat(file); err == nil {
		if err := db.QueryRowContext(ctx, selectMade).Scan(&made); err != nil {
			return nil, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if !made {
		return nil, fmt.Errorf("%s holds no index yet: `search follow` makes it", file)
	}
	rows, err := db.QueryContext(ctx, selectFound, phrases(words))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var h hit
		if err := rows.Scan(&h.ID, &h.Title); err != nil {
			return nil, err
		}
		found = append(found, h)
	}
	return found, rows.Err()
}

// phrases quotes words, so that none is an operator of SQLite's query language.
func phrases(words []string) string {
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, `"`+strings.ReplaceAll(word, `"`, `""`)+`"`)
	}
	return strings.Join(quoted, " ")
}

package audit_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// manyPosts is a blog of as many users as wanted, with a post each, which nobody holds
// in memory.
type manyPosts struct {
	*smallBlog
	users   int
	lacking blog.Table // its rows are not there
}

func numbered(kind byte, n int) (id blog.UUID) {
	id[0], id[6], id[8] = kind, 0x70, 0x80
	binary.BigEndian.PutUint32(id[12:], uint32(n))
	return id
}

func number(id blog.UUID) int { return int(binary.BigEndian.Uint32(id[12:])) }

func (m *manyPosts) user(n int) blog.User {
	name := fmt.Sprintf("user_%d", n)
	return blog.User{ID: blog.UserID{UUID: numbered(1, n)}, Subject: name, Username: name, Version: 1, Stamp: 1}
}

func (m *manyPosts) post(n int) blog.Post {
	return blog.Post{ID: blog.PostID{UUID: numbered(2, n)}, Author: m.user(n).Name().Author(), Title: "t", Content: "e", Excerpt: "e", UpdatedAt: noon, Version: 1, Stamp: 1, Feed: blog.FeedPlace{Bucket: "b"}}
}

func (m *manyPosts) Audit(context.Context, int) (audit.Reader, error) { return m, nil }
func (m *manyPosts) Certain() audit.Truths                            { return m }

func (m *manyPosts) Unhomed(context.Context, blog.Reaction, int) (int, []blog.PostID, error) {
	return 0, nil, nil
}

func (m *manyPosts) EachTruth(ctx context.Context, table blog.Table, _ int, _ bool, visit func(audit.TruthRow) error) error {
	for n := range m.users {
		key := any(m.user(n).ID)
		switch {
		case table == blog.PostsByID:
			key = m.post(n).ID
		case table.UniqueKey() != nil:
			key = m.user(n).Subject // which is its name, too
		}
		if r, _ := m.True(ctx, table, key); r.Key != nil {
			if err := visit(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *manyPosts) EachRow(_ context.Context, table blog.Table, _ int, visit func(audit.Row) error) error {
	for n := range m.users {
		row := m.row(table, n)
		if len(row.Cells) == 0 || table == m.lacking {
			continue
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	return nil
}

// row returns the row of a table that a user or its post has.
func (m *manyPosts) row(table blog.Table, n int) (row audit.Row) {
	copies, _ := blog.CopiesOfUser(m.user(n))
	copies = append(copies, blog.CopiesOfPost(m.post(n))...)
	for _, c := range append(copies, blog.NameOfPost(m.post(n).Ref(), m.user(n).Name())...) {
		if c.Family.Table != table {
			continue
		}
		row.Cells = append(row.Cells, c)
		if len(c.Key) > len(row.Key) {
			row.Key = c.Key
		}
	}
	return row
}

func (m *manyPosts) Row(_ context.Context, table blog.Table, key []any) (audit.Row, error) {
	if table == m.lacking {
		return audit.Row{Key: key}, nil
	}
	for _, value := range key {
		switch id := value.(type) {
		case blog.UserID:
			row := m.row(table, number(id.UUID))
			row.Key, row.Below = key, true
			return row, nil
		case blog.PostID:
			return m.row(table, number(id.UUID)), nil
		}
	}
	return audit.Row{Key: key}, nil
}

func (m *manyPosts) True(_ context.Context, table blog.Table, key ...any) (audit.TruthRow, error) {
	id, _ := blog.IDOf(key[0])
	switch table {
	case blog.UsersByID:
		return audit.TruthRow{Key: key, User: m.user(number(id))}, nil
	case blog.PostsByID:
		return audit.TruthRow{Key: key, Post: m.post(number(id))}, nil
	case blog.SubjectClaims, blog.UsernameClaims:
		var n int
		_, err := fmt.Sscanf(key[0].(string), "user_%d", &n)
		return audit.TruthRow{Key: key, Owner: m.user(n).ID}, err
	}
	return audit.TruthRow{}, nil
}

// What is held in memory does not grow with the rows, nor with what is wrong with them.
func TestVerifyHoldsBoundedMemory(t *testing.T) {
	for _, lacking := range []blog.Table{"", blog.FeedByBucket} {
		few, many := 16_000, 40_000
		first, second := heapOf(t, few, lacking), heapOf(t, many, lacking)
		const perUser = 100 // bytes; a row of each of their six tables would take several times that
		if grown := int(second) - int(first); grown > perUser*(many-few) {
			t.Errorf("with %d users more (%q lacks) the heap is %d kB larger", many-few, lacking, grown>>10)
		}
	}
}

// heapOf verifies and returns the largest heap that was alive meanwhile.
func heapOf(t *testing.T, users int, lacking blog.Table) (largest uint64) {
	t.Helper()
	rows := 0
	found, err := audit.Verifying{Concurrency: 1, Progress: eachRow(func(n int) {
		if rows += n; rows%(users/2) == 0 {
			var stats runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&stats)
			largest = max(largest, stats.HeapAlloc)
		}
	})}.Run(t.Context(), &manyPosts{smallBlog: &smallBlog{}, users: users, lacking: lacking})
	if err != nil || lacking == "" && found.Drifted() > 0 || lacking != "" && found.Drifted() != users {
		t.Fatalf("%d of %d drifted: %v (%v)", found.Drifted(), users, kinds(found), err)
	}
	return largest
}

package auditor

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
	"broadsheet/internal/audit"

	"github.com/gocql/gocql"
)

var selectHomed = cql.On(blog.HomeByUser, `SELECT post_id, author_id FROM home_by_user`+
	` WHERE user_id = ? AND bucket = 0 AND post_id IN ?`)

// Unhomed is a method of [audit.Reader].
func (a *reader) Unhomed(ctx context.Context, follow blog.Reaction, newest int) (has int, lacking []blog.PostID, err error) {
	page := tables.Lists[blog.PostsByAuthor].NewestKeys.With(cql.ID(follow.Followed.UUID), cql.FirstID, cql.LastID, newest)
	var posts []blog.UUID
	err = a.patiently(ctx, func(ctx context.Context) error {
		posts = nil
		return a.DB.Each(ctx, page, newest, func(row gocql.Scanner) error {
			var id blog.UUID
			version := 0
			err := row.Scan(cql.Into(&id), &version)
			if version > 0 {
				posts = append(posts, id)
			}
			return err
		})
	})
	if err != nil {
		return 0, nil, err
	}
	in, err := a.inHome(ctx, follow, posts)
	for _, id := range posts {
		if !in[id] {
			lacking = append(lacking, blog.PostID{UUID: id})
		}
	}
	return len(in), lacking, err
}

// inHome returns which posts of one who is followed are in its user's home.
func (a *reader) inHome(ctx context.Context, follow blog.Reaction, posts []blog.UUID) (in map[blog.UUID]bool, err error) {
	in = map[blog.UUID]bool{}
	if len(posts) == 0 {
		return in, nil
	}
	return in, a.patiently(ctx, func(ctx context.Context) error {
		return a.DB.Each(ctx, selectHomed.With(cql.ID(follow.User.ID.UUID), cql.IDs(posts)), len(posts), func(row gocql.Scanner) error {
			var id, author blog.UUID
			err := row.Scan(cql.Into(&id), cql.Into(&author))
			if author == follow.Followed.UUID {
				in[id] = true
			}
			return err
		})
	})
}

// repairHome writes a row that lacks, or deletes one. No truth orders it: it goes above whatever was there.
func (s *Auditor) repairHome(ctx context.Context, d audit.Drift) error {
	copies, err := audit.RowCopies(ctx, truthReader{s, true}, d.Table, d.Key, d.Post)
	if err != nil {
		return err
	}
	_, latest, err := s.rowWithTimes(ctx, d.Table, d.Key)
	if err != nil {
		return err
	}
	if len(copies) == 0 && d.Deletes > 0 {
		copies = []blog.Copy{{Family: d.Table.Families()[0], Key: d.Key}}
	}
	for i := range copies {
		copies[i].Stamp = max(copies[i].Stamp, latest+1, s.Clock.Now().UnixMicro())
	}
	return tables.Write(ctx, s.DB, copies)
}

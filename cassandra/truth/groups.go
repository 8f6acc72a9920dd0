package truth

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	lru "github.com/hashicorp/golang-lru/v2"
)

var (
	selectGroup = cql.On(blog.GroupsByID,
		`SELECT `+tables.Groups.Columns+`, stamp, command_id, recent_commands, deleted_at`+
			` FROM groups_by_id WHERE group_id = ?`)
	insertGroup = cql.On(blog.GroupsByID,
		`INSERT INTO groups_by_id (`+tables.Groups.Columns+`, stamp, command_id, recent_commands, group_id)`+
			` VALUES (`+tables.Groups.Marks+`, ?, ?, ?, ?) IF NOT EXISTS`)
	updateGroup = cql.On(blog.GroupsByID, `UPDATE groups_by_id`+
		` SET `+tables.Groups.Set+`, stamp = ?, command_id = ?, recent_commands = ?`+
		` WHERE group_id = ? IF version = ? AND stamp = ? AND deleted_at = null`)
	deleteGroup = cql.On(blog.GroupsByID, `UPDATE groups_by_id`+
		` SET deleted_at = ?, `+tables.Groups.Voided+`, stamp = ?, command_id = ?`+
		` WHERE group_id = ? IF version = ? AND stamp = ? AND deleted_at = null`)
	raiseGroupStamp = cql.On(blog.GroupsByID, `UPDATE groups_by_id SET stamp = ? WHERE group_id = ?`+
		` IF version = ? AND stamp = ? AND deleted_at = null`)
)

// Groups are the truths of groups.
type Groups struct {
	edits[blog.GroupID, Group, blog.Group]
	known *lru.Cache[blog.GroupID, struct{}] // that stood
}

// GroupEdit is an edit of a group.
type GroupEdit = Edited[blog.GroupID, Group, blog.Group]

func newGroups(c Config) *Groups {
	s := &Groups{edits: edits[blog.GroupID, Group, blog.Group]{db: c.DB, clock: c.Clock, table: blog.GroupsByID}}
	s.read = s.Read
	s.known, _ = lru.New[blog.GroupID, struct{}](maxKnown) // fails for a size below 1 only
	return s
}

// Group is a group with the commands that wrote it last.
type Group struct {
	blog.Group
	By      History
	Deleted bool
}

// Guard is what the next write goes by.
func (t Group) Guard() Guard { return Guard{t.Version, t.Stamp} }

func (t Group) raised(stamp int64) (Group, cql.Bound) {
	write := raiseGroupStamp.With(stamp, cql.ID(t.ID.UUID), t.Version, t.Stamp)
	t.Stamp = stamp
	return t, write
}

func (t Group) value() blog.Group { return t.Group }

func (t Group) history() History { return t.By }

// Update returns the statement that makes next of a group, under its guard.
func (t Group) Update(next blog.Group, command blog.CommandID) cql.Bound {
	return updateGroup.With(tables.Groups.Edit(&next, next.Stamp, cql.ID(command.UUID), t.By.With(command), cql.ID(next.ID.UUID), t.Version, t.Stamp)...)
}

// Read reads the truth of a group. NotFound: there is none, or no more.
func (s *Groups) Read(ctx context.Context, id blog.GroupID, read cql.Reader) (Group, error) {
	t := Group{Group: blog.Group{ID: id}}
	var deletedAt time.Time
	err := read(ctx, selectGroup.With(cql.ID(id.UUID)), tables.Groups.Into(&t.Group, &t.Stamp, cql.Into(&t.By.Last.UUID), &t.By.Recent, &deletedAt)...)
	t.CreatedAt, t.Deleted = t.CreatedAt.UTC(), !deletedAt.IsZero()
	if err == cql.ErrAbsent || err == nil && (t.Deleted || t.Version == 0) {
		err = blog.ErrNoGroup()
	}
	return t, err
}

// Stood returns how to read that there is a group, for a change of its members, or nil where there was one: that it
// still stands is for the header of its members to say, which its deletion closes.
func (s *Groups) Stood(ctx context.Context, id blog.GroupID) (read func() error) {
	if _, known := s.known.Get(id); known {
		return nil
	}
	return func() error {
		_, err := s.Read(ctx, id, s.db.One)
		if err == nil {
			s.known.Add(id, struct{}{})
		} else if blog.IsNotFound(err) {
			err = blog.AboutGroup.ErrAbsent()
		}
		return err
	}
}

// Forget forgets that a group stood.
func (s *Groups) Forget(id blog.GroupID) { s.known.Remove(id) }

// Insert writes the truth. keep is called before each attempt. Where another attempt of the command was first, what
// that made counts, or NotFound: it is deleted. Taken: another command has used the name.
func (s *Groups) Insert(ctx context.Context, g blog.Group, command blog.CommandID, keep func(context.Context) error) (blog.Group, error) {
	err := cql.Insist(ctx, func(ctx context.Context) error {
		if err := keep(ctx); err != nil {
			return err
		}
		write := insertGroup.With(tables.Groups.Values(&g, g.Stamp, cql.ID(command.UUID), History{}.With(command), cql.ID(g.ID.UUID))...)
		applied, _, err := s.db.CompareAndSet(ctx, write)
		if err != nil || applied {
			return err
		}
		now, err := s.Read(ctx, g.ID, s.db.OneSerial)
		switch {
		case !now.By.Has(command) && (err == nil || blog.IsNotFound(err)):
			err = blog.ErrTaken("name")
		case err == nil:
			g = now.Group
		}
		return err
	})
	return g, err
}

// Delete marks a group as deleted: see [markDeleted].
func (s *Groups) Delete(ctx context.Context, now Group, command blog.CommandID, keep func(context.Context) error) error {
	return markDeleted(ctx, &s.edits, now.ID, now, command, keep)
}

func (t Group) deletion(at time.Time, stamp int64, command blog.CommandID) cql.Bound {
	return deleteGroup.With(at, stamp, cql.ID(command.UUID), cql.ID(t.ID.UUID), t.Version, t.Stamp)
}

func (t Group) isDeleted() bool { return t.Deleted }

package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cascade"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/truth"
)

// DeleteGroup marks the group as deleted, and closes its members so that none can come any more. Those that it had go
// after the reply.
func (s *Store) DeleteGroup(ctx context.Context, c blog.DeleteGroup) error {
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return err
	}
	defer end()
	var now truth.Group
	err = cql.Concurrently(
		func() error { _, err := s.truths.Users.ActorAs(ctx, c.Actor, &c.Role); return err },
		func() (err error) { now, err = s.truths.Groups.Read(ctx, c.Group, s.db.One); return err },
	)
	d := &groupDeletion{store: s, actor: c.Actor, group: now}
	if err == nil {
		err = c.Allowed(now.Group)
	} else if blog.IsNotFound(err) && now.Deleted {
		_ = s.again(ctx, now.By, func(journal.Intent) effects { return d.follow() })
	}
	if err != nil {
		return err
	}
	return s.run(ctx, s.fresh(), d)
}

type groupDeletion struct {
	store *Store
	actor blog.UserID
	group truth.Group
}

func (d *groupDeletion) intent() journal.Intent {
	return journal.Intent{Kind: journal.DeleteGroup, Actor: d.actor, About: journal.About{Group: &d.group.ID}}
}

func (d *groupDeletion) apply(ctx context.Context, note *journal.Note) error {
	if err := d.store.truths.Groups.Delete(ctx, d.group, note.Command, note.Keep); err != nil {
		return err
	}
	d.store.truths.Groups.Forget(d.group.ID)
	// Where this fails, the sweep does it.
	_ = cql.Insist(ctx, func(ctx context.Context) error { return d.store.truths.Close(ctx, blog.AboutGroup, d.group.ID.UUID) })
	return nil
}

func (d *groupDeletion) follow() effects {
	copies, below := cascade.OffOwner(d.group.Group, blog.DeletionStamp(d.store.clock, d.group.Stamp))
	return effects{
		copies: copies, extra: below,
		afterReply: func(ctx context.Context) error { return d.store.sweeps.Group(ctx, d.group.ID) },
	}
}

package blog

import "time"

// User returns the account that the command makes.
func (c CreateUser) User(id UserID, clock Clock) User {
	return User{
		ID: id, Subject: c.Subject, Username: c.Username, Email: c.Email, DisplayName: c.DisplayName, Bio: c.Bio,
		Version: 1, Stamp: NextStamp(clock, 0), VerifiedEmail: verifiedEmail(c.Email, c.ProvedEmail),
	}
}

// After returns the user after the edit, and whether anything changed. Stamp and version are raised where it did.
func (c UpdateUser) After(u User, clock Clock) (User, bool) {
	next := u
	next.Username = *c.Username.Of(&u.Username)
	next.Email = c.Email.Of(u.Email)
	next.DisplayName = c.DisplayName.Of(u.DisplayName)
	next.Bio = c.Bio.Of(u.Bio)
	if c.Email.Set && (!next.hasEmail(u.Email) || provesEmail(c.ProvedEmail, next.Email)) {
		next.VerifiedEmail = verifiedEmail(next.Email, c.ProvedEmail)
	}
	if next.Username != u.Username {
		next.RenamedAt = renameTime(clock, u.RenamedAt)
	}
	return u.become(next, clock)
}

// become returns what an edit makes of the user, and whether that is a change.
func (u User) become(next User, clock Clock) (User, bool) {
	if RowOf[User](UserTruths).Same(&next, &u) {
		return u, false
	}
	return next.edited(clock), true
}

// edited returns the user with the version and the stamp of one more edit.
func (u User) edited(clock Clock) User {
	u.Version++
	u.Stamp = NextStamp(clock, u.Stamp)
	return u
}

// Decide is After, or why the edit is refused: Suspended, VersionConflict, or Forbidden, for the username was changed
// too soon before. One that After took for a wrong clock's does not count: next is dated before it.
func (c UpdateUser) Decide(u User, clock Clock) (User, bool, error) {
	if u.Suspended {
		return u, false, ErrSuspended()
	}
	if err := CheckVersion(c.ExpectedVersion, u.Version); err != nil {
		return u, false, err
	}
	next, changed := c.After(u, clock)
	last, from := u.RenamedAt, u.RenamedAt.Add(c.RenameInterval)
	counts := !last.IsZero() && !next.RenamedAt.Before(last)
	if counts && next.Username != u.Username && next.RenamedAt.Before(from) {
		return next, changed, errRenamedLately(from)
	}
	return next, changed, nil
}

// Post returns the post that the command makes.
func (c CreatePost) Post(id PostID, author Name, at FeedPlace, clock Clock) Post {
	return Post{
		ID: id, Author: author.Author(), Title: c.Title, Excerpt: Excerpt(c.Content), Content: c.Content,
		Words:     WordCount(c.Content),
		UpdatedAt: id.Time(), Version: 1, Stamp: NextStamp(clock, 0), Feed: at, Group: c.Group,
	}
}

// Comment returns the comment that the command makes. Its parent is zero where it is no reply.
func (c CreateComment) Comment(id CommentID, author Author, parent Comment) Comment {
	made := Comment{Post: c.Post, ID: id, Author: author, Content: c.Content, UpdatedAt: id.Time(), Version: 1, Parent: parent.ID}
	if !parent.ID.IsZero() {
		made.Path = parent.Place().Reply(id)
	}
	return made
}

// After returns the post after the edit, and whether anything changed. What follows from its texts is made anew, and
// stamp, version and time are raised, where it did.
func (c UpdatePost) After(p Post, clock Clock) (Post, bool) {
	next := p
	next.Title = *c.Title.Of(&p.Title)
	next.Content = *c.Content.Of(&p.Content)
	if RowOf[Post](PostText).Same(&next, &p) && RowOf[Post](PostContent).Same(&next, &p) {
		return p, false
	}
	next.Excerpt, next.Words = Excerpt(next.Content), WordCount(next.Content)
	next.Version++
	next.Stamp = NextStamp(clock, p.Stamp)
	next.UpdatedAt = editTime(clock, p.UpdatedAt)
	return next, true
}

// Group returns the group that the command makes.
func (c CreateGroup) Group(clock Clock) Group {
	return Group{
		ID: GroupOf(c.Name), Name: c.Name, Title: c.Title, Description: c.Description, Owner: c.Owner,
		CreatedAt: Millisecond(clock.Now()), Version: 1, Stamp: NextStamp(clock, 0),
	}
}

// Deleted returns what stays of a group that is deleted: its name, which no other gets.
func (g Group) Deleted(clock Clock) Group {
	return Group{ID: g.ID, Name: g.Name, Owner: g.Owner, CreatedAt: g.CreatedAt, Stamp: NextStamp(clock, g.Stamp)}
}

// Decide returns the group after the edit, and whether anything changed: stamp and version are raised then. Forbidden:
// it is another's. VersionConflict.
func (c UpdateGroup) Decide(g Group, clock Clock) (next Group, changed bool, err error) {
	if g.Owner != c.Actor {
		return g, false, Errorf(Forbidden, "only its owner can change a group")
	}
	if err := CheckVersion(c.ExpectedVersion, g.Version); err != nil {
		return g, false, err
	}
	next = g
	next.Title = *c.Title.Of(&g.Title)
	next.Description = c.Description.Of(g.Description)
	next.Moderators = c.Moderators.Of(g.Moderators)
	if RowOf[Group](GroupText).Same(&next, &g) {
		return g, false, nil
	}
	next.Version++
	next.Stamp = NextStamp(clock, g.Stamp)
	return next, true, nil
}

// After returns the comment after the edit, and whether anything changed.
func (c UpdateComment) After(old Comment, clock Clock) (Comment, bool) {
	if c.Content == old.Content {
		return old, false
	}
	next := old
	next.Content = c.Content
	next.Version++
	next.UpdatedAt = editTime(clock, old.UpdatedAt)
	return next, true
}

// editTime is now, but never before what it follows: servers' clocks differ.
func editTime(clock Clock, previous time.Time) time.Time {
	now := Millisecond(clock.Now())
	if now.Before(previous) {
		return previous
	}
	return now
}

// renameTime is the time of an edit, unless the last rename lies further ahead than two clocks may be apart: then a
// clock was wrong, and would hold the next one up for as long as it was ahead. So an account may be renamed once more
// than the pause allows, as after a clock that was behind, and never has to wait for longer than the pause.
func renameTime(clock Clock, previous time.Time) time.Time {
	if now := Millisecond(clock.Now()); previous.After(now.Add(2 * ClockSkew)) {
		return now
	}
	return editTime(clock, previous)
}

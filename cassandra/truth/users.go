package truth

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
	"broadsheet/internal/coalesce"
	"broadsheet/internal/pace"

	"github.com/gocql/gocql"
	lru "github.com/hashicorp/golang-lru/v2"
)

var (
	selectUserTruth = cql.On(blog.UsersByID,
		`SELECT `+tables.Users.Columns+`, stamp, command_id, recent_commands FROM users_by_id WHERE user_id = ?`)
	selectUserName = cql.On(blog.UsersByID,
		`SELECT username, display_name, stamp, suspended, moderator, erased_at FROM users_by_id WHERE user_id = ?`)
	selectUserNames = cql.On(blog.UsersByID,
		`SELECT user_id, username, display_name, stamp, suspended, moderator, erased_at`+
			` FROM users_by_id WHERE user_id IN ?`)
	insertUser = cql.On(blog.UsersByID,
		`INSERT INTO users_by_id (`+tables.Users.Columns+`, stamp, command_id, user_id)`+
			` VALUES (`+tables.Users.Marks+`, ?, ?, ?) IF NOT EXISTS`)
	updateUser = cql.On(blog.UsersByID, `UPDATE users_by_id`+
		` SET `+tables.Users.Set+`, stamp = ?, command_id = ?, recent_commands = ?`+
		` WHERE user_id = ? IF version = ? AND stamp = ?`)
	fenceUser = cql.On(blog.UsersByID,
		`INSERT INTO users_by_id (user_id, version, stamp, command_id) VALUES (?, ?, ?, ?) IF NOT EXISTS`)
	fenceUserAgain = cql.On(blog.UsersByID,
		`UPDATE users_by_id SET version = ?, stamp = ?, command_id = ? WHERE user_id = ?`+
			` IF username = null AND version = ? AND stamp = ?`)
	fillPlaceholder = cql.On(blog.UsersByID, `UPDATE users_by_id`+
		` SET `+tables.Users.Set+`, stamp = ?, command_id = ?`+
		` WHERE user_id = ? IF username = null AND version = ? AND stamp = ?`)
	raiseUserStamp = cql.On(blog.UsersByID,
		`UPDATE users_by_id SET stamp = ? WHERE user_id = ? IF version = ? AND stamp = ?`)
)

// Guard is what conditional writes of a truth go by.
type Guard struct {
	Version int
	Stamp   int64
}

// Users are the truths of users.
type Users struct {
	edits[blog.UserID, User, blog.User]
	accounts *coalesce.Next[blog.UserID, Account]
	known    *lru.Cache[blog.UserID, Account] // of actors, as they were read last
	age      time.Duration                    // see [Config]
}

// Account is what commands ask of a user who wrote something, or is about to.
type Account struct {
	blog.Name // without a username: there is no account
	suspended bool
	moderator bool
	erasedAt  time.Time
	since     time.Time // when its reading began
}

// Gone reports whether there is no account, or its erasure has begun: nothing of it shall stand.
func (a Account) Gone() bool { return a.Username == "" || !a.erasedAt.IsZero() }

func newUsers(c Config) *Users {
	s := &Users{edits: edits[blog.UserID, User, blog.User]{db: c.DB, clock: c.Clock, table: blog.UsersByID}, age: c.AccountAge}
	s.read = s.Read
	s.accounts = coalesced(c, s.manyAccounts)
	s.known, _ = lru.New[blog.UserID, Account](maxKnown) // fails for a size below 1 only
	return s
}

// User is a user with the commands that wrote it last.
type User struct {
	blog.User
	By History
}

// Guard is what the next write goes by.
func (t User) Guard() Guard { return Guard{t.Version, t.Stamp} }

func (t User) raised(stamp int64) (User, cql.Bound) {
	write := raiseUserStamp.With(stamp, cql.ID(t.ID.UUID), t.Version, t.Stamp)
	t.Stamp = stamp
	return t, write
}

func (t User) value() blog.User { return t.User }

func (t User) history() History { return t.By }

// Update returns the statement that makes next of a user, under its guard.
func (t User) Update(next blog.User, command blog.CommandID) cql.Bound {
	return updateUser.With(tables.Users.Edit(&next, next.Stamp, cql.ID(command.UUID), t.By.With(command), cql.ID(next.ID.UUID), t.Version, t.Stamp)...)
}

// Wipe returns the statement that leaves nothing of a user but a final [Placeholder], which keeps the same createUser
// from making it again.
func (t User) Wipe(clock blog.Clock, command blog.CommandID) cql.Bound {
	return t.Update(blog.User{ID: t.ID, Version: versionErased, Stamp: blog.NextStamp(clock, t.Stamp)}, command)
}

// Wiped reports whether the user stood once, was erased, and nothing but a [Placeholder] is left of it.
func (t User) Wiped() bool { return t.Version == versionErased }

// Read reads the truth of a user, also while it is erased. Forbidden: it has no account.
func (s *Users) Read(ctx context.Context, user blog.UserID, read cql.Reader) (User, error) {
	t := User{User: blog.User{ID: user}}
	err := read(ctx, selectUserTruth.With(cql.ID(user.UUID)),
		tables.Users.Into(&t.User, &t.Stamp, cql.Into(&t.By.Last.UUID), &t.By.Recent)...)
	if err == cql.ErrAbsent || err == nil && t.Username == "" {
		err = blog.ErrNoAccount()
	}
	return t, err
}

// Name reads what copies hold of a user, also while it is erased. Forbidden: it has no account.
func (s *Users) Name(ctx context.Context, user blog.UserID) (blog.Name, error) {
	a, err := s.Account(ctx, user)
	if err == nil && a.Username == "" {
		err = blog.ErrNoAccount()
	}
	return a.Name, err
}

// Actor is Name, of a user who gave a command. Suspended: it may not give one.
func (s *Users) Actor(ctx context.Context, user blog.UserID) (blog.Name, error) {
	var role blog.Role
	return s.ActorAs(ctx, user, &role)
}

// ActorAs is Actor, of a command that comes with a role: what its actor may do takes the role's place.
//
// The account may have been read [Config.AccountAge] ago, but no earlier: an edit of it by another server has not
// returned, then.
func (s *Users) ActorAs(ctx context.Context, user blog.UserID, role *blog.Role) (_ blog.Name, err error) {
	a, known := s.known.Get(user)
	if !known || pace.Elapsed(a.since) >= s.age {
		since := time.Now()
		a, err = s.Account(ctx, user)
		a.since = since
	}
	switch {
	case err != nil:
	case a.Gone():
		err = blog.ErrNoAccount()
	case a.suspended:
		err = blog.ErrSuspended()
	default:
		s.known.Add(user, a)
		*role = role.Of(a.moderator)
	}
	return a.Name, err
}

// Account reads a user's account, be it gone or suspended. A user without one has no name.
func (s *Users) Account(ctx context.Context, user blog.UserID) (Account, error) {
	return s.accounts.Do(ctx, user, s.accountOf(user))
}

// AccountAgain is Account, of a user whose name was copied before. It goes with the reads of commands that begin.
func (s *Users) AccountAgain(ctx context.Context, user blog.UserID) (Account, error) {
	return s.accounts.Later(ctx, user, s.accountOf(user))
}

func (s *Users) accountOf(user blog.UserID) func(context.Context) (Account, error) {
	return func(ctx context.Context) (Account, error) {
		a := Account{Name: blog.Name{User: user}}
		err := s.db.One(ctx, selectUserName.With(cql.ID(user.UUID)), &a.Username, &a.DisplayName, &a.Stamp, &a.suspended, &a.moderator, &a.erasedAt)
		return a, cql.AbsentIsZero(err)
	}
}

func (s *Users) manyAccounts(ctx context.Context, users []blog.UserID) (map[blog.UserID]Account, error) {
	accounts := make(map[blog.UserID]Account, len(users))
	for _, user := range users {
		accounts[user] = Account{Name: blog.Name{User: user}}
	}
	err := s.db.EachOf(ctx, selectUserNames.With(cql.IDs(users)), len(users), func(row gocql.Scanner) error {
		var a Account
		err := row.Scan(cql.Into(&a.User.UUID), &a.Username, &a.DisplayName, &a.Stamp, &a.suspended, &a.moderator, &a.erasedAt)
		accounts[a.User] = a
		return err
	})
	return accounts, err
}

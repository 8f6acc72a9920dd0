package program

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/alecthomas/kong"

	"broadsheet/blog"
	"broadsheet/internal/relay"
)

type userCommand struct {
	Show    userEdit  `cmd:"" default:"withargs" help:"Print an account. This is what user does without a command."`
	Suspend userEdit  `cmd:"" help:"Suspend an account: it reads, and writes nothing."`
	Restore userEdit  `cmd:"" help:"End the suspension of an account."`
	Promote userEdit  `cmd:"" help:"Make an account a moderator, whatever its tokens say: it deletes any post or comment, and suspends and restores accounts."`
	Demote  userEdit  `cmd:"" help:"Make an account no moderator, unless its token says that it is one."`
	Erase   userErase `cmd:"" help:"Erase an account for good, with all that it wrote; then print what it was. An erasure that was cut off goes on."`

	VerifyEmail   userEdit   `cmd:"" help:"Say that an account's e-mail address is its own: it is found by it, and no other account can have it verified."`
	Relink        userRelink `cmd:"" help:"Have another subject act for an account; the one of before has none then."`
	UnverifyEmail userEdit   `cmd:"" help:"Say that an account's e-mail address is not known to be its own: another account can have it verified."`
}

// userKey names an account.
type userKey struct {
	ID       string `xor:"key" required:"" placeholder:"ID" help:"The user's id, as GraphQL shows it or as a UUID."`
	Username string `xor:"key" required:"" placeholder:"NAME" help:"The user's name, in any case."`
	Email    string `xor:"key" required:"" placeholder:"ADDRESS" help:"The user's verified e-mail address, in any case."`
}

type (
	userEdit struct {
		userKey
		Edit string `kong:"-"` // what the command's name says
	}
	userErase struct{ userKey }

	userRelink struct {
		userKey
		Subject string `name:"to-subject" required:"" placeholder:"SUBJECT" help:"The subject that acts for the account from now on: the sub of its tokens."`
		Issuer  string `name:"to-issuer" placeholder:"ISSUER" help:"The iss of its tokens. The default is the first issuer that the store was served with, or which has adopted that one's accounts."`
	}
)

// account is what the command prints, as JSON.
type account struct {
	ID          string    `json:"id"`
	UUID        string    `json:"uuid"`
	Issuer      *string   `json:"issuer"` // null: the store was never served with tokens
	Subject     string    `json:"subject"`
	Username    string    `json:"username"`
	DisplayName *string   `json:"displayName"`
	Bio         *string   `json:"bio"`
	Email       *string   `json:"email"`
	Verified    *bool     `json:"emailVerified"` // null: there is no address
	CreatedAt   time.Time `json:"createdAt"`
	Version     int       `json:"version"`
	Suspended   bool      `json:"suspended"`
	Moderator   bool      `json:"moderator"` // by itself: what its tokens say is not known
}

// Run prints an account, as it is after the edit that the command's name says, with what the public API keeps to its owner.
func (c *userEdit) Run(ctx context.Context, p *program, k *kong.Context) error {
	c.Edit = k.Selected().Name
	return p.onExisting(ctx, c)
}

func (c *userEdit) on(ctx context.Context, p *program, store blog.Store) error {
	return c.edit(ctx, p, store, func(u blog.User) (blog.User, error) {
		switch c.Edit {
		case "suspend":
			return store.SuspendUser(ctx, blog.SuspendUser{Role: blog.Operator, User: u.ID})
		case "restore":
			return store.RestoreUser(ctx, blog.RestoreUser{Role: blog.Operator, User: u.ID})
		case "promote", "demote":
			return store.SetModerator(ctx, blog.SetModerator{User: u.ID, Moderator: c.Edit == "promote"})
		case "verify-email", "unverify-email":
			if u.Email == nil {
				return u, errors.New("the account has no e-mail address")
			}
			return store.VerifyEmail(ctx, blog.VerifyEmail{User: u.ID, Email: *u.Email, Verified: c.Edit == "verify-email"})
		default: // show
			return u, nil
		}
	})
}

// Run has another subject act for an account, and prints the account.
func (c *userRelink) Run(ctx context.Context, p *program) error { return p.onExisting(ctx, c) }

func (c *userRelink) on(ctx context.Context, p *program, store blog.Store) error {
	return c.edit(ctx, p, store, func(u blog.User) (blog.User, error) {
		if err := blog.CheckSubject(c.Subject); err != nil {
			return u, fmt.Errorf("--to-subject: %w", err)
		}
		own, err := store.Noted(ctx, blog.Issuer)
		if err != nil {
			return u, err
		}
		issuer := c.Issuer
		switch {
		case issuer == own: // or neither is known
			issuer = ""
		case own == "":
			return u, errors.New("--to-issuer: the store was never served with tokens, so that it knows no issuer: leave it out, or serve it first")
		}
		return store.RelinkUser(ctx, blog.RelinkUser{User: u.ID, Subject: blog.SubjectOf(issuer, c.Subject)})
	})
}

// Run erases an account, waits until all of it is gone, and prints it as it was.
func (c *userErase) Run(ctx context.Context, p *program) error { return p.onExisting(ctx, c) }

func (c *userErase) on(ctx context.Context, p *program, store blog.Store) error {
	u, err := c.find(ctx, store)
	if blog.IsNotFound(err) && c.ID != "" { // its erasure may have begun
		u.ID, err = c.id()
	}
	if err == nil {
		err = store.DeleteAccount(ctx, blog.DeleteAccount{Role: blog.Operator, User: u.ID})
	}
	if err == nil {
		err = store.Settle(ctx)
	}
	if err != nil {
		return err
	}
	return p.print(ctx, store, u)
}

// edit finds an account, and prints it as it is after work.
func (c *userKey) edit(ctx context.Context, p *program, store blog.Store, work func(blog.User) (blog.User, error)) error {
	u, err := c.find(ctx, store)
	if err == nil {
		u, err = work(u)
	}
	if err != nil {
		return err
	}
	return p.print(ctx, store, u)
}

func (p *program) print(ctx context.Context, store blog.Store, u blog.User) error {
	own, err := store.Noted(ctx, blog.Issuer)
	if err != nil {
		return err
	}
	issuer, subject := blog.SplitSubject(u.Subject)
	a := account{
		ID: relay.EncodeID(u.ID), UUID: u.ID.String(), Subject: subject, Username: u.Username,
		DisplayName: u.DisplayName, Bio: u.Bio, Email: u.Email, CreatedAt: u.CreatedAt(), Version: u.Version,
		Suspended: u.Suspended, Moderator: u.Moderator,
	}
	if issuer = cmp.Or(issuer, own); issuer != "" { // the store's own subjects are its first issuer's
		a.Issuer = &issuer
	}
	if u.Email != nil {
		a.Verified = new(u.EmailVerified())
	}
	out := json.NewEncoder(p.stdout)
	out.SetIndent("", "  ")
	return out.Encode(a)
}

func (c *userKey) find(ctx context.Context, store blog.Store) (blog.User, error) {
	switch {
	case c.Username != "":
		return store.UserByUsername(ctx, c.Username)
	case c.Email != "":
		return store.UserByEmail(ctx, c.Email)
	}
	id, err := c.id()
	if err != nil {
		return blog.User{}, err
	}
	return store.UserByID(ctx, id)
}

func (c *userKey) id() (blog.UserID, error) {
	if id, err := blog.ParseUUID(c.ID); err == nil {
		return blog.UserID{UUID: id}, nil
	}
	id, err := relay.DecodeID[blog.UserID](c.ID)
	if err != nil {
		return id, fmt.Errorf("--id %w", err)
	}
	return id, nil
}

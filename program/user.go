package program

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"broadsheet/blog"
	"broadsheet/relay"
)

type userCommand struct {
	ID       string `xor:"key" required:"" placeholder:"ID" help:"The user's id, as GraphQL shows it or as a UUID."`
	Username string `xor:"key" required:"" placeholder:"NAME" help:"The user's name, in any case."`
	Email    string `xor:"key" required:"" placeholder:"ADDRESS" help:"The user's e-mail address, in any case."`
}

// account is what the command prints, as JSON.
type account struct {
	ID          string    `json:"id"`
	UUID        string    `json:"uuid"`
	Subject     string    `json:"subject"`
	Username    string    `json:"username"`
	DisplayName *string   `json:"displayName"`
	Bio         *string   `json:"bio"`
	Email       *string   `json:"email"`
	CreatedAt   time.Time `json:"createdAt"`
	Version     int       `json:"version"`
}

// Run prints an account, with what the public API keeps to its owner.
func (c *userCommand) Run(ctx context.Context, p *program) error {
	return p.withExisting(ctx, func(store blog.Store) error {
		u, err := c.find(ctx, store)
		if err != nil {
			return err
		}
		out := json.NewEncoder(p.stdout)
		out.SetIndent("", "  ")
		return out.Encode(account{
			ID: relay.EncodeID(u.ID), UUID: u.ID.String(), Subject: u.Subject, Username: u.Username,
			DisplayName: u.DisplayName, Bio: u.Bio, Email: u.Email, CreatedAt: u.CreatedAt(), Version: u.Version,
		})
	})
}

func (c *userCommand) find(ctx context.Context, store blog.Store) (blog.User, error) {
	switch {
	case c.Username != "":
		return store.UserByUsername(ctx, c.Username)
	case c.Email != "":
		return store.UserByEmail(ctx, c.Email)
	}
	if id, err := blog.ParseUUID(c.ID); err == nil {
		return store.UserByID(ctx, blog.UserID{UUID: id})
	}
	id, err := relay.DecodeID[blog.UserID](c.ID)
	if err != nil {
		return blog.User{}, fmt.Errorf("--id %w", err)
	}
	return store.UserByID(ctx, id)
}

package journal

import (
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra/truth"
)

// The kinds of intents. Those of reactions have the names of their mutations: [blog.ReactionTo].
const (
	CreateUser    = "createUser"
	EditUser      = "editUser" // of any edit of an account: its Change says which
	DeleteAccount = "deleteAccount"
	CreatePost    = "createPost"
	UpdatePost    = "updatePost"
	DeletePost    = "deletePost"
	CreateComment = "createComment"
	UpdateComment = "updateComment"
	DeleteComment = "deleteComment"
	CreateGroup   = "createGroup"
	UpdateGroup   = "updateGroup"
	DeleteGroup   = "deleteGroup"
)

// edits are the changes that an edit of an account makes, by the kinds that its rows of the journal have: the names of
// the mutations, which the program before finishes, and writes.
var edits = map[string]blog.ChangeKind{
	"updateUser": blog.UserUpdated, "suspendUser": blog.UserSuspended, "restoreUser": blog.UserRestored,
	"verifyEmail": blog.UserEmailVerified, "unverifyEmail": blog.UserEmailUnverified,
	"relinkUser": blog.UserRelinked, "promoteUser": blog.UserPromoted, "demoteUser": blog.UserDemoted,
}

// stored returns the kind that the intent's row has.
func (in Intent) stored() string {
	for kind, change := range edits {
		if in.Kind == EditUser && in.Change == change {
			return kind
		}
	}
	return in.Kind
}

// Intent is what a command writes down before it touches a truth: enough for any server to finish it or to clean up
// after it. It names each key that the truth no longer tells once the command is applied: the author of a deleted
// comment, the names before a rename. Fields that a kind does not need are absent.
type Intent struct {
	Kind    string          `json:"-"`
	Change  blog.ChangeKind `json:"-"`               // of an EditUser
	Entry   blog.CommandID  `json:"-"`               // its row
	Command blog.CommandID  `json:"command"`         // whose ids and claims these are
	Server  blog.UUID       `json:"server,omitzero"` // the process that carries it out
	Actor   blog.UserID     `json:"actor"`           // zero: an operator
	User    *blog.UserID    `json:"user,omitempty"`  // whose account it is about, where that is another's
	About
	Keys
	Later
}

// About names what a command makes, changes or deletes, and what it is below.
type About struct {
	Post     *blog.PostID     `json:"post,omitempty"`
	Comment  *blog.CommentID  `json:"comment,omitempty"`
	Author   *blog.UserID     `json:"author,omitempty"` // of the comment
	Followed *blog.FollowedID `json:"followed,omitempty"`
	Group    *blog.GroupID    `json:"group,omitempty"`
}

// Later is what is written into an intent after it was made.
type Later struct {
	Next    blog.CommandID `json:"next,omitzero"`     // the row that took the place of this one
	Number  int            `json:"number,omitempty"`  // of a comment that was made, and whose row is gone since
	Applied bool           `json:"applied,omitempty"` // the truth had the command's mark, and may have it no more
}

// In reports whether the command is in a truth, by its history or by what the intent keeps of that.
func (in Intent) In(by truth.History) bool {
	return in.Applied || by.Has(in.Command)
}

// Keys are the unique keys of the account that a command makes, edits or erases.
type Keys struct {
	Subject string  `json:"subject,omitempty"` // of a CreateUser
	Old     []Names `json:"old,omitempty"`     // every state that the edit may have ended
	New     Names   `json:"new,omitempty"`
	MayCome bool    `json:"mayCome,omitempty"` // the answer of an attempt at a claim was lost
	Held    []Held  `json:"held,omitempty"`    // what an erased account gives back in the end
}

// Held is a unique key that a user has a claim on.
type Held struct {
	Claims blog.Table `json:"claims"`
	Key    string     `json:"key"`
}

// Names are a user's unique keys, by the names of those, each with the command that claimed it where one did; and both
// names as they are shown, of which an earlier program kept the username only, or its key.
type Names map[string]string

const (
	shown      = "shown"
	displayed  = "displayName"
	claimedKey = "Claim" // behind the key's name
)

// Account returns whose account is made or edited, or whose reaction is taken back.
func (in Intent) Account() blog.UserID {
	if in.User != nil {
		return *in.User
	}
	return in.Actor
}

// Parent returns what the comment is on, or the reaction is to; the post, the group, or the account that is erased; zero
// in others.
func (in Intent) Parent() (id blog.UUID) {
	switch {
	case in.Post != nil:
		return in.Post.UUID
	case in.Followed != nil:
		return in.Followed.UUID
	case in.Group != nil:
		return in.Group.UUID
	case in.Kind == DeleteAccount:
		return in.Account().UUID
	}
	return id
}

// NamesOf returns the unique keys of a user, with claims on some of them.
func NamesOf(u blog.User, claims ...truth.Claim) Names {
	former := u.FormerNames()
	n := Names{shown: former.Username, displayed: former.DisplayName}
	for i, k := range blog.UniqueKeys {
		n[k.Name] = former.Keys[i]
	}
	for _, c := range claims {
		if !c.Command.IsZero() {
			n[c.On.Name+claimedKey] = c.Command.String()
		}
	}
	return n
}

// states returns the unique keys before the edit, and those behind it. An earlier program named none of an edit that
// changes none.
func (k Keys) states() []Names {
	if k.New == nil {
		return nil
	}
	return append(k.Old[:len(k.Old):len(k.Old)], k.New)
}

// Former returns every state of the user that an edit may have ended, and the one that it was to make: another edit
// may have followed. An edit that changes no key has ended none.
func (k Keys) Former() (all []blog.FormerNames) {
	for _, n := range k.states() {
		state := blog.FormerNames{DisplayName: n[displayed]}
		if _, told := n[displayed]; told {
			state.Username = n[shown]
		}
		for i, k := range blog.UniqueKeys {
			state.Keys[i] = n[k.Name]
		}
		if state.Username == "" || !slices.Contains(all, state) {
			all = append(all, state)
		}
	}
	if len(all) == 1 {
		return nil
	}
	return all
}

// Claims returns the claims on names that an intent names.
func (in Intent) Claims() (all []truth.Claim) {
	for _, n := range in.states() {
		all = append(all, n.claims(in.Account())...)
	}
	return all
}

// Claiming reports whether an edit claims a key, so that an attempt at that may come late.
func (in Intent) Claiming() bool { return len(in.New.claims(in.Account())) > 0 }

func (n Names) claims(user blog.UserID) (claims []truth.Claim) {
	for _, k := range blog.UniqueKeys {
		if command, err := blog.ParseUUID(n[k.Name+claimedKey]); err == nil {
			claims = append(claims, truth.Claim{On: k, Key: n[k.Name], User: user, Command: blog.CommandID{UUID: command}})
		}
	}
	return claims
}

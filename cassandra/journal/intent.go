package journal

import (
	"broadsheet/blog"
	"broadsheet/cassandra/truth"
)

// The kinds of intents. Those of reactions have the names of their mutations: [blog.ReactionTo].
const (
	CreateUser    = "createUser"
	UpdateUser    = "updateUser"
	CreatePost    = "createPost"
	UpdatePost    = "updatePost"
	DeletePost    = "deletePost"
	CreateComment = "createComment"
	UpdateComment = "updateComment"
	DeleteComment = "deleteComment"
	SuspendUser   = "suspendUser"
	RestoreUser   = "restoreUser"
	DeleteAccount = "deleteAccount"

	VerifyEmail   = "verifyEmail"
	UnverifyEmail = "unverifyEmail"
	RelinkUser    = "relinkUser"
	PromoteUser   = "promoteUser"
	DemoteUser    = "demoteUser"
)

// Intent is what a command writes down before it touches a truth: enough
// for any server to finish it or to clean up after it, without knowing anything else. It
// names each key that the truth no longer tells once the command is applied: the
// author of a deleted comment, the names before a rename. Fields that a kind does
// not need are absent.
type Intent struct {
	Kind    string          `json:"-"`
	Entry   blog.CommandID  `json:"-"`               // its row
	Command blog.CommandID  `json:"command"`         // whose ids and claims these are
	Server  blog.UUID       `json:"server,omitzero"` // the process that carries it out
	Actor   blog.UserID     `json:"actor"`           // zero: an operator
	User    *blog.UserID    `json:"user,omitempty"`  // whose account it is about, where that is another's
	Subject string          `json:"subject,omitempty"`
	Old     []*Names        `json:"old,omitempty"` // every state that the edit may have ended
	New     *Names          `json:"new,omitempty"`
	Post    *blog.PostID    `json:"post,omitempty"`
	Comment *blog.CommentID `json:"comment,omitempty"`
	Author  *blog.UserID    `json:"author,omitempty"`  // of the comment
	Number  int             `json:"number,omitempty"`  // of a comment that was made, and whose row is gone since
	MayCome bool            `json:"mayCome,omitempty"` // the answer of an attempt at a claim was lost
	Held    []Held          `json:"held,omitempty"`    // what an erased account gives back in the end
}

// Held is a unique key that a user has a claim on.
type Held struct {
	Claims blog.Table `json:"claims"`
	Key    string     `json:"key"`
}

// Names are a user's unique keys, with the commands that claimed them.
type Names struct {
	Shown         string         `json:"shown,omitempty"` // the username as it is shown; an earlier program kept its key only
	Username      string         `json:"username"`
	UsernameClaim blog.CommandID `json:"usernameClaim,omitzero"`
	Email         string         `json:"email,omitempty"` // where the user is listed by it
	EmailClaim    blog.CommandID `json:"emailClaim,omitzero"`
	Subject       string         `json:"subject,omitempty"` // an earlier program kept none: it changed none
	SubjectClaim  blog.CommandID `json:"subjectClaim,omitzero"`
}

// Account returns whose account is made or edited, or whose reaction is taken back.
func (in Intent) Account() blog.UserID {
	if in.User != nil {
		return *in.User
	}
	return in.Actor
}

// NamesOf returns the unique keys of a user, claimed by a command.
func NamesOf(u blog.User, command blog.CommandID) *Names {
	n := &Names{
		Shown: u.Username, Username: blog.UsernameKey(u.Username), UsernameClaim: command,
		Subject: u.Subject, SubjectClaim: command,
	}
	if email := u.ListedEmail(); email != "" {
		n.Email, n.EmailClaim = email, command
	}
	return n
}

// Former returns every state of the user that an edit may have ended, and the one that it
// was to make: another edit may have followed. There is none of a command that edits no names.
func (in Intent) Former() (all []blog.FormerNames) {
	if in.New == nil {
		return nil
	}
	for _, n := range append(in.Old[:len(in.Old):len(in.Old)], in.New) {
		all = append(all, blog.FormerNames{Username: n.Shown, UsernameKey: n.Username, EmailKey: n.Email, Subject: n.Subject})
	}
	return all
}

// Claims returns the claims on names that an intent names.
func (in Intent) Claims() (all []truth.Claim) {
	for _, n := range append(in.Old[:len(in.Old):len(in.Old)], in.New) {
		all = append(all, n.claims(in.Account())...)
	}
	return all
}

// claims returns the claims of some names.
func (n *Names) claims(user blog.UserID) []truth.Claim {
	var claims []truth.Claim
	if !n.UsernameClaim.IsZero() {
		claims = append(claims, truth.Claim{In: truth.UsernameClaims, Key: n.Username, User: user, Command: n.UsernameClaim})
	}
	if !n.EmailClaim.IsZero() {
		claims = append(claims, truth.Claim{In: truth.EmailClaims, Key: n.Email, User: user, Command: n.EmailClaim})
	}
	if !n.SubjectClaim.IsZero() {
		claims = append(claims, truth.Claim{In: truth.SubjectClaims, Key: n.Subject, User: user, Command: n.SubjectClaim})
	}
	return claims
}

package resolvers

import (
	"context"
	"sync"
	"sync/atomic"

	"broadsheet/blog"
)

// names are the names that an answer shows. While a rename walks to the copies of a name, some have the old one yet,
// and a client's cache keeps for each user the name that it met last. So an answer shows one name for one user, and
// to its owner the account's:
//
//   - The copies of the viewer's own name don't answer: the account does.
//   - Copies that differ within a page don't answer either: that account is read.
//   - Where a list or an account has another name than was shown before, the answer is made anew, with the accounts
//     of those users instead of their copies: see [Resolver.consistent].
//
// A mutation is not carried out again: each of its fields shows the name that it met first.
type names struct {
	ownKnown atomic.Bool // own tells who the viewer is

	mu     sync.Mutex
	own    blog.UserID // the viewer's; zero: none
	of     map[blog.UserID]name
	page   int32         // how many pages were looked at
	doubts []blog.UserID // of whom there were two names to show
}

// name is the name that an answer shows for a user.
type name struct {
	as    blog.Author
	sure  bool  // the account has it
	asked bool  // there is none yet: the account is to say
	page  int32 // that it was met on; 0: on none
}

// ask makes the accounts of users answer for their copies. The lock is held, or names are not shared yet.
func (n *names) ask(users ...blog.UserID) {
	for _, user := range users {
		if _, known := n.of[user]; !known {
			n.set(user, name{asked: true})
		}
	}
}

func (n *names) set(user blog.UserID, as name) {
	if n.of == nil {
		n.of = map[blog.UserID]name{}
	}
	n.of[user] = as
}

// copied returns the name to show where there is a copy of a user's; false where only the
// account tells.
func (n *names) copied(held blog.Author) (as blog.Author, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	shown, known := n.of[held.ID]
	switch {
	case !known || !shown.asked && !shown.as.DisplayName.Known && shown.as.Username == held.Username:
		shown.as = held
		n.set(held.ID, shown)
	case !shown.sure && !shown.asked && shown.as.Differs(held):
		n.doubts = append(n.doubts, held.ID)
	}
	return shown.as, !shown.asked
}

// account returns the name to show for a user whose account has one.
func (n *names) account(as blog.Author) blog.Author {
	n.mu.Lock()
	defer n.mu.Unlock()
	shown, known := n.of[as.ID]
	if known && !shown.asked {
		if shown.as.Differs(as) {
			n.doubts = append(n.doubts, as.ID)
		}
		if shown.as.DisplayName.Known {
			as = shown.as
		}
		as.Username = shown.as.Username
	}
	n.set(as.ID, name{as: as, sure: true})
	return as
}

// inDoubt returns of whom there were two names to show.
func (n *names) inDoubt() []blog.UserID {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.doubts
}

// lookAt looks at the names of a page before any of its rows is shown, and returns whose
// accounts are to be read, for more is asked of them than their copies hold.
func lookAt[T any](n *names, page []T, author func(T) blog.Author, asked needs) (accounts []blog.UserID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.page++
	for _, row := range page {
		held := author(row)
		shown, known := n.of[held.ID]
		switch {
		case asked.beyond(held) || shown.asked:
			accounts = append(accounts, held.ID)
		case !known:
			n.set(held.ID, name{as: held, page: n.page})
		case shown.sure || !shown.as.Differs(held):
		case shown.page == n.page:
			n.set(held.ID, name{asked: true})
			accounts = append(accounts, held.ID)
		default:
			n.doubts = append(n.doubts, held.ID)
		}
	}
	return accounts
}

// askViewer makes the viewer's account answer for the copies of his name. Who the viewer is
// a process reads once for each subject.
func (r *Resolver) askViewer(ctx context.Context) error {
	s := scopeOf(ctx)
	if s.subject == "" || s.names.ownKnown.Load() {
		return nil
	}
	own, ok, err := r.viewerID(ctx)
	if err != nil {
		return err
	}
	s.names.mu.Lock()
	defer s.names.mu.Unlock()
	if ok {
		s.names.own = own
		s.names.ask(own)
	}
	s.names.ownKnown.Store(true)
	return nil
}

// user reads a user's account: the viewer's by his subject, once for a request.
func (r *Resolver) user(ctx context.Context, id blog.UserID) (blog.User, error) {
	s := scopeOf(ctx)
	if s.names.isOwn(id) {
		account, err := r.viewer(ctx)
		if err != nil {
			return blog.User{}, err
		}
		if account != nil && account.ID == id {
			return shown(ctx, *account, nil)
		}
	}
	u, err := s.users.load(ctx, id)
	return shown(ctx, u, err)
}

// startUsers starts the reads of users' accounts, and does not wait.
func (r *Resolver) startUsers(ctx context.Context, ids []blog.UserID) {
	s := scopeOf(ctx)
	others := make([]blog.UserID, 0, len(ids))
	own := false
	for _, id := range ids {
		if s.names.isOwn(id) {
			own = true
		} else {
			others = append(others, id)
		}
	}
	if own {
		go func() { _, _ = guarded(func() (*blog.User, error) { return r.viewer(ctx) }) }()
	}
	s.users.start(ctx, others...)
}

func (n *names) isOwn(id blog.UserID) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return id == n.own
}

// shown returns what was read of an account with the name that the answer shows for it.
func shown(ctx context.Context, account blog.User, err error) (blog.User, error) {
	if err == nil {
		as := scopeOf(ctx).names.account(account.Name().Author()).User(true)
		account.Username, account.DisplayName = as.Username, as.DisplayName
	}
	return account, err
}

// wroteAs notes the name that a command told of its actor, which is his account's.
func wroteAs(ctx context.Context, actor blog.Author) {
	scopeOf(ctx).names.account(actor)
}

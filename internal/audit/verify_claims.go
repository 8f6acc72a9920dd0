package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"broadsheet/blog"
)

// claims is a table of claims on texts that only one user may have. It is compared as if its key were the text and the
// owner: if another user holds a claim, the owner's is missing and the other's is one too many.
type claims struct {
	*blog.UniqueKey
	family *blog.Family
}

var claimTables = func() map[blog.Table]claims {
	all, owner := map[blog.Table]claims{}, blog.Column{Name: "user_id", Type: blog.TypeUser}
	for _, k := range blog.UniqueKeys {
		all[k.Claims] = claims{k, &blog.Family{
			Table: k.Claims, Key: append(k.Claims.RowKey(), owner.Name), Columns: blog.Columns{owner}, Row: true, Truth: blog.UserTruth,
		}}
	}
	return all
}()

// claimRows returns the claims that a user has to hold.
func claimRows(u blog.User) (rows []blog.Copy) {
	for _, k := range blog.UniqueKeys {
		if key := k.Owned(u); key != "" {
			rows = append(rows, claimTables[k.Claims].row(key, u.ID, u.Stamp))
		}
	}
	return rows
}

func (c claims) row(key string, owner blog.UserID, stamp int64) blog.Copy {
	return blog.Copy{Family: c.family, Key: []any{key, owner}, Values: []any{owner}, Stamp: stamp}
}

// held returns a claim as the row of its text and a user, and its owner.
func (c claims) held(ctx context.Context, truths Truths, key []any) (Row, blog.UserID, error) {
	claim, err := trueRow(ctx, truths, c.Claims, key[0])
	row := Row{Key: key}
	if claim.Owner == key[1] {
		row.Cells = []blog.Copy{c.row(key[0].(string), claim.Owner, 0)}
	}
	return row, claim.Owner, err
}

// lacking says why a user has no claim on a text of its own.
func (s *suspect) lacking(ctx context.Context, a Reader, truths Truths, in claims, owner blog.UserID) error {
	key, user := s.Key[0].(string), s.Key[1].(blog.UserID)
	others, err := a.Listed(ctx, in.UniqueKey, key)
	if err != nil {
		return err
	}
	var rivals []string
	for _, other := range append(others, owner) {
		if other == user || other.IsZero() || slices.Contains(rivals, other.String()) {
			continue
		}
		u, err := trueUser(ctx, truths, other)
		if err != nil {
			return err
		}
		if in.OwnedBy(u, key) {
			rivals = append(rivals, other.String())
		}
	}
	switch {
	case len(rivals) > 0:
		s.Kind, s.Problem = TwoOwners, fmt.Sprintf("%v has it, and so has %s; the claim is %s", user, strings.Join(rivals, ", "), ownerName(owner))
	case owner.IsZero():
		s.Problem = "nobody has claimed what the user has: anybody could take it"
	default:
		s.Problem = fmt.Sprintf("%v holds the claim of what %v has", owner, user)
	}
	return nil
}

func ownerName(owner blog.UserID) string {
	if owner.IsZero() {
		return "nobody's"
	}
	return owner.String() + "'s"
}

// leaked says why a claim is held by a user that does not have its text. A user that was never
// finished has no copies; if there are some, its truth is lost: [verification.settleUnowned].
func (s *suspect) leaked(ctx context.Context, truths Truths, in claims) error {
	key, owner := s.Key[0].(string), s.Key[1].(blog.UserID)
	truth, err := trueRow(ctx, truths, blog.UsersByID, owner)
	if err != nil {
		return err
	}
	u, fate := truth.User, truth.fate()
	switch {
	case fate == Standing && (u.Username == "" || contradictionOf(u) != ""):
		s.Kind, s.Problem = LostTruth, lostOwner
	case fate == Standing && in.Of(u) == key:
		s.Kind, s.Problem = "", "" // an earlier program claimed each address: it yields to a verified one
	case fate == Standing:
		s.Problem = fmt.Sprintf("%v holds it and has it not: nobody can take it", owner)
	default:
		s.unowned = fate == Unknown
		s.Problem = fmt.Sprintf("%v holds it, of whom there is nothing else: nobody can take it", owner)
	}
	return nil
}

const lostOwner = "the user who holds it is lost"

// putAside keeps a claim whose owner was not found, until every table was searched. Beyond the bound it is kept.
func (v *verification) putAside(ctx context.Context, d Drift) error {
	v.mu.Lock()
	full := len(v.unowned) >= maxTold
	if !full {
		v.unowned = append(v.unowned, d)
	}
	v.mu.Unlock()
	if full {
		return v.settle(ctx, d.ofLostOwner())
	}
	return nil
}

func (d Drift) ofLostOwner() Drift {
	d.Kind, d.Problem, d.Deletes = LostTruth, lostOwner, 0
	return d
}

// settleUnowned settles the claims that were put aside: leaked, unless a truth or row names the owner.
func (v *verification) settleUnowned(ctx context.Context) error {
	aside := v.unowned
	v.unowned = nil
	if len(aside) == 0 {
		return nil
	}
	named := naming{}
	for _, d := range aside {
		named[d.Key[1].(blog.UserID)] = new(atomic.Bool)
	}
	var tables []blog.Table
	for table := range shapes {
		if table.UniqueKey() == nil && v.reader.Holds(table) {
			tables = append(tables, table)
		}
	}
	if err := v.reading(tables, false).pass(ctx, named); err != nil {
		return err
	}
	for _, d := range aside {
		if named[d.Key[1].(blog.UserID)].Load() {
			d = d.ofLostOwner()
		}
		if err := v.settle(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// naming is a sink that finds which of some users are named.
type naming map[blog.UserID]*atomic.Bool

func (n naming) expected(_ context.Context, _ *blog.Subject, copies []blog.Copy) error {
	for _, c := range copies {
		n.mark(c.Key)
		n.mark(c.Values)
	}
	return nil
}

func (n naming) found(ctx context.Context, table blog.Table, r Row) error {
	n.mark(r.Key)
	return n.expected(ctx, shapes[table].subject, r.Cells)
}

func (n naming) mark(values []any) {
	for _, value := range values {
		if user, ok := value.(blog.UserID); ok && n[user] != nil {
			n[user].Store(true)
		}
	}
}

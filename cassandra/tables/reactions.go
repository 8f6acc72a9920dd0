package tables

import (
	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// ReactionStatements are those of a kind of reactions, but for its copies.
type ReactionStatements struct {
	Counted // the claims

	// What a command changes of a claim: its first giving, with its time; another; its taking back.
	// Each is conditional on the claim.
	First, Again, TakeBack cql.Statement

	Walk cql.Statement // a user's list, in pages
	Some cql.Statement // some rows of that
	Own  cql.Statement // how many there are
}

// Reactions holds the statements of each kind of reactions.
var Reactions = func() map[*blog.ReactionKind]ReactionStatements {
	all := map[*blog.ReactionKind]ReactionStatements{}
	for _, k := range blog.ReactionKinds {
		all[k] = reactionStatements(k)
	}
	return all
}()

func reactionStatements(k *blog.ReactionKind) ReactionStatements {
	claims := k.TruthFamily().Columns.Names()
	state, at := claims[0], claims[1]
	claim := func(sets, before string) cql.Statement {
		return cql.On(k.Table, "UPDATE "+string(k.Table)+" SET "+state+" = "+sets+where(k.Table.Declaration().Key())+" IF "+state+" = "+before)
	}
	own := k.ByUser.Declaration()
	of := own.Clustering[0].Name
	list := func(rows string) cql.Statement {
		return cql.On(k.ByUser, "SELECT "+of+", "+at+" FROM "+string(k.ByUser)+where(own.Partition)+" AND "+of+rows)
	}
	return ReactionStatements{
		Counted: Counting[k.Table],
		First:   claim("true, "+at+" = ?, recent_commands = ?", "null"), Again: claim("true, recent_commands = ?", "false"),
		TakeBack: claim("false, recent_commands = ?", "true"),
		Walk:     list(" > ? ORDER BY " + of + " ASC LIMIT ?"), Some: list(" IN ?"),
		Own: cql.On(k.ByUser, "SELECT COUNT("+at+") FROM "+string(k.ByUser)+where(own.Partition)),
	}
}

// OfReaction are the columns of a claim as an audit reads them, with its header.
func OfReaction(k *blog.ReactionKind) string {
	return list(k.TruthFamily().Columns.Names(), []string{countColumn(&k.Subject)}) + ", version, stamp, closed"
}

// PostCountNames are the counts of a post, as posts_by_id has them, and PostCounts each with when it was written.
var (
	PostCountNames = func() (names []string) {
		for _, g := range blog.PostsByID.Families() {
			if g.Counts() {
				names = append(names, g.Columns.Names()...)
			}
		}
		return names
	}()
	PostCounts = func() string {
		var columns []string
		for _, name := range PostCountNames {
			columns = append(columns, list([]string{name}, times([]string{name})))
		}
		return list(columns)
	}()
)

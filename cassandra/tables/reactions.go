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

	// WalkYear and SomeOfYear are Walk and Some of the user's list in a year, where that has taken its place.
	WalkYear, SomeOfYear cql.Statement
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
	list := func(d *blog.Declaration) (walk, some cql.Statement) {
		rows := "SELECT " + of + ", " + at + " FROM " + string(d.Table) + where(d.Partition) + " AND " + of
		return cql.On(d.Table, rows+" > ? ORDER BY "+of+" ASC LIMIT ?"), cql.On(d.Table, rows+" IN ?")
	}
	all := ReactionStatements{
		Counted: Counting[k.Table],
		First:   claim("true, "+at+" = ?, recent_commands = ?", "null"), Again: claim("true, recent_commands = ?", "false"),
		TakeBack: claim("false, recent_commands = ?", "true"),
		Own:      cql.On(k.ByUser, "SELECT COUNT("+at+") FROM "+string(k.ByUser)+where(own.Partition)),
	}
	if all.Walk, all.Some = list(own); k.ByUser.Moves() {
		all.WalkYear, all.SomeOfYear = list(k.ByUser.Successor().Declaration())
	}
	return all
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

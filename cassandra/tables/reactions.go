package tables

import (
	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// ReactionStatements are those of a kind of reactions, but for its copies.
type ReactionStatements struct {
	// What a command changes of a claim: its first giving, with its time; another; its taking back;
	// and nothing, of one that was taken back. Each is conditional on the claim.
	First, Again, TakeBack, StillBack cql.Statement

	// The partition of a post's claims: its header, how that is replaced, and closed for ever; how
	// the count of a closed one is cleared, and its rows deleted; some rows, and one claim, with the
	// header.
	Header, Update, Close, Clear, Delete, Rows, Claim cql.Statement

	// What an audit reads: the users of a post's claims, each with whether it stands; when cells were
	// written. How it mends a header, and deletes claims as of a stamp.
	Users, Times, Mend, Orphans cql.Statement

	Sweep cql.Statement // the users of a post's claims, in pages
	Walk  cql.Statement // a user's list, in pages
	Some  cql.Statement // some rows of that
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
	state, at, count := k.OfPost.Columns[0].Name, k.OfUser.Columns[0].Name, k.AbovePost.Columns[0].Name
	const ofPost, ofClaim, ofUser = " WHERE post_id = ? AND bucket = 0", " WHERE post_id = ? AND bucket = 0 AND user_id = ?", " WHERE user_id = ? AND bucket = 0"
	header, claim, update, from := count+", version, stamp, closed", state+", "+at, "UPDATE "+string(k.Claims)+" SET ", " FROM "+string(k.Claims)
	of := func(text string) cql.Statement { return cql.On(k.Claims, text) }
	ofList := func(rows string) cql.Statement {
		return cql.On(k.ByUser, "SELECT post_id, "+at+" FROM "+string(k.ByUser)+ofUser+rows)
	}
	return ReactionStatements{
		First:     of(update + state + " = true, " + at + " = ?, recent_commands = ?" + ofClaim + " IF " + state + " = null"),
		Again:     of(update + state + " = true, recent_commands = ?" + ofClaim + " IF " + state + " = false"),
		TakeBack:  of(update + state + " = false, recent_commands = ?" + ofClaim + " IF " + state + " = true"),
		StillBack: of(update + state + " = false" + ofClaim + " IF " + state + " = false"),

		Header: of("SELECT DISTINCT " + header + from + ofPost),
		Update: of(update + count + " = ?, version = ?, stamp = ?" + ofPost + " IF version = ? AND " + count + " = ? AND closed = null"),
		Close:  of(update + "closed = true, version = ?, stamp = ?" + ofPost + " IF version = ? AND closed = null"),
		Clear:  of(update + count + " = 0" + ofPost + " IF closed = true"),
		Delete: of("DELETE" + from + ofPost + " AND user_id >= ? AND user_id <= ?"),
		Rows:   of("SELECT user_id, " + claim + ", recent_commands, " + header + from + ofPost + " AND user_id IN ?"),
		Claim:  of("SELECT " + claim + ", recent_commands, " + header + from + ofClaim),

		Users:   of("SELECT user_id, " + state + from + ofPost),
		Times:   of("SELECT WRITETIME(" + state + "), WRITETIME(" + at + ")" + from + ofPost),
		Mend:    of(update + count + " = ?, version = ?, stamp = ?" + ofPost + " IF version = ? AND closed = null"),
		Orphans: of("DELETE" + from + " USING TIMESTAMP ?" + ofPost + " AND user_id >= ? AND user_id <= ?"),

		Sweep: of("SELECT user_id" + from + ofPost + " AND user_id > ? ORDER BY user_id ASC LIMIT ?"),
		Walk:  ofList(" AND post_id > ? ORDER BY post_id ASC LIMIT ?"),
		Some:  ofList(" AND post_id IN ?"),
	}
}

// OfReaction are the columns of a claim as an audit reads them, with its header.
func OfReaction(k *blog.ReactionKind) string {
	return list(k.OfPost.Columns.Names(), k.OfUser.Columns.Names(), k.AbovePost.Columns.Names()) + ", version, stamp, closed"
}

// PostCounts are the counts of a post, as posts_by_id has them: each, and when it was written.
var PostCounts = func() string {
	counts := []*blog.Group{blog.PostCommentCount}
	for _, k := range blog.ReactionKinds {
		counts = append(counts, k.InPosts)
	}
	var columns []string
	for _, g := range counts {
		columns = append(columns, list(g.Columns.Names(), times(g.Columns)))
	}
	return list(columns)
}()

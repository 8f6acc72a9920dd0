package storetest

import (
	"slices"

	"broadsheet/blog"
)

// The groups of leaf tests: one for each table that answers a query, one for each
// command that has aspects of its own, and those that need many clients at once.
var (
	queries = slices.Concat(leavesOfLists(), []section{
		{"users_by_id", usersByID},
		{"users_by_username", usersByUsername},
		{"users_by_email", usersByEmail},
		{"users_by_subject", usersBySubject},
		{"posts_by_id", postsByID},
		{"posts_by_author", postsByAuthor},
		{"comments_by_post", commentsByPost},
		{"comments_by_thread", commentsByThread},
		{"feed_by_bucket", feedByBucket},
		{"groups_by_id", groupsByID},
		{"members_by_group", members},
		{"posts_by_group", postsOfGroups},
		{"groups_by_owner", groupsByOwner},
		{"deleted_rows", deletedRows},
		{"one_partition", onePartition},
		{"every_field", everyField},
	}, sectionsOfKinds(func(k *blog.ReactionKind) []section {
		if k.Private() {
			return []section{{string(k.ByUser), reactionsByUser}}
		}
		return []section{{string(k.ByParent), reactionsByPost}, {string(k.ByUser), reactionsByUser}}
	}))
	commands = append([]section{
		{"create_user", createUser},
		{"update_user", updateUser},
		{"rename", rename},
		{"create_post", createPost},
		{"update_post", updatePost},
		{"delete_post", deletePost},
		{"create_comment", createComment},
		{"update_comment", updateComment},
		{"delete_comment", deleteComment},
		{"suspend_user", suspendUser},
		{"restore_user", restoreUser},
		{"verify_email", verifyEmail},
		{"relink_user", relinkUser},
		{"set_moderator", setModerator},
		{"follows", follows},
		{"create_group", createGroup},
		{"update_group", updateGroup},
		{"delete_group", deleteGroup},
		{"home", home},
		{"delete_account", deleteAccount},
		{"idempotency", idempotency},
		{"idempotency_at_once", idempotencyAtOnce},
		{"partitions_of_commands", partitionsOfCommands},
		{"changes", changes},
	}, sectionsOfKinds(func(k *blog.ReactionKind) []section {
		return []section{{k.GivenBy(), giveReaction}, {k.TakenBackBy(), takeReactionBack}}
	})...)
	concurrent = []section{
		{"exactness", exactness},
		{"races", races},
		{"races_below_a_post", racesBelowAPost},
		{"paging_under_change", pagingUnderChange},
		{"threads_under_change", threadsUnderChange},
		{"bytes", everyByte},
	}
)

func leavesOfLists() (sections []section) {
	for _, l := range everyList {
		leaves, table := l.leaves(), l.declaration().Table
		if k := table.Reaction(); k != nil {
			leaves = ofKind(k, leaves)
		}
		sections = append(sections, section{string(table), leaves})
	}
	return sections
}

// sectionsOfKinds returns the sections of each kind of reactions.
func sectionsOfKinds(of func(*blog.ReactionKind) []section) (sections []section) {
	for _, k := range blog.ReactionKinds {
		for _, s := range of(k) {
			sections = append(sections, section{s.name, ofKind(k, s.leaves)})
		}
	}
	return sections
}

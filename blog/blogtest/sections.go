package blogtest

// The groups of leaf tests: one for each table that answers a query, one for each
// command that has aspects of its own, and those that need many clients at once.
var (
	queries = append(leavesOfLists(), []section{
		{"users_by_id", usersByID},
		{"users_by_username", usersByUsername},
		{"users_by_email", usersByEmail},
		{"users_by_subject", usersBySubject},
		{"posts_by_id", postsByID},
		{"posts_by_author", postsByAuthor},
		{"comments_by_post", commentsByPost},
		{"likes_by_post", likesByPost},
		{"likes_by_user", likesByUser},
		{"feed_by_bucket", feedByBucket},
		{"deleted_rows", deletedRows},
		{"one_partition", onePartition},
		{"every_field", everyField},
	}...)
	commands = []section{
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
		{"like_post", likePost},
		{"unlike_post", unlikePost},
		{"idempotency", idempotency},
		{"idempotency_at_once", idempotencyAtOnce},
		{"partitions_of_commands", partitionsOfCommands},
		{"changes", changes},
	}
	concurrent = []section{
		{"exactness", exactness},
		{"races", races},
		{"races_below_a_post", racesBelowAPost},
		{"paging_under_change", pagingUnderChange},
		{"bytes", everyByte},
	}
)

func leavesOfLists() (sections []section) {
	for _, l := range everyList {
		sections = append(sections, section{string(l.declaration().Table), l.leaves()})
	}
	return sections
}

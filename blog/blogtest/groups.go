package blogtest

// The groups of leaf tests: one for each table that answers a query, one for each
// command that has aspects of its own, and those that need many clients at once.
var (
	queries = []group{
		{"users_by_id", usersByID},
		{"users_by_username", usersByUsername},
		{"users_by_email", usersByEmail},
		{"users_by_subject", usersBySubject},
		{"posts_by_author", postsByAuthor},
	}
	commands   = []group{}
	concurrent = []group{}
)

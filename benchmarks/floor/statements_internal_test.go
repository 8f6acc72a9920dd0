package floor

import (
	"os"
	"strings"
	"testing"

	"broadsheet/cassandra/tables"
)

// The floor asks for what the store does: a column that the store reads more is no fault of GraphQL's.
func TestTheStatementsAreTheStores(t *testing.T) {
	golden, err := os.ReadFile("../../cassandra/tables/testdata/statements.cql")
	if err != nil {
		t.Fatal(err)
	}
	lists := strings.Join(strings.Fields(string(golden)), " ")
	for _, statement := range []string{selectPostsByAuthor, selectCommentsByPost, selectLikesByPost, selectFeedByBucket} {
		if !strings.Contains(lists, statement+";") {
			t.Errorf("the store does not ask: %s", statement)
		}
	}
	if want := `SELECT ` + tables.Users.Columns + `, stamp FROM users_by_id WHERE user_id = ?`; selectUsersByID != want {
		t.Errorf("%s, want %s", selectUsersByID, want)
	}
	if want := `SELECT ` + tables.Posts.Columns + `, stamp, deleted_at, username, display_name, ` + tables.PostCounts + ` FROM posts_by_id WHERE post_id = ?`; selectPostsByID != want {
		t.Errorf("%s, want %s", selectPostsByID, want)
	}
}

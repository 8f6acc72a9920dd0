package audit

import (
	"strings"
	"testing"

	"broadsheet/blog"
)

// A subject without a kind would be summed and never looked at.
func TestASubjectWithoutAKindIsRefused(t *testing.T) {
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "give it a kind") {
			t.Errorf("the program starts, %q", said)
		}
	}()
	subjects := blog.Subjects()
	complete(append(subjects, subjects[len(subjects)-1]+1), blog.Declarations)
}

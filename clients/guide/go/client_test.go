package blogclient

import (
	"os"
	"testing"
)

var url = os.Getenv("BROADSHEET_URL")

func TestTitles(t *testing.T) {
	titles, err := Titles(t.Context(), New(url, "alice"), 2)
	if err != nil || len(titles) != 10 {
		t.Fatalf("%q, %v; want ten titles", titles, err)
	}
}

func TestCode(t *testing.T) {
	_, err := Feed(t.Context(), New(url, "alice"), 500, nil)
	if got := Code(err); got != "BAD_USER_INPUT" {
		t.Fatalf("%v has the code %q, want BAD_USER_INPUT", err, got)
	}
}

// What is not set stays as it is.
func TestEditProfile(t *testing.T) {
	name := "alice_2"
	answer, err := EditProfile(t.Context(), New(url, "alice"), UpdateUserInput{Username: &name})
	if err != nil || len(answer.UpdateUser.UserErrors) > 0 {
		t.Fatalf("%+v, %v", answer, err)
	}
	if user := answer.UpdateUser.User; user.Username != name || user.DisplayName == nil {
		t.Fatalf("the account is %+v", user)
	}
}

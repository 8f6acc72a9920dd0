package httpapi

import (
	"net/http/httptest"
	"testing"
)

// What requests say is the same question where it is the same text in the same place.
func TestQuestions(t *testing.T) {
	t.Parallel()
	of := func(method, target, body string) question {
		return questionOf(httptest.NewRequest(method, target, nil), []byte(body))
	}
	const text = "query=%7Bviewer%7Bid%7D%7D"
	asked := map[question]string{}
	for name, q := range map[string]question{
		"in a URL":                  of("GET", "/graphql?"+text, ""),
		"in a URL, another":         of("GET", "/graphql?"+text+"&", ""),
		"in a URL, other variables": of("GET", "/graphql?"+text+"&variables=%7B%7D", ""),
		"posted":                    of("POST", "/graphql", text),
		"posted, another":           of("POST", "/graphql", text+" "),
	} {
		if other, known := asked[q]; known {
			t.Errorf("%s is the same as %s", name, other)
		}
		asked[q] = name
	}
	if of("POST", "/graphql?a", text) != of("POST", "/graphql", text) || of("GET", "/graphql?"+text, "") != of("HEAD", "/graphql?"+text, "") {
		t.Error("the same is not the same")
	}
}

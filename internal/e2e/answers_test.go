package e2e

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// at returns what stands at a path of the response, as in data.feed.edges.0.cursor,
// as text; "absent" where nothing does.
func (a answer) at(path string) string {
	a.t.Helper()
	var value any
	if err := json.Unmarshal([]byte(a.text), &value); err != nil {
		a.t.Fatalf("no JSON: %s", a.text)
	}
	for step := range strings.SplitSeq(path, ".") {
		value = child(value, step)
	}
	if value == (absent{}) {
		return "absent"
	}
	if text, ok := value.(string); ok {
		return text
	}
	text, _ := json.Marshal(value)
	return string(text)
}

// all returns what stands at a path of each entry of a list.
func (a answer) all(list, path string) (texts []string) {
	a.t.Helper()
	for i := 0; ; i++ {
		text := a.at(list + "." + strconv.Itoa(i) + "." + path)
		if text == "absent" {
			return texts
		}
		texts = append(texts, text)
	}
}

type absent struct{}

func child(value any, step string) any {
	switch value := value.(type) {
	case map[string]any:
		if found, ok := value[step]; ok {
			return found
		}
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i < len(value) {
			return value[i]
		}
	}
	return absent{}
}

// code returns the code of the first error; OK where there is none.
func (a answer) code() string {
	a.t.Helper()
	if a.at("errors") == "absent" {
		return "OK"
	}
	return a.at("errors.0.extensions.code")
}

// ok fails t where anything went wrong, in the request or in a mutation's input.
func (a answer) ok() answer {
	a.t.Helper()
	if a.status != http.StatusOK || a.code() != "OK" || strings.Contains(a.text, `"userErrors":[{`) {
		a.t.Fatalf("status %d: %s", a.status, a.text)
	}
	return a
}

// want fails t unless a path holds a text.
func (a answer) want(path, text string) {
	a.t.Helper()
	if got := a.at(path); got != text {
		a.t.Errorf("%s is %s, want %s, in %.500s", path, got, text, a.text)
	}
}

// quote returns a text as JSON.
func quote(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

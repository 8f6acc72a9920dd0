package harness

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// At returns what stands at a path of the response, as in data.feed.edges.0.cursor,
// as text; "absent" where nothing does.
func (a Answer) At(path string) string {
	a.T.Helper()
	var value any
	if err := json.Unmarshal([]byte(a.Text), &value); err != nil {
		a.T.Fatalf("no JSON: %s", a.Text)
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

// All returns what stands at a path of each entry of a list.
func (a Answer) All(list, path string) (texts []string) {
	a.T.Helper()
	for i := 0; ; i++ {
		text := a.At(list + "." + strconv.Itoa(i) + "." + path)
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

// Code returns the code of the first error; OK where there is none.
func (a Answer) Code() string {
	a.T.Helper()
	if a.At("errors") == "absent" {
		return "OK"
	}
	return a.At("errors.0.extensions.code")
}

// Ok fails t where anything went wrong, in the request or in a mutation's input.
func (a Answer) OK() Answer {
	a.T.Helper()
	if a.Status != http.StatusOK || a.Code() != "OK" || strings.Contains(a.Text, `"userErrors":[{`) {
		a.T.Fatalf("status %d: %s", a.Status, a.Text)
	}
	return a
}

// Want fails t unless a path holds a text.
func (a Answer) Want(path, text string) {
	a.T.Helper()
	if got := a.At(path); got != text {
		a.T.Errorf("%s is %s, want %s, in %.500s", path, got, text, a.Text)
	}
}

// Quote returns a text as JSON.
func Quote(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

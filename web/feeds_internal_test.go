package web

import (
	"encoding/xml"
	"net/http/httptest"
	"strings"
	"testing"
)

// XML has no control characters, and a text may.
func TestAFeedIsXMLWhateverIsWritten(t *testing.T) {
	const data = `{"feed":{"edges":[{"node":{"id":"p","title":"\u0001]]>&<\ufffe","summary":"a\u000bb\ud800c","createdAt":"2026-11-25T18:00:00Z","updatedAt":"2026-11-25T18:00:00Z","author":{"username":"a"}}}],"pageInfo":{}}}`
	for _, view := range []View{feed{}, sitemap{}} {
		shown, err := view.Shows(httptest.NewRequest("GET", "/", nil), "http://a.example", []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		decoder := xml.NewDecoder(strings.NewReader(string(shown.Body)))
		for err == nil {
			_, err = decoder.Token()
		}
		if err.Error() != "EOF" {
			t.Errorf("%v in %s", err, shown.Body)
		}
	}
}

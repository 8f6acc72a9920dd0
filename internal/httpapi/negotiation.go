package httpapi

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"
	mediaEvents  = "text/event-stream"
)

// negotiate returns the media type to answer in, empty where the client accepts none of ours (RFC 9110, section
// 12.5.1), and whether it names text/event-stream: a range that includes it does not ask for a stream. Of two media
// types that it likes as well it gets application/json, unless it names application/graphql-response+json.
func negotiate(r *http.Request) (media string, events bool) {
	accept := r.Header["Accept"]
	if len(accept) == 1 && (accept[0] == mediaGraphQL || accept[0] == mediaJSON) {
		return accept[0], false
	}
	ranges := mediaRanges(accept)
	plain, own := ranges.weight(mediaJSON), ranges.weight(mediaGraphQL)
	_, named := ranges[mediaGraphQL]
	switch {
	case own > plain, own > 0 && own == plain && named:
		media = mediaGraphQL
	case plain > 0, len(ranges) == 0:
		media = mediaJSON
	}
	return media, r.Method != http.MethodHead && ranges[mediaEvents] > 0
}

// weights are those of media ranges: of types, of application/* and of */*.
type weights map[string]float64

const (
	maxRanges = 32  // that are read of a request: browsers send up to ten
	maxRange  = 256 // bytes of one
)

// mediaRanges reads Accept headers. What is malformed or longer than [maxRange] counts as absent,
// and so does what comes after [maxRanges].
func mediaRanges(headers []string) weights {
	ranges, n := weights{}, 0
	for part := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		if n++; n > maxRanges {
			break
		}
		if len(part) > maxRange {
			continue
		}
		media, params, err := mime.ParseMediaType(part)
		if err != nil || !strings.Contains(media, "/") {
			continue
		}
		q, given := params["q"]
		if !given {
			q = "1"
		}
		if weight, err := strconv.ParseFloat(q, 64); err == nil && weight >= 0 && weight <= 1 {
			ranges[media] = weight
		}
	}
	return ranges
}

// weight returns that of the most specific range which a type of application is in.
func (w weights) weight(media string) float64 {
	for _, name := range []string{media, "application/*", "*/*"} {
		if weight, ok := w[name]; ok {
			return weight
		}
	}
	return 0
}

// Package static serves files that are part of the program, plain or compressed.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// What a browser does with its copy of a file.
const (
	KeepForEver = "public, max-age=31536000, immutable" // whose name changes with its content
	AlwaysAsk   = "no-cache"
)

// Spelled out: package mime answers what the machine's own tables say.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".ttf":  "font/ttf",
	".txt":  "text/plain; charset=utf-8",
	".md":   "text/markdown; charset=utf-8",
}

// ContentType returns the media type of a file by its name, empty for a kind that is not served.
func ContentType(name string) string { return contentTypes[path.Ext(name)] }

// New returns what answers for a file, plain or compressed. Its plain content is read whenever it is asked for: it is
// rarely wanted, and not kept.
func New(name string, content func() []byte, cacheControl string) http.Handler {
	prepared := sync.OnceValues(func() (hash string, compressed []byte) { // a server that starts reads none of 9 MB
		plain := content()
		sum := sha256.Sum256(plain)
		return hex.EncodeToString(sum[:6]), compress(plain)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		etag, body := prepared()
		h := w.Header()
		h.Set("Content-Type", ContentType(name))
		h.Set("Cache-Control", cacheControl)
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Values("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			etag += "-gzip"
		} else {
			body = content()
		}
		h.Set("ETag", `"`+etag+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	})
}

func compress(content []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level exists
	}
	w.Write(content) // a bytes.Buffer takes everything
	w.Close()
	return b.Bytes()
}

// acceptsGzip reads as much of RFC 9110 as matters: gzip is named, and not refused by a weight of zero.
func acceptsGzip(acceptEncoding []string) bool {
	for coding := range strings.SplitSeq(strings.Join(acceptEncoding, ","), ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			weight = strings.ReplaceAll(strings.ToLower(weight), " ", "")
			return strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "" || weight == ""
		}
	}
	return false
}

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

// File is one response, plain and compressed. Make it with [New].
type File struct {
	name         string
	cacheControl string
	plain        func() []byte

	first      sync.Once // request: a server that starts reads none of 9 MB
	hash       string    // of the plain content: 48 bits, in hex
	compressed []byte
}

// New returns a file whose plain content is read whenever it is asked for: it is rarely wanted, and not kept.
func New(name string, content func() []byte, cacheControl string) *File {
	return &File{name: name, cacheControl: cacheControl, plain: content}
}

func (f *File) prepare() {
	content := f.plain()
	sum := sha256.Sum256(content)
	f.hash, f.compressed = hex.EncodeToString(sum[:6]), compress(content)
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

func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.first.Do(f.prepare)
	h := w.Header()
	h.Set("Content-Type", ContentType(f.name))
	h.Set("Cache-Control", f.cacheControl)
	h.Set("Vary", "Accept-Encoding")
	var content []byte
	etag := f.hash
	if acceptsGzip(r.Header.Values("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		content, etag = f.compressed, f.hash+"-gzip"
	} else {
		content = f.plain()
	}
	h.Set("ETag", `"`+etag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
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

package playground

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

const (
	keepForEver = "public, max-age=31536000, immutable"
	alwaysAsk   = "no-cache"
)

// Spelled out: package mime answers what the machine's own tables say.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

// file is one response, plain and compressed.
type file struct {
	name         string
	hash         string // of the plain content: 48 bits, in hex
	cacheControl string
	plain        func() []byte
	compressed   func() []byte // the first who asks pays for it, once
}

// newFile returns a file whose content is read whenever it is asked for: 2 MB that hardly
// anybody wants are not kept.
func newFile(name string, content func() []byte, cacheControl string) *file {
	sum := sha256.Sum256(content())
	return &file{
		name:         name,
		hash:         hex.EncodeToString(sum[:6]),
		cacheControl: cacheControl,
		plain:        content,
		compressed:   sync.OnceValue(func() []byte { return compress(content()) }),
	}
}

// embeddedFiles is every file the page may load.
var embeddedFiles = sync.OnceValue(func() []*file {
	var files []*file
	for _, source := range []struct {
		fsys fs.ReadFileFS
		glob string
	}{
		{pageFiles, "page/*"},
		{assetFiles, "assets/*"},
	} {
		names, err := fs.Glob(source.fsys, source.glob)
		if err != nil {
			panic(err)
		}
		for _, name := range names {
			if path.Ext(name) == ".html" {
				continue // a template
			}
			files = append(files, newFile(path.Base(name), func() []byte { return embedded(source.fsys, name) }, keepForEver))
		}
	}
	return files
})

func embedded(files fs.ReadFileFS, name string) []byte {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it was listed
	}
	return content
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

func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", contentTypes[path.Ext(f.name)])
	h.Set("Cache-Control", f.cacheControl)
	h.Set("Vary", "Accept-Encoding")
	content, etag := f.plain, f.hash
	if acceptsGzip(r.Header.Values("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		content, etag = f.compressed, f.hash+"-gzip"
	}
	h.Set("ETag", `"`+etag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content()))
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

package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"

	"broadsheet/internal/httpapi/limit"
)

// answer writes what an operation was answered with.
func (a *API) answer(w http.ResponseWriter, r *http.Request, response *graphql.Response) {
	status := statusOf(r, response)
	b := writeHead(w, r, status, response)
	w = atPace(w, b.len(), int64(a.config.Limits[limit.AnswerPace]))
	if !cacheable(r, status, response) {
		writeBody(w, status, b)
		return
	}
	h := w.Header()
	h.Del("RateLimit-Policy")
	h.Del("RateLimit") // it is one client's
	h.Set("Cache-Control", a.cacheControl())
	h.Set("ETag", a.entityTag(h.Get("Content-Type"), b))
	r.Header.Del("Range") // an answer is whole
	if r.Method == http.MethodHead && a.config.CompressFrom > 0 {
		w = unmeasured{w}
	}
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(b, 0, int64(b.len()))) // 304 where the client has it
}

// unmeasured is the answer to a HEAD that does not say how long the one to a GET is, which may be compressed.
type unmeasured struct{ http.ResponseWriter }

func (w unmeasured) WriteHeader(status int) {
	w.Header().Del("Content-Length")
	w.ResponseWriter.WriteHeader(status)
}

// cacheable reports whether any client may be given this answer again: no viewer's own view, or budget, is in it, and
// no error, which may be gone the next time. GET executes nothing but queries.
func cacheable(r *http.Request, status int, response *graphql.Response) bool {
	anonymous := len(r.Header.Values("Authorization")) == 0
	return isSafe(r.Method) && anonymous && status == http.StatusOK && len(response.Errors) == 0 && response.Extensions["budget"] == nil
}

// cacheControl lets every cache keep an answer, and use it for as long as configured (RFC 9111, section 5.2.2).
func (a *API) cacheControl() string {
	if a.config.CacheMaxAge < time.Second {
		return "public, no-cache"
	}
	return fmt.Sprintf("public, max-age=%d", int(a.config.CacheMaxAge.Seconds()))
}

// entityTag returns a strong one, which no two representations of a resource share (RFC 9110, section 8.8.3). Where
// answers are compressed it is weak, for it is that of both codings.
func (a *API) entityTag(mediaType string, b body) string {
	sum := sha256.New()
	sum.Write([]byte(mediaType + "\n"))
	_ = b.writeTo(sum) // it never fails
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:18]) + `"`
	if a.config.CompressFrom > 0 {
		return "W/" + tag
	}
	return tag
}

// compressed compresses answers of at least so many bytes, 0: none, for clients that accept it, as fast as can be.
func compressed(from int, next http.Handler) http.Handler {
	if from <= 0 {
		return next
	}
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(from), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.EnableZstd(false))
	if err != nil {
		panic(err) // the size is above 0, and the level one of gzip's
	}
	return wrap(next)
}

package httpapi

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// compressed compresses what is long enough for clients that accept it, as fast as can be: a
// page of posts becomes a quarter, for about as much time as it took to make it.
func (a *API) compressed(next http.Handler) http.Handler {
	if a.config.CompressFrom <= 0 {
		return next
	}
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(a.config.CompressFrom), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.EnableZstd(false))
	if err != nil {
		panic(err) // the size is above 0, and the level one of gzip's
	}
	return wrap(next)
}

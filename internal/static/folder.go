package static

import (
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
)

// Folder is what a build made of a front end; its folder assets has files named by their content's hash.
type Folder struct{ files fs.FS }

// NewFolder returns the folder of that name.
func NewFolder(files fs.FS, name string) Folder {
	below, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // it is built in
	}
	return Folder{below}
}

// Names returns the paths of all files below the folder, but for the excepted.
func (f Folder) Names(except ...string) []string {
	var names []string
	err := fs.WalkDir(f.files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !slices.Contains(except, path.Base(name)) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		panic(err) // it is built in
	}
	return names
}

// Read returns a file's content, by its path below the folder.
func (f Folder) Read(name string) []byte {
	content, err := fs.ReadFile(f.files, name)
	if err != nil {
		panic(err) // it is built in
	}
	return content
}

// File returns what answers for a file, by its path below the folder.
func (f Folder) File(name string) http.Handler {
	return New(path.Base(name), func() []byte { return f.Read(name) }, Caching(name))
}

// Caching returns what a browser may keep of a file.
func Caching(name string) string {
	if strings.HasPrefix(name, "assets/") && path.Ext(name) != ".md" {
		return KeepForEver
	}
	return AlwaysAsk
}

// Secured gives each answer a content security policy, and keeps browsers from guessing types and sending referrers.
func Secured(policy string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

package embedded_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/storetest"
)

const keptFolder = "testdata/kept"

var keep = flag.String("keep", "", "keep data as this program writes it, under a `name`")

// Directories that releases left behind are opened, answer as they did then, are edited
// and verify; and so do those that a later program has written to, which added columns.
func TestKeptData(t *testing.T) {
	if *keep != "" {
		keepData(t, filepath.Join(keptFolder, *keep))
	}
	files, err := filepath.Glob(filepath.Join(keptFolder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d kept directories: %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".json")
		serves := func(since func(t *testing.T, dir string)) func(*testing.T) {
			return func(t *testing.T) {
				kept, dir := storetest.ReadKept(t, file), t.TempDir()
				if err := unpack(name+".tar.gz", dir); err != nil {
					t.Fatal(err)
				}
				since(t, dir)
				options := blog.Options{Clock: storetest.NewClock(kept.Now.Add(time.Hour))}
				kept.Serves(t, closing(t)(embedded.Open(dir, embedded.Options{Options: options, Log: quiet})))
			}
		}
		t.Run(filepath.Base(name), serves(func(*testing.T, string) {}))
		t.Run(filepath.Base(name)+" with columns of later", serves(embedded.WriteAsNewer))
	}
}

// keepData writes a directory, and beside it what is in it. It is opened twice, so that
// the data stands in a table file.
func keepData(t *testing.T, name string) {
	t.Helper()
	clock, dir := storetest.NewClock(time.Date(2026, time.November, 1, 12, 0, 0, 0, time.UTC)), t.TempDir()
	options := embedded.Options{Options: blog.Options{Clock: clock, IDs: blog.NewIDs(clock, storetest.Random(1))}, Log: quiet}
	store, err := embedded.Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	kept, filled := storetest.FillKept(t.Context(), store, clock)
	err = errors.Join(filled, store.Close(), os.MkdirAll(keptFolder, 0o755))
	if store, opened := embedded.Open(dir, options); opened == nil {
		err = errors.Join(err, store.Close())
	}
	if err = errors.Join(err, pack(dir, name+".tar.gz"), kept.Write(name+".json")); err != nil {
		t.Fatal(err)
	}
}

// pack writes the files of a directory into an archive.
func pack(dir, archive string) error {
	file, err := os.Create(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	compressed, _ := gzip.NewWriterLevel(file, gzip.BestCompression) // fails for a level that is none only
	packed := tar.NewWriter(compressed)
	err = packed.AddFS(os.DirFS(dir))
	return errors.Join(err, packed.Close(), compressed.Close())
}

func unpack(archive, dir string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	compressed, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	for packed := tar.NewReader(compressed); ; {
		header, err := packed.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, filepath.Base(header.Name)), packed); err != nil {
			return err
		}
	}
}

func writeFile(name string, content io.Reader) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

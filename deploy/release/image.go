package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is whom the image runs as: a number without a name anywhere else, as images of this kind have it.
const user = 65532

// writeImage writes an OCI image layout with an image for each binary, and what these have beside it.
func writeImage(directory string, all []built) error {
	root, err := rootfs(all[0].at)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(directory, "rootfs.tar.gz"), root, 0o644); err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range all {
		image, err := imageOf(b, root)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: b.arch}}})
	}
	work, err := os.MkdirTemp("", "broadsheet-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	path, err := layout.Write(work, empty.Index)
	if err != nil {
		return err
	}
	name := map[string]string{ // by which docker load, ctr and podman know it
		"io.containerd.image.name":          "docker.io/library/broadsheet:" + all[0].version,
		"org.opencontainers.image.ref.name": all[0].version,
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(name)); err != nil {
		return err
	}
	packed, err := pack(work, all[0].at)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(directory, "broadsheet-image.tar"), packed, 0o644)
}

// imageOf returns the image of a binary: it alone, beside what rootfs has.
func imageOf(b built, root []byte) (v1.Image, error) {
	content, err := os.ReadFile(b.file)
	if err != nil {
		return nil, err
	}
	binary, err := zipped([]tar.Header{{Name: "broadsheet", Mode: 0o755, ModTime: b.at}}, [][]byte{content})
	if err != nil {
		return nil, err
	}
	image := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	image = mutate.ConfigMediaType(image, types.OCIConfigJSON)
	for _, layer := range [][]byte{root, binary} {
		opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(layer)), nil }
		l, err := tarball.LayerFromOpener(opener, tarball.WithMediaType(types.OCILayer))
		if err != nil {
			return nil, err
		}
		if image, err = mutate.AppendLayers(image, l); err != nil {
			return nil, err
		}
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Created = "linux", b.arch, v1.Time{Time: b.at}
	file.Config = v1.Config{
		User:         fmt.Sprintf("%d:%d", user, user),
		WorkingDir:   "/", // so that the embedded store's default directory is /data
		Entrypoint:   []string{"/broadsheet"},
		Volumes:      map[string]struct{}{"/data": {}},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}, "9090/tcp": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title":    "Broadsheet",
			"org.opencontainers.image.version":  b.version,
			"org.opencontainers.image.revision": b.revision,
			"org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return mutate.ConfigFile(image, file)
}

// rootfs returns what a program needs that is alone in a file system: a name for its user, the authorities
// that sign certificates (Mozilla's list), and a directory that it may write to.
func rootfs(at time.Time) ([]byte, error) {
	var authorities bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil { // which a list of files can't say
			continue
		}
		if err := pem.Encode(&authorities, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	files := []struct {
		tar.Header
		content []byte
	}{
		{tar.Header{Name: "etc/passwd", Mode: 0o644}, fmt.Appendf(nil, "broadsheet:x:%d:%d::/data:/sbin/nologin\n", user, user)},
		{tar.Header{Name: "etc/group", Mode: 0o644}, fmt.Appendf(nil, "broadsheet:x:%d:\n", user)},
		{tar.Header{Name: "etc/ssl/certs/ca-certificates.crt", Mode: 0o644}, authorities.Bytes()},
		{tar.Header{Name: "data/", Typeflag: tar.TypeDir, Mode: 0o750, Uid: user, Gid: user}, nil},
	}
	headers, contents := make([]tar.Header, len(files)), make([][]byte, len(files))
	for i, f := range files {
		headers[i], contents[i] = f.Header, f.content
		headers[i].ModTime = at
	}
	return zipped(headers, contents)
}

// zipped returns a tar archive of files, by gzip.
func zipped(headers []tar.Header, contents [][]byte) ([]byte, error) {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	for i, h := range headers {
		if err := add(archive, h, contents[i]); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func add(archive *tar.Writer, header tar.Header, content []byte) error {
	header.Size = int64(len(content))
	if err := archive.WriteHeader(&header); err != nil {
		return err
	}
	_, err := archive.Write(content)
	return err
}

// pack returns a tar archive of the files in a directory, by their names.
func pack(directory string, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(directory, path)
		if err != nil {
			return err
		}
		return add(archive, tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, ModTime: at}, content)
	})
	if err != nil {
		return nil, err
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

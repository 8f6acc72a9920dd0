package cassandratest

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// Version is the Cassandra that Java launches; jars.txt and pom.xml name the same.
const Version = "5.0.9"

const (
	// cacheEnv names the folder that is used in place of the repository's .cache.
	cacheEnv = "BROADSHEET_CACHE"

	// versionEnv names another Cassandra, for Maven to fetch. Its jars are not pinned.
	versionEnv = "CASSANDRA_VERSION"

	// mavenEnv is the URL of a Maven repository that the jars are fetched from, without Maven.
	mavenEnv = "BROADSHEET_MAVEN_REPOSITORY"

	fetchesAtOnce = 8
	fetchLimit    = 10 * time.Minute // for one jar: the largest has 11 MB
)

// jarList is the server and what it needs at run time: a line for each jar, with its SHA-256 and
// its path in a Maven repository, parted by two spaces.
//
//go:embed jars.txt
var jarList string

// Fetch makes sure that the server's jars are in the cache and returns their
// folder. If they are missing, it fetches them: 100 jars, 66 MB.
func Fetch(ctx context.Context) (dir string, err error) {
	dir, err = jarsDir()
	if err != nil {
		return "", err
	}
	err = fillOnce(dir, func(tmp string) error {
		if repository := os.Getenv(mavenEnv); repository != "" && version() == Version {
			return fetchJars(ctx, repository, jarList, tmp)
		}
		return copyJars(ctx, tmp)
	})
	if err != nil {
		return "", fmt.Errorf("cassandratest: fetch of Cassandra %s: %w", version(), err)
	}
	return dir, nil
}

// jarsDir is where the jars are, or will be.
func jarsDir() (string, error) {
	cache := os.Getenv(cacheEnv)
	if cache == "" {
		root, err := repositoryRoot()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(root, ".cache")
	}
	cache, err := filepath.Abs(cache)
	return filepath.Join(cache, "cassandra", version()), err
}

// version is that of the Cassandra to launch.
func version() string { return cmp.Or(os.Getenv(versionEnv), Version) }

// repositoryRoot is the nearest folder upwards that has the schema: modules within the repository
// share its cache. Tests run in their package's folder, commands mostly in the root.
func repositoryRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "schema.graphqls")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("cassandratest: no schema.graphqls at or above %s: run inside the repository or set %s", start, cacheEnv)
		}
	}
}

// fillOnce makes the folder dir with what fill writes, unless it exists. fill
// works in a temporary sibling which gets its name when it is whole, so that
// an aborted fill leaves no dir. Of two that fill at once, one is kept.
func fillOnce(dir string, fill func(tmp string) error) error {
	if exists(dir) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) // finds nothing once it is renamed
	if err := fill(tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil && !exists(dir) {
		return err
	}
	return nil
}

// exists reports whether there is something at path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

//go:embed pom.xml
var pom []byte

// copyJars has Maven copy the jars of pom.xml, from where its settings say, into dir, and checks
// them against jarList.
func copyJars(ctx context.Context, dir string) error {
	file := filepath.Join(dir, "pom.xml")
	if err := os.WriteFile(file, pom, 0o644); err != nil {
		return err
	}
	defer os.Remove(file)
	mvn := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", file,
		"dependency:copy-dependencies", "-DincludeScope=runtime", "-Dcassandra="+version(), "-DoutputDirectory="+dir)
	if out, err := mvn.CombinedOutput(); err != nil {
		return fmt.Errorf("mvn: %w\n%s", err, lastLines(string(out), 15))
	}
	if version() != Version {
		return nil // Maven compares them with the repository's checksums
	}
	for line := range strings.Lines(jarList) {
		sum, jar, _ := strings.Cut(strings.TrimSpace(line), "  ")
		content, err := os.ReadFile(filepath.Join(dir, path.Base(jar)))
		if err != nil {
			return err
		}
		if got := sha256.Sum256(content); hex.EncodeToString(got[:]) != sum {
			return fmt.Errorf("%s has another checksum than jars.txt", path.Base(jar))
		}
	}
	return nil
}

// fetchable returns nil where the jars are in the cache or can be fetched.
func fetchable() error {
	dir, err := jarsDir()
	if err != nil || exists(dir) || os.Getenv(mavenEnv) != "" {
		return err
	}
	if _, err := exec.LookPath("mvn"); err != nil {
		return fmt.Errorf("no Maven, and no %s with the URL of a Maven repository", mavenEnv)
	}
	return nil
}

// fetchJars fetches the jars of list from a Maven repository into dir.
func fetchJars(ctx context.Context, repository, list, dir string) error {
	client := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone(), Timeout: fetchLimit}
	defer client.CloseIdleConnections()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fetchesAtOnce)
	for line := range strings.Lines(list) {
		sum, jar, _ := strings.Cut(strings.TrimSpace(line), "  ")
		url := strings.TrimSuffix(repository, "/") + "/" + jar
		group.Go(func() error { return fetchJar(ctx, client, url, sum, filepath.Join(dir, path.Base(jar))) })
	}
	return group.Wait()
}

// fetchJar fetches url into file, which has its name once its checksum is the one that is wanted.
func fetchJar(ctx context.Context, client *http.Client, url, sum, file string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	part := file + ".part"
	got, err := save(response.Body, part)
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	if got != sum {
		return fmt.Errorf("%s: its SHA-256 is %s, not %s as jars.txt has it", url, got, sum)
	}
	return os.Rename(part, file)
}

// save writes r to file and returns the SHA-256 of what it wrote.
func save(r io.Reader, file string) (sum string, err error) {
	f, err := os.Create(file)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, hash), r)
	return hex.EncodeToString(hash.Sum(nil)), errors.Join(err, f.Close())
}

// lastLines returns the last n lines of text, long ones cut short.
func lastLines(text string, n int) string {
	const longest = 300 // bytes; Cassandra logs its configuration as one line
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, line := range lines {
		if len(line) > longest {
			lines[i] = line[:longest] + "…"
		}
	}
	return strings.Join(lines, "\n")
}

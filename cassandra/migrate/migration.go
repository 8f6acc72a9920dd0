package migrate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/schema"
)

// Migration is one step of the schema's history. Version 0 is the keyspace itself,
// with the table that records the other steps.
//
// A program is known by the last migration that it has. It runs on a schema that lacks
// none of its own, and of which each later one says in its file that it serves it:
//
//	-- serves: 21
//
// A step that only adds what older programs need not know serves those that the step
// before it served; one that takes away or changes serves from the first program on that
// does without. A step that says nothing serves no older program.
type Migration struct {
	Version   int
	Name      string
	CQL       string // empty where Newer
	Serves    int    // the oldest program that runs on the schema with this step
	Applied   bool
	AppliedAt time.Time // zero unless Applied
	Newer     bool      // this program does not know the step, and runs on it
	Unbuilt   bool      // the table that the step brought lacks rows
	Phase     string    // of the table that it brought, where that replaces another: package move
}

var servesLine = regexp.MustCompile(`(?m)^-- serves: (\d+)$`)

// declared returns what a step's file says that it serves.
func declared(version int, text string) int {
	found := servesLine.FindStringSubmatch(text)
	if found == nil {
		return version
	}
	serves, err := strconv.Atoi(found[1])
	if err != nil || serves < 1 || serves > version {
		panic(fmt.Sprintf("migrate: migration %d can't serve %s", version, found[1]))
	}
	return serves
}

// Serves returns the oldest and the newest program that run on a schema as it is now; false: none does.
func Serves(all []Migration) (oldest, newest int, some bool) {
	for i, m := range all {
		if m.Version > 0 && m.Applied {
			oldest = max(oldest, m.Serves)
		}
		if m.Applied && newest == i-1 || m.Version == 0 {
			newest = m.Version
		}
	}
	return oldest, newest, 0 < oldest && oldest <= newest
}

// migrations returns all steps above 0, in order.
func migrations() []Migration {
	paths, err := fs.Glob(schema.Files, "*.cql")
	if err != nil {
		panic(err)
	}
	all := make([]Migration, len(paths))
	for i, path := range paths {
		text, err := schema.Files.ReadFile(path)
		if err != nil {
			panic(err)
		}
		number, name, _ := strings.Cut(strings.TrimSuffix(path, ".cql"), "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 {
			panic(fmt.Sprintf("migrate: %s should be number %d", path, i+1))
		}
		all[i] = Migration{Version: version, Name: name, CQL: string(text), Serves: declared(version, string(text))}
	}
	return all
}

// Known returns the last migration that this program knows.
func Known() int { return len(migrations()) }

// checksum identifies what a migration does, whatever its comments and spaces.
func (m Migration) checksum() string {
	var words []string
	for _, statement := range statements(m.CQL) {
		words = append(words, strings.Fields(statement+" ;")...)
	}
	sum := sha256.Sum256([]byte(strings.Join(words, " ")))
	return hex.EncodeToString(sum[:])
}

var comment = regexp.MustCompile(`--.*`)

// statements splits a script at its semicolons and leaves the comments out. No text in quotes has either.
func statements(script string) (all []string) {
	for text := range strings.SplitSeq(comment.ReplaceAllString(script, ""), ";") {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// appliedMigration is a row of the record.
type appliedMigration struct {
	name     string
	checksum string
	at       time.Time
	serves   *int // nil: nothing is said
}

// reconcile marks what the record says was applied, and adds the newer steps on which
// this program runs. Invalid: the record is not one of this program's.
func reconcile(all []Migration, applied map[int]appliedMigration) ([]Migration, error) {
	all = slices.Clone(all)
	for i, m := range all {
		row, ok := applied[m.Version]
		if !ok {
			continue
		}
		if row.checksum != m.checksum() {
			return nil, blog.Errorf(blog.Invalid, "the schema's migration %d was applied as %s with another text than this program's %s: a released migration can't be changed, only followed by a new one", m.Version, row.name, m.Name)
		}
		all[i].Applied, all[i].AppliedAt = true, row.at
		if row.serves != nil {
			all[i].Serves = max(m.Serves, *row.serves) // it was raised: Retire
		}
	}
	known := len(all)
	for _, version := range slices.Sorted(maps.Keys(applied)) {
		if version <= known {
			continue
		}
		row := applied[version]
		step := Migration{Version: version, Name: row.name, Serves: version, Applied: true, AppliedAt: row.at, Newer: true}
		if row.serves != nil {
			step.Serves = *row.serves
		}
		if step.Serves > known {
			return nil, blog.Errorf(blog.Invalid, "the schema has migration %d (%s), which serves programs that know migration %d or later, and this one knows %d: run a newer broadsheet", version, row.name, step.Serves, known)
		}
		all = append(all, step)
	}
	return all, nil
}

// newer returns the steps that only a newer program knows.
func newer(all []Migration) []Migration {
	return slices.DeleteFunc(slices.Clone(all), func(m Migration) bool { return !m.Newer })
}

// pending returns those that are not applied.
func pending(all []Migration) []Migration {
	return slices.DeleteFunc(slices.Clone(all), func(m Migration) bool { return m.Applied })
}

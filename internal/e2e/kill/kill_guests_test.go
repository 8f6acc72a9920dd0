package kill

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/embedded"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/relay"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// guest is an account that a writer brings along: it is given every command, its owner's and an operator's,
// until it is erased. It may be suspended or gone meanwhile, so what is refused is no fault.
type guest struct {
	subject, name string // as far as is known
	id            string // "" where no answer said so
	post          string // its own; "" where no answer said so
	posts         []string
	comments      []string
	texts         []string // all that it may have had, and what it wrote
	erased        bool     // this was acknowledged
}

// host gives a command of the writer's guest. It reports false where there was no answer.
func (w *killWriter) host(p *harness.Process) bool {
	if len(w.guests) == 0 || w.guests[len(w.guests)-1].erased {
		name := fmt.Sprintf("guest_%d_of_%s", w.n, w.name)
		g := &guest{subject: "subject_of_" + name, name: name, texts: []string{name}} // which its subject and its address have in them
		w.guests = append(w.guests, g)
		var ok bool
		g.id, ok = w.ask(p, g, `createUser(input: {username: "`+name+`", email: "`+name+`@example.org", bio: "The bio of `+name+`"}) { user { id } }`)
		return ok
	}
	g, text := w.guests[len(w.guests)-1], fmt.Sprintf("guest's %d of %s", w.n, w.name)
	g.texts = append(g.texts, text)
	switch draw := w.random.IntN(12); {
	case draw < 3 || g.post == "":
		post, ok := w.ask(p, g, `createPost(input: {title: "T", content: "`+text+`"}) { post { id } }`)
		if g.post = post; post != "" {
			g.posts = append(g.posts, post)
		}
		return ok
	case draw < 5:
		comment, ok := w.ask(p, g, `createComment(input: {postId: "`+w.anyPost()+`", content: "`+text+`"}) { comment { id } }`)
		if comment != "" {
			g.comments = append(g.comments, comment)
		}
		return ok
	case draw < 7:
		_, ok := w.ask(p, g, `likePost(input: {postId: "`+w.anyPost()+`"}) { post { id } }`)
		return ok
	case draw < 8:
		_, ok := w.ask(p, g, `updateUser(input: {bio: "`+text+`"}) { user { id } }`)
		return ok
	case draw < 9:
		_, ok := w.ask(p, g, `deletePost(input: {id: "`+g.post+`"}) { deletedId }`)
		g.post = ""
		return ok
	case draw < 11:
		name := fmt.Sprintf("guest_%d_of_%s", w.n, w.name)
		g.texts = append(g.texts, name)
		taken, ok := w.ask(p, g, `updateUser(input: {username: "`+name+`"}) { user { username } }`)
		g.name = cmp.Or(taken, g.name)
		return ok
	}
	deleted, ok := w.ask(p, g, `deleteAccount(input: {username: "`+g.name+`"}) { deletedId }`)
	g.erased = deleted != ""
	return ok
}

// ask gives a command of a guest, and returns what was answered; "" where it was refused. It reports false where there
// was no answer.
func (w *killWriter) ask(p *harness.Process, g *guest, command string) (found string, ok bool) {
	body, err := json.Marshal(map[string]string{"query": "mutation { " + command + " }"})
	if err != nil {
		w.t.Error(err)
	}
	a, err := p.Try(http.MethodPost, "/graphql", strings.NewReader(string(body)), map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + g.subject})
	if w.silent(err) {
		return "", false // killed
	}
	if a.Code() == "INTERNAL_SERVER_ERROR" || strings.Contains(a.Text, "BAD_USER_INPUT") || a.Status != http.StatusOK {
		w.t.Errorf("%s: %d %s", command, a.Status, a.Text)
	}
	if match := answered.FindStringSubmatch(a.Text); match != nil {
		found = match[1]
	}
	return found, true
}

// answered is the one text that a guest's command asks for.
var answered = regexp.MustCompile(`"(?:id|username|deletedId)": ?"([^"]*)"`)

// operate gives some guests a command of an operator each, when a server was killed: what that one
// has left is met by it.
func (k *killing) operate() {
	k.t.Helper()
	for _, w := range k.writers {
		if len(w.guests) == 0 || w.random.IntN(3) > 0 {
			continue
		}
		g := w.guests[len(w.guests)-1]
		if g.id == "" || g.erased {
			continue
		}
		subject := fmt.Sprintf("another_subject_%d_of_%s", w.n, g.name)
		given := [][]string{{"suspend"}, {"restore"}, {"restore"}, {"promote"}, {"demote"}, {"verify-email"}, {"unverify-email"}, {"relink", "--to-subject", subject}, {"erase"}}[w.random.IntN(9)]
		args := append(append([]string{"user", given[0], "--id", g.id}, given[1:]...), k.args...)
		code, out, log := harness.Command(k.t, args...)
		k.operated++
		switch {
		case code == 0 && given[0] == "relink":
			g.subject, g.texts = subject, append(g.texts, subject)
		case code == 0 && given[0] == "erase":
			g.erased = true
		case code != 0 && code != 1 || strings.Contains(log, "panic"):
			k.t.Errorf("%v: %d %s%s", args, code, out, log)
		}
	}
}

// ahead is the machine's clock, so much later.
type ahead time.Duration

func (a ahead) Now() time.Time { return time.Now().Add(time.Duration(a)) }

// judgeEmbedded judges what a directory holds that no process uses any more.
func (k *killing) judgeEmbedded(dir string) {
	k.t.Helper()
	store, err := embedded.Open(dir, embedded.Options{})
	if err != nil {
		k.t.Fatal(err)
	}
	defer store.Close()
	k.judge(store, nil)
}

// judgeCassandra judges what a keyspace holds that no server uses any more, once what all have left is finished.
func (k *killing) judgeCassandra(c cassandra.Config) {
	k.t.Helper()
	var store *cassandra.Store
	for later := time.Hour; later < 6*time.Hour; later += 2 * time.Hour {
		store = testkeyspace.Open(k.t, c, blog.Options{Clock: ahead(later)})
		harness.Eventually(k.t, "what was left is recovered", func() bool {
			return errors.Join(store.Recover(k.t.Context()), store.Settle(k.t.Context())) == nil
		})
	}
	k.judge(store, testkeyspace.EveryText(k.t, c))
}

// judge compares the feed with all that was acknowledged, and what is stored with the guests that are gone.
func (k *killing) judge(store blog.Store, stored map[blog.Table]string) {
	k.t.Helper()
	var made storetest.Made
	ends := 0
	for _, w := range k.writers {
		for _, post := range w.posts {
			made.Posts = append(made.Posts, decoded[blog.PostID](k.t, post.id))
		}
		for _, comment := range w.comments {
			made.Comments = append(made.Comments, decoded[blog.CommentKey](k.t, comment.id))
		}
		for _, g := range w.guests {
			stands := slices.ContainsFunc(g.texts, func(text string) bool {
				_, err := store.UserByUsername(k.t.Context(), text)
				return err == nil
			})
			if stands && g.erased {
				k.t.Errorf("%s was erased, and is found", g.name)
			}
			if g.id != "" {
				made.Users = append(made.Users, decoded[blog.UserID](k.t, g.id))
			}
			for _, post := range g.posts {
				made.Posts = append(made.Posts, decoded[blog.PostID](k.t, post))
			}
			for _, comment := range g.comments {
				made.Comments = append(made.Comments, decoded[blog.CommentKey](k.t, comment))
			}
			if !stands {
				ends++
				storetest.WantNowhere(k.t, stored, g.texts...)
			}
		}
	}
	storetest.ReadFeed(k.t, store).Judge(k.t, store, made)
	k.t.Logf("%d accounts are erased, by %d operators' commands and their owners'", ends, k.operated)
}

func decoded[K relay.Key](t *testing.T, id string) K {
	t.Helper()
	key, err := relay.DecodeID[K](id)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

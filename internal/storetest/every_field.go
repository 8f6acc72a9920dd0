package storetest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/productmap"
)

// A table that lists a type holds each field of it: a copy that was forgotten in one of
// them would be a wrong answer without an error. So a field that is added to User, Post,
// Comment, Group or Reaction fails these until the data here sets it, and until every query that
// returns the type has it or apart says who reads it instead.
var everyField = []leaf{
	{"each field of a user is wherever users are read", func(f *fixture) { f.fieldsOf(reflect.TypeFor[blog.User]()) }},
	{"each field of a post is wherever posts are read", func(f *fixture) { f.fieldsOf(reflect.TypeFor[blog.Post]()) }},
	{"each field of a comment is wherever comments are read", func(f *fixture) { f.fieldsOf(reflect.TypeFor[blog.Comment]()) }},
	{"each field of a group is wherever groups are read", func(f *fixture) { f.fieldsOf(reflect.TypeFor[blog.Group]()) }},
	{"each field of a reaction is wherever reactions are read", func(f *fixture) { f.fieldsOf(reflect.TypeFor[blog.Reaction]()) }},
}

// apart are the fields that a query leaves out, and why that is no wrong answer.
var apart = func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, d := range productmap.Lists {
		if d.About == blog.AboutPost {
			all[d.Method] = listedPost
		}

	}
	all[blog.GroupsByOwner.Declaration().Method] = map[string]string{"Stamp": "is not shown"}
	for _, k := range blog.ReactionKinds {
		for _, own := range []blog.Table{k.ByUser, k.ByUserAndTime} {
			all[own.Declaration().Method] = map[string]string{"User.Username": "it is asked by the user himself", "User.DisplayName.Text": "so is this", "User.DisplayName.Known": "and this"}
		}
	}
	return all
}()

var listedPost = map[string]string{
	"Content": "is large: the resolvers load it by PostByID where it is asked for",
	"Stamp":   "is not shown",
}

// unshown are fields that no client sees, and that stores have for themselves: of an account whose erasure
// has begun, no query answers.
var unshown = append([]string{"Feed.Bucket", "Feed.Shard", "Comments.Stamp", "Bookmarks.N", "ErasedAt", "Members.N"}, ofKinds(func(k *blog.ReactionKind) string {
	return strings.ToUpper(k.Them[:1]) + k.Them[1:] + ".Stamp"
})...)

// readers are the queries, each with how it reads the one object of the fixture.
func (w world) readers() map[string]func(f *fixture) any {
	readers := map[string]func(f *fixture) any{
		"UserByID":       func(f *fixture) any { return f.userByID(w.user.ID) },
		"UserByUsername": func(f *fixture) any { return f.userByUsername(w.user.Username) },
		"UserByEmail":    func(f *fixture) any { return one[blog.User](f)(f.store.UserByEmail(f.ctx, *w.user.Email)) },
		"UserBySubject":  func(f *fixture) any { return one[blog.User](f)(f.store.UserBySubject(f.ctx, w.user.Subject)) },
		"PostByID":       func(f *fixture) any { return f.postByID(w.post.ID) },
		"Feed":           func(f *fixture) any { return f.feed()[0] },
		"CommentByKey":   func(f *fixture) any { return f.commentByKey(w.comment.Key()) },
		"GroupByID":      func(f *fixture) any { return f.group(w.group.ID) },
		"GroupsByOwner":  func(f *fixture) any { return f.groupsOf(w.user)[0] },
	}
	for _, k := range blog.ReactionKinds {
		readers[k.ByUser.Declaration().Method] = func(f *fixture) any {
			return one[map[blog.UUID]blog.Reaction](f)(k.Some(f.ctx, f.store, w.user.ID, []blog.UUID{f.standIn(k.Parent, w.post.ID)}))[f.standIn(k.Parent, w.post.ID)]
		}
	}
	for _, l := range everyList {
		readers[l.declaration().Method] = func(f *fixture) any { return l.first(f, owner{w.user.ID, w.post.ID}) }
	}
	return readers
}

func one[T any](f *fixture) func(T, error) T {
	return func(value T, err error) T {
		f.Helper()
		f.ok(err, "read")
		return value
	}
}

// world is one object of each type, edited, so that no field is what it was made as.
type world struct {
	user    blog.User
	post    blog.Post
	comment blog.Comment
	group   blog.Group
	stand   *standIn                             // for the post
	given   map[*blog.ReactionKind]blog.Reaction // at one time
}

func (f *fixture) world() (w world) {
	f.Helper()
	c := f.newUser()
	SetTexts(&c)
	c.ProvedEmail, c.IdempotencyKey = f.name()+"@example.org", nil
	c.Email = ptr(c.ProvedEmail)
	w.user = f.createUser(c)
	f.took(c, w.user)
	edit := blog.UpdateUser{Actor: w.user.ID, ProvedEmail: f.name() + "@example.org"}
	SetTexts(&edit)
	edit.Username, edit.Email = blog.SetTo(f.name()), blog.SetTo(edit.ProvedEmail)
	w.user = f.updateUser(edit)
	f.took(edit, w.user)
	w.stand = &standIn{user: f.user()}
	w.stand.group = f.createGroup(blog.CreateGroup{Owner: w.stand.user.ID, Name: f.name(), Title: "A group"})
	f.join(w.user, w.stand.group)
	post := blog.CreatePost{Author: w.user.ID, Title: "A title", Content: "Some content."}
	SetTexts(&post)
	post.IdempotencyKey, post.Group = nil, w.stand.group.ID
	w.post = f.createPost(post)
	f.standIns.Store(w.post.ID, w.stand)
	f.took(post, w.post)
	change := blog.UpdatePost{Actor: w.user.ID, Post: w.post.ID}
	SetTexts(&change)
	w.post = f.updatePost(change)
	f.took(change, w.post)
	w.comment, _ = f.createComment(blog.CreateComment{Author: w.user.ID, Post: w.post.ID, Content: "A reply.", Parent: f.comment(w.user, w.post).Key()})
	w.comment = f.updateComment(blog.UpdateComment{Actor: w.user.ID, Key: w.comment.Key(), Content: "Another comment."})
	group := blog.CreateGroup{Owner: w.user.ID}
	SetTexts(&group)
	group.Name, group.Title, group.IdempotencyKey = f.name(), "A title", nil
	w.group = f.createGroup(group)
	f.took(group, w.group)
	regroup := blog.UpdateGroup{Actor: w.user.ID, Group: w.group.ID}
	SetTexts(&regroup)
	regroup.Moderators = blog.SetModerators([]blog.UserID{w.stand.user.ID})
	regroup.Title = blog.SetTo("What the group is called")
	w.group = f.updateGroup(regroup)
	f.took(regroup, w.group)
	w.given = map[*blog.ReactionKind]blog.Reaction{}
	for _, f.kind = range blog.ReactionKinds {
		var err error
		w.given[f.kind], _, err = f.give(w.user, w.post)
		f.ok(err, "react")
	}
	f.settle()
	w.post = f.postByID(w.post.ID) // with its counts
	w.user = f.setModerator(w.user, true)
	w.user = f.suspend(w.user)
	return w
}

// SetTexts sets each text that a command may have, and edits each that it may edit.
func SetTexts(c any) {
	for field, at := range reflect.ValueOf(c).Elem().Fields() {
		switch text := at.Addr().Interface().(type) {
		case **string:
			*text = ptr("A " + field.Name)
		case *blog.Edit:
			*text = blog.SetTo("Another " + field.Name)
		}
	}
}

// took checks that what a command made or edited has each text of the command.
func (f *fixture) took(command, made any) {
	f.Helper()
	has := reflect.ValueOf(made)
	for field, at := range reflect.ValueOf(command).Fields() {
		text := at.Interface()
		if edit, edits := text.(blog.Edit); edits {
			text = edit.Value
		}
		want, optional := text.(*string)
		if !optional || want == nil {
			continue
		}
		if is := reflect.Indirect(has.FieldByName(field.Name)); !is.IsValid() || is.String() != *want {
			f.Errorf("%T leaves %T.%s as it was: have blog/edits.go take it over", command, made, field.Name)
		}
	}
}

func (w world) truth(kind reflect.Type, of *blog.ReactionKind) any {
	for _, truth := range []any{w.user, w.post, w.comment, w.group, w.given[of]} {
		if reflect.TypeOf(truth) == kind {
			return truth
		}
	}
	return nil
}

// fieldsOf compares each field of the type as every query has it with the truth.
func (f *fixture) fieldsOf(of reflect.Type) {
	f.Helper()
	w := f.world()
	truth := fields(reflect.ValueOf(w.truth(of, blog.Likes)))
	followed := fields(reflect.ValueOf(w.truth(of, blog.Follows)))
	joined := fields(reflect.ValueOf(w.truth(of, blog.Members)))
	for _, name := range slices.Sorted(maps.Keys(truth)) {
		if truth[name].IsZero() && followed[name].IsZero() && joined[name].IsZero() && !slices.Contains(unshown, name) {
			f.Errorf("%v.%s is new: have world() in every_field.go set it, what makes it take it over (blog/edits.go), and its truth declare it (blog/declarations.go)", of, name)
		}
	}
	readers := w.readers()
	for m := range reflect.TypeFor[blog.Queries]().Methods() {
		if !returns(m.Type, of) {
			continue
		}
		read := readers[m.Name]
		if read == nil {
			f.Errorf("no reader asks %s, which returns a %v: give it a line in every_field.go", m.Name, of)
			continue
		}
		want := truth
		switch answeredBy(m.Name).Reaction() {
		case blog.Follows:
			want = followed
		case blog.Members:
			want = joined
		}
		f.sameFields(of, m.Name, fields(reflect.ValueOf(read(f))), want)
	}
}

// answeredBy returns the table that answers a query.
func answeredBy(method string) (table blog.Table) {
	for _, d := range blog.Declarations {
		if d.Method == method {
			table = d.Table
		}
	}
	return table
}

func (f *fixture) sameFields(of reflect.Type, query string, got, truth map[string]reflect.Value) {
	f.Helper()
	for _, name := range slices.Sorted(maps.Keys(truth)) {
		reason, left := apart[query][name]
		same := sameField(got[name], truth[name])
		switch {
		case slices.Contains(unshown, name):
		case left && got[name].IsZero(), same && !left:
		case left && !same:
			f.Errorf("%s has another %v.%s than the truth, and should leave it out: it %s", query, of, name, reason)
		case !left:
			f.Errorf("%s has %v for %v.%s, the truth has %v: let its table hold it, or say in apart who reads it instead",
				query, got[name], of, name, truth[name])
		}
	}
}

// fields returns what a value is made of, each part by the path to it.
func fields(v reflect.Value) map[string]reflect.Value {
	found := map[string]reflect.Value{}
	var walk func(path []string, v reflect.Value)
	walk = func(path []string, v reflect.Value) {
		if !plainStruct(v.Type()) {
			found[strings.Join(path, ".")] = v
			return
		}
		for f, field := range v.Fields() {
			walk(append(slices.Clone(path), f.Name), field)
		}
	}
	walk(nil, v)
	return found
}

// plainStruct reports whether a type's parts are fields of their own; ids and times are
// whole.
func plainStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]() && !t.Implements(reflect.TypeFor[fmt.Stringer]())
}

func sameField(a, b reflect.Value) bool {
	if at, ok := a.Interface().(time.Time); ok {
		return at.Equal(b.Interface().(time.Time))
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// returns reports whether a method's results hold a type.
func returns(method, of reflect.Type) bool {
	for result := range method.Outs() {
		if holds(result, of) {
			return true
		}
	}
	return false
}

func holds(t, of reflect.Type) bool {
	switch {
	case t == of:
		return true
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Map, t.Kind() == reflect.Pointer:
		return holds(t.Elem(), of)
	case plainStruct(t):
		for f := range t.Fields() {
			if holds(f.Type, of) {
				return true
			}
		}
	}
	return false
}

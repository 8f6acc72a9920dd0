package identity_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"broadsheet/blog"
	"broadsheet/internal/identity"
	"broadsheet/internal/relay"
)

// What each mutation tells someone who is not the author of what it names: another
// user, a subject without an account, nobody.
var mutations = map[string]struct{ input, other, newcomer string }{
	"createUser":    {`username: "mallory"`, "TAKEN", ""}, // a subject has one account
	"updateUser":    {`bio: "mine now"`, "", "FORBIDDEN"}, // changes oneself
	"createPost":    {`title: "T", content: "C"`, "", "FORBIDDEN"},
	"updatePost":    {`id: "POST", title: "mine now"`, "FORBIDDEN", "FORBIDDEN"},
	"deletePost":    {`id: "POST"`, "FORBIDDEN", "FORBIDDEN"},
	"createComment": {`postId: "POST", content: "C"`, "", "FORBIDDEN"},
	"updateComment": {`id: "COMMENT", content: "mine now"`, "FORBIDDEN", "FORBIDDEN"},
	"deleteComment": {`id: "COMMENT"`, "FORBIDDEN", "FORBIDDEN"},
	"createGroup":   {`name: "everybodys", title: "T", idempotencyKey: "k"`, "", "FORBIDDEN"},
	"updateGroup":   {`id: "GROUP", title: "mine now"`, "FORBIDDEN", "FORBIDDEN"},
	"deleteGroup":   {`id: "GROUP"`, "FORBIDDEN", "FORBIDDEN"},
	"suspendUser":   {`id: "USER"`, "FORBIDDEN", "FORBIDDEN"},
	"restoreUser":   {`id: "USER"`, "FORBIDDEN", "FORBIDDEN"},
	"deleteAccount": {`username: "alice"`, "INVALID", "FORBIDDEN"}, // repeats another's name
}

func init() {
	for _, k := range blog.ReactionKinds {
		for _, name := range []string{k.GivenBy(), k.TakenBackBy()} {
			input := fmt.Sprintf("%sId: %q", k.Parent.Noun, strings.ToUpper(k.Parent.Noun))
			mutations[name] = struct{ input, other, newcomer string }{input, "", "FORBIDDEN"}
		}
	}
}

// everything is alice's, as it must stay; her post's counts aside, which are everybody's.
const everything = `{
	user(username: "alice") {displayName bio version posts {edges {node {title version viewerHasLiked}}} comments {edges {node {content version}}} ownGroups {title version}}
}`

func TestOnlyAuthorsWrite(t *testing.T) {
	t.Parallel()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL}).ready(t)
	token := func(subject string) string { return signed(t, ecKey, jose.ES256, "ec", claims("sub", subject)) }
	alice, bob := token("alice"), token("bob")
	user := s.mutate(t, alice, "createUser", `username: "alice", bio: "hers"`, "user {id}").ids[0]
	s.mutate(t, bob, "createUser", `username: "bob"`)
	post := s.mutate(t, alice, "createPost", `title: "hers", content: "hers"`, "post {id}").ids[0]
	comment := s.mutate(t, alice, "createComment", `postId: "`+post+`", content: "hers"`, "comment {id}").ids[0]
	s.mutate(t, alice, "likePost", `postId: "`+post+`"`)
	group := s.mutate(t, alice, "createGroup", `name: "hers", title: "hers"`, "group {id}").ids[0]
	before := s.as(alice, everything).text

	var schema struct {
		Data struct {
			Schema struct {
				MutationType struct{ Fields []struct{ Name string } }
			} `json:"__schema"`
		}
	}
	if err := json.Unmarshal([]byte(s.as("", `{__schema {mutationType {fields {name}}}}`).text), &schema); err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, field := range schema.Data.Schema.MutationType.Fields {
		names = append(names, field.Name)
	}
	if slices.Sort(names); !slices.Equal(names, slices.Sorted(maps.Keys(mutations))) {
		t.Fatalf("the schema has the mutations %v, not those of this test", names)
	}
	for _, name := range names {
		m := mutations[name]
		input := strings.NewReplacer("POST", post, "COMMENT", comment, "USER", user, "GROUP", group).Replace(m.input)
		t.Run(name, func(t *testing.T) {
			if got := s.mutate(t, bob, name, input); got.code != m.other {
				t.Errorf("another user is told %q, not %q", got.code, m.other)
			}
			if m.newcomer != "" {
				got := s.mutate(t, token("carol"), name, input)
				if got.code != m.newcomer || !strings.Contains(got.message, "createUser") {
					t.Errorf("a subject without an account is told %q: %s", got.code, got.message)
				}
			}
			s.as("", `mutation {`+name+`(input: {`+input+`}) {userErrors {code}}}`).want(t, 200, "UNAUTHENTICATED", "this needs a token")
			s.as(bob+"x", `mutation {`+name+`(input: {`+input+`}) {userErrors {code}}}`).want(t, 401, "UNAUTHENTICATED", "")
			if after := s.as(alice, everything).text; after != before {
				t.Errorf("what is alice's has changed:\n%s\n%s", before, after)
			}
		})
	}
}

var groups atomic.Int64 // that were made

// about returns an input about what a user has just made.
func (s server) about(t *testing.T, token, user, input string) string {
	t.Helper()
	post := s.mutate(t, token, "createPost", `title: "hers", content: "hers"`, "post {id}").ids[0]
	comment := s.mutate(t, token, "createComment", `postId: "`+post+`", content: "hers"`, "comment {id}").ids[0]
	group := ""
	if strings.Contains(input, "GROUP") { // of which it may make some
		group = s.mutate(t, token, "createGroup", fmt.Sprintf(`name: "hers%d", title: "hers"`, groups.Add(1)), "group {id}").ids[0]
	}
	return strings.NewReplacer("POST", post, "COMMENT", comment, "USER", user, "GROUP", group).Replace(input)
}

// A moderator deletes what others wrote, and suspends and restores their accounts; it edits nothing of
// theirs. The role is that of the token, not of the subject.
func TestModerators(t *testing.T) {
	t.Parallel()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL, Moderator: "roles=moderator"}).ready(t)
	token := func(subject string, more ...any) string {
		return signed(t, ecKey, jose.ES256, "ec", claims(append([]any{"sub", subject}, more...)...))
	}
	alice := token("alice")
	moderator, member := token("mod", "roles", []string{"editor", "moderator"}), token("mod", "roles", []string{"editor"})
	user := s.mutate(t, alice, "createUser", `username: "alice"`, "user {id}").ids[0]
	own := s.mutate(t, moderator, "createUser", `username: "mod"`, "user {id}").ids[0]
	for name, m := range mutations {
		input, want := s.about(t, alice, user, m.input), m.other
		if got := s.mutate(t, member, name, input); got.code != want {
			t.Errorf("%s: the subject with another token is told %q, not %q", name, got.code, want)
		}
		if slices.Contains(moderatorsOwn, name) {
			want = ""
		}
		if got := s.mutate(t, moderator, name, input); got.code != want {
			t.Errorf("%s: a moderator is told %q: %s", name, got.code, got.message)
		}
		s.mutate(t, moderator, "restoreUser", `id: "`+user+`"`)
	}
	for _, name := range []string{"suspendUser", "restoreUser"} {
		if got := s.mutate(t, moderator, name, `id: "`+own+`"`); got.code != "INVALID" {
			t.Errorf("%s of itself: %q", name, got.code)
		}
	}
}

// A claim without a value makes a moderator where it is true, and by no word of a text.
func TestAModeratorsClaimIsTrue(t *testing.T) {
	t.Parallel()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL, Moderator: "mod"}).ready(t)
	user := s.mutate(t, signed(t, ecKey, jose.ES256, "ec", claims("sub", "alice")), "createUser", `username: "alice"`, "user {id}").ids[0]
	for i, c := range []struct {
		claim any
		code  string
	}{{true, ""}, {"true", ""}, {"not true", "FORBIDDEN"}, {"TRUE", "FORBIDDEN"}, {1, "FORBIDDEN"}, {[]any{true}, "FORBIDDEN"}, {false, "FORBIDDEN"}, {nil, "FORBIDDEN"}} {
		token := signed(t, ecKey, jose.ES256, "ec", claims("sub", fmt.Sprint("mod_", i), "mod", c.claim))
		s.mutate(t, token, "createUser", fmt.Sprintf(`username: "mod_%d"`, i))
		if got := s.mutate(t, token, "restoreUser", `id: "`+user+`"`); got.code != c.code {
			t.Errorf("%T %v: told %q, want %q", c.claim, c.claim, got.code, c.code)
		}
	}
}

// moderatorsOwn are the mutations of which moderators may more than others.
var moderatorsOwn = []string{"deletePost", "deleteGroup", "deleteComment", "suspendUser", "restoreUser"}

// An account that an operator promoted is a moderator by every token of its subject, and on every server;
// once it is demoted, it is none by any, on servers too that have just seen it moderate. While it is suspended it does nothing.
func TestPromotedAccountsModerate(t *testing.T) {
	t.Parallel()
	jwt := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL}).ready(t)
	dev := jwt.besideDev(t)
	token := func(subject string) string { return signed(t, ecKey, jose.ES256, "ec", claims("sub", subject)) }
	user := jwt.mutate(t, token("alice"), "createUser", `username: "alice"`, "user {id}").ids[0]
	own := jwt.mutate(t, token("mod"), "createUser", `username: "mod"`, "user {id}").ids[0]
	account := must(jwt.store.UserByUsername(t.Context(), "mod")).ID
	tries := func(state string, s server, token string, want func(name, other string) string) {
		t.Helper()
		for name, m := range mutations {
			input := dev.about(t, "alice", user, m.input)
			if got := s.mutate(t, token, name, input); got.code != want(name, m.other) {
				t.Errorf("%s, %s: told %q: %s", state, name, got.code, got.message)
			}
			_ = must(jwt.store.RestoreUser(t.Context(), blog.RestoreUser{Role: blog.Operator, User: must(relay.DecodeID[blog.UserID](user))}))
		}
	}
	asMember := func(_, other string) string { return other }
	asModerator := func(name, other string) string {
		if slices.Contains(moderatorsOwn, name) {
			return ""
		}
		return other
	}
	asSuspended := func(name, _ string) string {
		if name == "createUser" {
			return "TAKEN"
		}
		return "SUSPENDED"
	}
	everywhere := func(state string, want func(name, other string) string) {
		t.Helper()
		tries(state+", with a JSON Web Token", jwt, token("mod"), want)
		tries(state+", with a development token", dev, "mod", want)
	}
	setModerator := func(moderator bool) {
		_ = must(jwt.store.SetModerator(t.Context(), blog.SetModerator{User: account, Moderator: moderator}))
	}
	everywhere("before", asMember)
	setModerator(true)
	everywhere("promoted", asModerator)
	for _, name := range []string{"suspendUser", "restoreUser"} {
		if got := dev.mutate(t, "mod", name, `id: "`+own+`"`); got.code != "INVALID" {
			t.Errorf("%s of itself: %q", name, got.code)
		}
	}
	_ = must(jwt.store.SuspendUser(t.Context(), blog.SuspendUser{Role: blog.Operator, User: account}))
	everywhere("suspended", asSuspended)
	_ = must(jwt.store.RestoreUser(t.Context(), blog.RestoreUser{Role: blog.Operator, User: account}))
	everywhere("restored", asModerator)
	setModerator(false)
	everywhere("demoted", asMember)
}

// Each mutation of an account that is suspended is refused, and changes nothing; but createUser, which its
// subject did before. The account reads as before.
func TestSuspendedAccountsWriteNothing(t *testing.T) {
	t.Parallel()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL, Moderator: "moderator"}).ready(t)
	alice := signed(t, ecKey, jose.ES256, "ec", claims("moderator", true)) // a moderator, too
	moderator := signed(t, ecKey, jose.ES256, "ec", claims("sub", "mod", "moderator", true))
	user := s.mutate(t, alice, "createUser", `username: "alice"`, "user {id}").ids[0]
	mod := s.mutate(t, moderator, "createUser", `username: "mod"`, "user {id}").ids[0]
	post := s.mutate(t, alice, "createPost", `title: "hers", content: "hers"`, "post {id}").ids[0]
	comment := s.mutate(t, alice, "createComment", `postId: "`+post+`", content: "hers"`, "comment {id}").ids[0]
	group := s.mutate(t, alice, "createGroup", `name: "hers", title: "hers"`, "group {id}").ids[0]
	s.mutate(t, moderator, "suspendUser", `id: "`+user+`"`)
	before := s.as(alice, everything).text
	s.mutate(t, signed(t, ecKey, jose.ES256, "ec", claims("sub", "carl", "moderator", false)), "createUser", `username: "carl"`)
	for _, no := range []any{false, nil, "", "no", 1, []any{}, map[string]any{"true": true}} {
		if got := s.mutate(t, signed(t, ecKey, jose.ES256, "ec", claims("sub", "carl", "moderator", no)), "restoreUser", `id: "`+user+`"`); got.code != "FORBIDDEN" {
			t.Errorf("the claim %v is told %q", no, got.code)
		}
	}
	for name, m := range mutations {
		want := "SUSPENDED"
		if name == "createUser" {
			want = "TAKEN"
		}
		input := strings.NewReplacer("POST", post, "COMMENT", comment, "USER", mod, "GROUP", group).Replace(m.input)
		if got := s.mutate(t, alice, name, input); got.code != want {
			t.Errorf("%s is told %q, not %q", name, got.code, want)
		}
	}
	if after := s.as(alice, everything).text; after != before || !strings.Contains(after, `"title":"hers"`) {
		t.Errorf("what is alice's has changed:\n%s\n%s", before, after)
	}
}

// An address is shown to its owner alone, wherever the user appears.
func TestEmailIsForItsOwner(t *testing.T) {
	t.Parallel()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL}).ready(t)
	alice := signed(t, ecKey, jose.ES256, "ec", claims())
	bob := signed(t, ecKey, jose.ES256, "ec", claims("sub", "bob"))
	user := s.mutate(t, alice, "createUser", `username: "alice", email: "alice@example.org"`, "user {id}").ids[0]
	s.mutate(t, bob, "createUser", `username: "bob"`)
	post := s.mutate(t, alice, "createPost", `title: "T", content: "C"`, "post {id}").ids[0]
	s.mutate(t, alice, "createComment", `postId: "`+post+`", content: "C"`)
	s.mutate(t, alice, "likePost", `postId: "`+post+`"`)
	query := strings.NewReplacer("POST", post, "USER", user).Replace(`{
		user(username: "alice") {email emailVerified} node(id: "USER") {... on User {email emailVerified}} nodes(ids: ["USER"]) {... on User {email emailVerified}}
		post(id: "POST") {author {email emailVerified}} feed {edges {node {author {email emailVerified}}}} userPosts(username: "alice") {edges {node {author {email emailVerified}}}}
		comments(postId: "POST") {edges {node {author {email emailVerified}}}} likes(postId: "POST") {edges {node {user {email emailVerified}}}}
	}`)
	for who, c := range map[string]struct {
		token string
		shown int
	}{"its owner": {alice, 8}, "another user": {bob, 0}, "nobody": {"", 0}, "a newcomer": {signed(t, ecKey, jose.ES256, "ec", claims("sub", "carol")), 0}} {
		a := s.as(c.token, query)
		shown, hidden := strings.Count(a.text, "alice@example.org"), strings.Count(a.text, `"email":null`)
		if shown != c.shown || hidden != 8-c.shown || a.status != 200 || strings.Count(a.text, `"emailVerified":null`) != hidden {
			t.Errorf("%s: shown %d times, hidden %d times: %s", who, shown, hidden, a.text)
		}
	}
}

// That an account is suspended is told itself and moderators, wherever the user appears.
func TestSuspensionsAreToldTheirOwnerAndModerators(t *testing.T) {
	t.Parallel()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL, Moderator: "moderator"}).ready(t)
	alice := signed(t, ecKey, jose.ES256, "ec", claims())
	bob := signed(t, ecKey, jose.ES256, "ec", claims("sub", "bob"))
	moderator := signed(t, ecKey, jose.ES256, "ec", claims("sub", "bob", "moderator", true))
	user := s.mutate(t, alice, "createUser", `username: "alice"`, "user {id}").ids[0]
	s.mutate(t, bob, "createUser", `username: "bob"`)
	promoted := signed(t, ecKey, jose.ES256, "ec", claims("sub", "carol"))
	s.mutate(t, promoted, "createUser", `username: "carol"`)
	carol := must(s.store.UserByUsername(t.Context(), "carol"))
	_ = must(s.store.SetModerator(t.Context(), blog.SetModerator{User: carol.ID, Moderator: true}))
	post := s.mutate(t, alice, "createPost", `title: "T", content: "C"`, "post {id}").ids[0]
	s.mutate(t, alice, "createComment", `postId: "`+post+`", content: "C"`)
	query := strings.NewReplacer("POST", post, "USER", user).Replace(`{
		user(username: "alice") {suspended} node(id: "USER") {... on User {suspended}} post(id: "POST") {author {suspended}}
		feed {edges {node {author {suspended}}}} comments(postId: "POST") {edges {node {author {suspended}}}}
	}`)
	for suspended, command := range map[string]string{"true": "suspendUser", "false": "restoreUser"} {
		s.mutate(t, moderator, command, `id: "`+user+`"`)
		for who, c := range map[string]struct {
			token string
			told  string
		}{"itself": {alice, suspended}, "a moderator": {moderator, suspended}, "a promoted account": {promoted, suspended}, "the same without the claim": {bob, "null"}, "nobody": {"", "null"}} {
			if a := s.as(c.token, query); strings.Count(a.text, `"suspended":`+c.told) != 5 || a.status != 200 {
				t.Errorf("%s, %s: %s", command, who, a.text)
			}
		}
	}
}

// A token proves the address that it says to be verified, and no other: who proves nothing learns nothing
// of others' addresses, and keeps nobody from an own one.
func TestTokensProveAddresses(t *testing.T) {
	t.Parallel()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL}).ready(t)
	const set = `email: "Owner@example.org"`
	for subject, c := range map[string]struct {
		claims   []any
		code     string
		verified string
	}{
		"a_no_claims":    {nil, "", "false"},
		"b_not_verified": {[]any{"email", "owner@example.org", "email_verified", false}, "", "false"},
		"c_no_word":      {[]any{"email", "owner@example.org"}, "", "false"},
		"d_another":      {[]any{"email", "other@example.org", "email_verified", true}, "", "false"},
		"e_no_text":      {[]any{"email", []string{"owner@example.org"}, "email_verified", true}, "", "false"},
		"f_no_address":   {[]any{"email_verified", true}, "", "false"},
		"h_words":        {[]any{"email", "owner@example.org", "email_verified", "not true"}, "", "false"},
		"i_list":         {[]any{"email", "owner@example.org", "email_verified", []string{"true"}}, "", "false"},
		"g_text":         {[]any{"email", "owner@EXAMPLE.org", "email_verified", "true"}, "", "true"},
	} {
		t.Run(subject, func(t *testing.T) {
			s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL}).ready(t)
			stranger := signed(t, ecKey, jose.ES256, "ec", claims("sub", "stranger"))
			s.mutate(t, stranger, "createUser", `username: "stranger", `+set)
			token := signed(t, ecKey, jose.ES256, "ec", claims(append([]any{"sub", subject}, c.claims...)...))
			s.mutate(t, token, "createUser", `username: "`+subject+`"`)
			if got := s.mutate(t, token, "updateUser", set); got.code != c.code {
				t.Errorf("told %q, want %q", got.code, c.code)
			}
			if a := s.as(token, `{viewer {email emailVerified}}`); !strings.Contains(a.text, `"email":"Owner@example.org","emailVerified":`+c.verified) {
				t.Error(a.text)
			}
		})
	}
	proving := func(subject string) string {
		return signed(t, ecKey, jose.ES256, "ec", claims("sub", subject, "email", "owner@example.org", "email_verified", true))
	}
	s.mutate(t, proving("owner"), "createUser", `username: "owner", `+set)
	for _, c := range []struct{ token, code string }{
		{signed(t, ecKey, jose.ES256, "ec", claims("sub", "guesser")), ""}, {proving("second"), "TAKEN"},
	} {
		if got := s.mutate(t, c.token, "createUser", `username: "new_one", `+set); got.code != c.code {
			t.Errorf("a second account is told %q, want %q", got.code, c.code)
		}
	}
}

// mutated is what a mutation answered.
type mutated struct {
	code, message string // of the first user error
	ids           []string
}

// mutate sends one mutation, and fails the test unless it was executed.
func (s server) mutate(t *testing.T, token, name, input string, payload ...string) (m mutated) {
	t.Helper()
	a := s.as(token, `mutation {`+name+`(input: {`+input+`}) {`+strings.Join(payload, " ")+` userErrors {code message}}}`)
	var response struct {
		Data   map[string]map[string]json.RawMessage
		Errors []any
	}
	if err := json.Unmarshal([]byte(a.text), &response); err != nil || a.status != 200 || response.Errors != nil {
		t.Fatalf("%s: %d %s", name, a.status, a.text)
	}
	for key, text := range response.Data[name] {
		if key == "userErrors" {
			var errors []struct{ Code, Message string }
			if err := json.Unmarshal(text, &errors); err != nil {
				t.Fatal(err)
			}
			if len(errors) > 0 {
				m.code, m.message = errors[0].Code, errors[0].Message
			}
			continue
		}
		var node struct{ ID string }
		if err := json.Unmarshal(text, &node); err != nil || node.ID == "" {
			t.Fatalf("%s: %s", name, a.text)
		}
		m.ids = append(m.ids, node.ID)
	}
	return m
}

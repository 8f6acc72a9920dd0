package resolvers_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
	"broadsheet/internal/storetest"
)

// belonging are the arguments that say whose list is asked for, several where a field has several lists; the ids are
// those of everyList's objects. What is not here takes none.
var belonging = map[string][]string{
	"Query.userPosts": {`userId: "<User>"`, `username: "bob"`},
	"Query.comments":  {`postId: "<Post>"`, `postId: "<Post>", authorId: "<User>"`},
	"Post.comments":   {``, `authorId: "<User>"`},
}

func init() {
	for _, k := range blog.ReactionKinds {
		belonging["Query."+k.Them] = []string{`postId: "<Post>"`}
	}
}

var orders = []string{"NEWEST_FIRST", "OLDEST_FIRST"}

// wholeList is a list of the schema with all of its rows.
type wholeList struct {
	name  string
	query string // of a page, with a verb for its arguments
	rows  map[string][]listRow
}

// listRow is an edge of a list.
type listRow struct {
	Cursor string
	Node   struct {
		ID        string
		CreatedAt time.Time
	}
}

// listPage is a connection.
type listPage struct {
	Edges    []listRow
	PageInfo struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       *string
	}
}

// Each page of each list, in both orders and directions and between all bounds, is what follows from the whole list,
// and reads no more than its cost. The lists are the schema's own.
func TestEveryPageOfEveryList(t *testing.T) {
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			sc := newScene(t, s)
			lists := sc.everyList(t)
			random := rand.New(rand.NewPCG(storetest.Seed(t), 0))
			for _, l := range lists {
				for _, order := range orders {
					for i := range 32 {
						asked := l.askAtRandom(random, order, i/16 == 1, i%16)
						got, want := sc.page(t, l, asked.arguments()), asked.cut(l.rows[order])
						if !slices.Equal(got.Edges, want.Edges) || !reflect.DeepEqual(got.PageInfo, want.PageInfo) {
							t.Errorf("%s, %s:\ngot  %+v\nwant %+v", l.name, asked.arguments(), got, want)
						}
					}
				}
			}
			t.Logf("%d pages of %d lists", len(lists)*len(orders)*32, len(lists))
		})
	}
}

// A list takes a cursor of its own, and of no other list or order.
func TestEveryCursorIsOfOneList(t *testing.T) {
	sc := newScene(t, stores[0])
	lists := sc.everyList(t)
	for _, l := range lists {
		for _, order := range orders {
			for _, from := range lists {
				for _, of := range orders {
					cursor := from.rows[of][1].Cursor
					own := slices.ContainsFunc(l.rows[order], func(r listRow) bool { return r.Cursor == cursor })
					for _, argument := range []string{"after", "before"} {
						response := sc.ask(t, fmt.Sprintf(l.query, fmt.Sprintf("order: %s, %s: %q", order, argument, cursor)))
						refused := len(response.Errors) == 1 && response.Errors[0].Extensions["code"] == "BAD_USER_INPUT"
						if refused == own || !refused && len(response.Errors) > 0 {
							t.Errorf("%s, %s, with a cursor of %s, %s: %v", l.name, order, from.name, of, response.Errors)
						}
					}
				}
			}
		}
	}
}

// everyList returns every list of the schema, of bob or of a post of carol's.
func (s *scene) everyList(t *testing.T) (lists []wholeList) {
	t.Helper()
	var group blog.Group
	for i := range 8 {
		s.clock.Advance(time.Second)
		g, err := s.store.CreateGroup(t.Context(), blog.CreateGroup{Owner: s.users["bob"].ID, Name: fmt.Sprintf("group%d", i), Title: "A group"})
		s.must(err)
		_, _, err = s.store.JoinGroup(t.Context(), blog.JoinGroup{Actor: s.users["bob"].ID, Group: g.ID})
		s.must(err)
		group = g
	}
	for i := range 6 {
		who := fmt.Sprintf("reader%d", i)
		s.user(blog.CreateUser{Subject: who, Username: who})
		u := s.users[who]
		for _, c := range []blog.FollowUser{{Actor: u.ID, User: s.users["bob"].ID}, {Actor: s.users["bob"].ID, User: u.ID}} {
			_, _, err := s.store.FollowUser(t.Context(), c)
			s.must(err)
		}
		_, _, err := s.store.JoinGroup(t.Context(), blog.JoinGroup{Actor: u.ID, Group: group.ID})
		s.must(err)
		_, err = s.store.CreatePost(t.Context(), blog.CreatePost{Author: u.ID, Title: "A title", Content: "Some content.", Group: group.ID})
		s.must(err)
		s.like("p03", who)
		s.comment("more"+who, "p03", "bob")
		s.like(fmt.Sprintf("p%02d", i+10), "bob")
		_, _, err = s.store.BookmarkPost(t.Context(), blog.BookmarkPost{Actor: s.users["bob"].ID, Post: s.posts[fmt.Sprintf("p%02d", 20-2*i)].ID})
		s.must(err)
	}
	for _, name := range []string{"alice", "carol"} {
		_, _, err := s.store.FollowUser(t.Context(), blog.FollowUser{Actor: s.users["bob"].ID, User: s.users[name].ID})
		s.must(err)
	}
	s.must(s.store.Settle(t.Context()))
	ids := strings.NewReplacer("<User>", relay.EncodeID(s.users["bob"].ID), "<Post>", relay.EncodeID(s.posts["p03"].ID), "<Group>", relay.EncodeID(group.ID))
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	for _, parent := range parents {
		for _, field := range schema.Types[parent].Fields {
			if !strings.HasSuffix(field.Type.Name(), "Connection") || field.Type.Name() == "ThreadConnection" { // which has no order to ask for
				continue
			}
			for _, belonging := range argumentsOf(parent, field) {
				query := field.Name + "(" + belonging + " %s) {edges {cursor node {id createdAt}} pageInfo {hasNextPage hasPreviousPage startCursor endCursor}}"
				if parent != "Query" {
					query = fmt.Sprintf(`node(id: "<%s>") {... on %s {%s}}`, parent, parent, query)
				}
				l := wholeList{parent + "." + field.Name + "(" + belonging + ")", ids.Replace("{" + query + "}"), map[string][]listRow{}}
				for _, order := range orders {
					l.rows[order] = s.page(t, l, "first: 100, order: "+order).Edges
				}
				l.checkWhole(t)
				lists = append(lists, l)
			}
		}
	}
	return lists
}

// membersOf is the list of the group whose members are asked for.
func membersOf(_ blog.UserID, order blog.Order) relay.List[blog.ReactionPosition] {
	return relay.NewestMembers(blog.GroupOf("group7"), order)
}

func argumentsOf(parent string, field *ast.FieldDefinition) []string {
	if given := belonging[parent+"."+field.Name]; given != nil {
		return given
	}
	return []string{""}
}

// checkWhole fails where a list is not in its order, or too short to prove anything.
func (l wholeList) checkWhole(t *testing.T) {
	t.Helper()
	newest, oldest := l.rows["NEWEST_FIRST"], slices.Clone(l.rows["OLDEST_FIRST"])
	slices.Reverse(oldest)
	older := func(a, b listRow) int { return b.Node.CreatedAt.Compare(a.Node.CreatedAt) }
	same := func(a, b listRow) bool { return a.Node == b.Node && a.Cursor != b.Cursor }
	if len(newest) < 6 || !slices.IsSortedFunc(newest, older) || !slices.EqualFunc(newest, oldest, same) {
		t.Fatalf("%s: newest first %v, oldest first, from its end, %v", l.name, newest, oldest)
	}
}

// askedPage is a page of a list, with its bounds where they are given.
type askedPage struct {
	order         string
	limit         int
	backward      bool
	after, before *listRow
	from, to      *time.Time
	begin, end    int // of the list's rows between the cursors
}

// askAtRandom returns a page of a list. Each bit of bounds says whether one is given.
func (l wholeList) askAtRandom(random *rand.Rand, order string, backward bool, bounds int) askedPage {
	rows := l.rows[order]
	p := askedPage{order: order, limit: 1 + random.IntN(len(rows)+1), backward: backward, end: len(rows)}
	if bounds&1 != 0 {
		i := random.IntN(len(rows))
		p.after, p.begin = &rows[i], i+1
	}
	if bounds&2 != 0 {
		p.end = random.IntN(len(rows))
		p.before = &rows[p.end]
	}
	about := func() *time.Time { // a row's time
		near := []time.Duration{0, 0, time.Millisecond, -time.Millisecond, 500 * time.Microsecond}
		at := rows[random.IntN(len(rows))].Node.CreatedAt.Add(near[random.IntN(len(near))])
		at = at.In(time.FixedZone("", 1800*(random.IntN(47)-23)))
		return &at
	}
	if bounds&4 != 0 {
		p.from = about()
	}
	if bounds&8 != 0 {
		p.to = about()
	}
	if p.from != nil && p.to != nil && p.from.After(*p.to) {
		p.from, p.to = p.to, p.from
	}
	return p
}

// arguments are those of the field.
func (p askedPage) arguments() string {
	limit := "first"
	if p.backward {
		limit = "last"
	}
	all := fmt.Sprintf("order: %s, %s: %d", p.order, limit, p.limit)
	for argument, at := range map[string]*listRow{"after": p.after, "before": p.before} {
		if at != nil {
			all += fmt.Sprintf(", %s: %q", argument, at.Cursor)
		}
	}
	for argument, at := range map[string]*time.Time{"createdFrom": p.from, "createdTo": p.to} {
		if at != nil {
			all += fmt.Sprintf(", %s: %q", argument, at.Format(time.RFC3339Nano))
		}
	}
	return all
}

// cut returns what of a list's rows the page is.
func (p askedPage) cut(rows []listRow) (page listPage) {
	for _, row := range rows[p.begin:max(p.begin, p.end)] {
		at := row.Node.CreatedAt
		if (p.from == nil || !at.Before(*p.from)) && (p.to == nil || at.Before(*p.to)) {
			page.Edges = append(page.Edges, row)
		}
	}
	n := min(p.limit, len(page.Edges))
	more := n < len(page.Edges)
	if p.backward {
		page.Edges = page.Edges[len(page.Edges)-n:]
		page.PageInfo.HasPreviousPage, page.PageInfo.HasNextPage = more, p.before != nil
	} else {
		page.Edges = page.Edges[:n]
		page.PageInfo.HasNextPage, page.PageInfo.HasPreviousPage = more, p.after != nil
	}
	if n > 0 {
		page.PageInfo.StartCursor, page.PageInfo.EndCursor = &page.Edges[0].Cursor, &page.Edges[n-1].Cursor
	}
	return page
}

// page asks for a page of a list, and fails where that reads more than its cost.
func (s *scene) page(t *testing.T, l wholeList, arguments string) (page listPage) {
	t.Helper()
	s.statements.take()
	response, cost := s.api.costed(as(t, "b"), graphql.RawParams{Query: fmt.Sprintf(l.query, arguments)})
	if len(response.Errors) > 0 {
		t.Fatalf("%s, %s: %v", l.name, arguments, response.Errors)
	}
	if read := reads(s.statements.take()); read > cost {
		t.Errorf("%s, %s: %d partitions were read, and the cost is %d", l.name, arguments, read, cost)
	}
	part := response.Data
	for !strings.HasPrefix(string(part), `{"edges"`) {
		var below map[string]json.RawMessage
		decode(t, part, &below)
		for _, part = range below {
		}
	}
	if err := json.Unmarshal(part, &page); err != nil {
		t.Fatal(err)
	}
	for i, row := range page.Edges {
		for _, order := range orders {
			for _, listed := range []func(blog.UserID, blog.Order) relay.List[blog.ReactionPosition]{relay.BookmarksByUser, relay.FollowersByUser, relay.FollowsByUser, relay.GroupsByUser, membersOf} {
				list := listed(s.users["bob"].ID, map[string]blog.Order{"OLDEST_FIRST": blog.OldestFirst}[order])
				if at, err := list.Position(row.Cursor); err == nil {
					page.Edges[i].Node.CreatedAt = at.At // by which it is listed, and not by the node's
				}
			}
		}
	}
	return page
}

func (s *scene) ask(t *testing.T, query string) *graphql.Response {
	return s.api.do(as(t, "b"), graphql.RawParams{Query: query})
}

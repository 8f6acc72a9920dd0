package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/graph/graphtest"
	"broadsheet/internal/relay"
)

// Whatever valid query is asked, and whatever the resolvers return: a plan gives the bytes and
// the errors that gqlgen gives.
func FuzzPlansAnswerAsGqlgenDoes(f *testing.F) {
	for seed := range uint64(400) {
		f.Add(seed)
	}
	planned, plain := newExecutor(graph.NewPlannedSchema), newExecutor(graph.NewExecutableSchema)
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	f.Fuzz(func(t *testing.T, seed uint64) {
		names := graphtest.Names{Users: []string{"u"}, Posts: []string{"p"}, All: []string{"a", "b"}}
		document := graphtest.New(rand.New(rand.NewPCG(seed, 0)), schema, names)
		ctx := context.WithValue(t.Context(), seedKey{}, seed)
		for range 3 { // by the plan that is kept, with other variables
			params := graphql.RawParams{Query: document.Text(), Variables: document.Variables()}
			want, got := answerOf(ctx, plain, params), answerOf(ctx, planned, params)
			if got != want {
				t.Errorf("%s\n%v\nplan   %s\ngqlgen %s", params.Query, params.Variables, got, want)
			}
		}
	})
}

func newExecutor(schema func(graph.Config) graphql.ExecutableSchema) *executor.Executor {
	exec := executor.New(schema(graph.Config{Resolvers: chance{}}))
	exec.SetQueryCache(lru.New[*ast.QueryDocument](10))
	exec.SetRecoverFunc(func(_ context.Context, cause any) error { return panicked{cause} })
	exec.SetErrorPresenter(func(ctx context.Context, err error) *gqlerror.Error {
		shown := graphql.DefaultErrorPresenter(ctx, err)
		if errors.As(err, new(panicked)) {
			shown.Locations = nil // gqlgen has none
		}
		return shown
	})
	return exec
}

type panicked struct{ cause any }

func (p panicked) Error() string { return fmt.Sprint("panic: ", p.cause) }

// answerOf returns a response as text, with its errors in an order that does not depend on
// which was first.
func answerOf(ctx context.Context, exec *executor.Executor, params graphql.RawParams) string {
	ctx = graphql.StartOperationTrace(ctx)
	op, errs := exec.CreateOperationContext(ctx, &params)
	if errs != nil {
		return errs.Error()
	}
	responses, ctx := exec.DispatchOperation(ctx, op)
	response := responses(ctx)
	var told []string
	for _, err := range response.Errors {
		text, _ := json.Marshal(err)
		told = append(told, string(text))
	}
	slices.Sort(told)
	return string(response.Data) + "\n" + strings.Join(told, "\n")
}

// seedKey is a context's key of what the resolvers' answers follow from.
type seedKey struct{}

// made is what a resolver returns: it follows from the seed and the place in the answer alone,
// so that both executors get the same, whichever field they come to first.
func made[T any](ctx context.Context) (value T, err error) {
	place := fnv.New64a()
	fmt.Fprint(place, graphql.GetFieldContext(ctx).Path())
	random := rand.New(rand.NewPCG(ctx.Value(seedKey{}).(uint64), place.Sum64()))
	switch random.IntN(20) {
	case 0:
		return value, fmt.Errorf("at %v", graphql.GetFieldContext(ctx).Path())
	case 1:
		panic(fmt.Sprint("at ", graphql.GetFieldContext(ctx).Path()))
	case 2:
		return value, nil // null, where that may be
	case 3:
		graphql.AddErrorf(ctx, "beside %v", graphql.GetFieldContext(ctx).Path())
	}
	fill(reflect.ValueOf(&value).Elem(), random)
	return value, nil
}

// fill sets a value to one by chance.
func fill(v reflect.Value, random *rand.Rand) {
	switch of := v.Addr().Interface().(type) {
	case *blog.UUID:
		*of = blog.FirstUUIDAt(time.UnixMilli(random.Int64N(1 << 40)))
		return
	case *time.Time:
		*of = time.UnixMilli(random.Int64N(1 << 40)).UTC()
		return
	case *relay.Node:
		user, post, comment, like := madeBy[blog.User](random), madeBy[blog.Post](random), madeBy[blog.Comment](random), madeBy[blog.Like](random)
		*of = graphtest.Pick[relay.Node](random, user, post, comment, like, &user, &post, &comment, &like, (*blog.Post)(nil), nil)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if random.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), random)
		}
	case reflect.Slice:
		if n := random.IntN(5); n > 0 { // else nil
			v.Set(reflect.MakeSlice(v.Type(), n-1, n-1))
		}
		for i := range v.Len() {
			fill(v.Index(i), random)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), random)
		}
	case reflect.String:
		v.SetString(graphtest.Pick(random, "", "text", "\"quoted\"\n\t\\", "<b>&\u2028 é 😀", strings.Repeat("long ", 60), "\x00\xff\xc3("))
	case reflect.Int, reflect.Int64:
		v.SetInt(random.Int64N(1<<31) - 1<<30)
	case reflect.Bool:
		v.SetBool(random.IntN(2) == 0)
	default:
		panic("no values of " + v.Type().String())
	}
}

func madeBy[T any](random *rand.Rand) (value T) {
	fill(reflect.ValueOf(&value).Elem(), random)
	return value
}

// chance resolves every field that a query reaches by chance. It has no mutations.
type chance struct{ graph.ResolverRoot }

type (
	query   struct{}
	user    struct{}
	post    struct{}
	comment struct{}
	like    struct{}
	group   struct{}
)

func (chance) Query() graph.QueryResolver     { return query{} }
func (chance) User() graph.UserResolver       { return user{} }
func (chance) Post() graph.PostResolver       { return post{} }
func (chance) Comment() graph.CommentResolver { return comment{} }
func (chance) Like() graph.LikeResolver       { return like{} }
func (chance) Group() graph.GroupResolver     { return group{} }

func (query) Node(ctx context.Context, _ string) (relay.Node, error) { return made[relay.Node](ctx) }
func (query) Nodes(ctx context.Context, _ []string) ([]relay.Node, error) {
	return made[[]relay.Node](ctx)
}
func (query) Viewer(ctx context.Context) (*blog.User, error) { return made[*blog.User](ctx) }
func (query) User(ctx context.Context, _, _ *string) (*blog.User, error) {
	return made[*blog.User](ctx)
}
func (query) Post(ctx context.Context, _ string) (*blog.Post, error) { return made[*blog.Post](ctx) }
func (query) Feed(ctx context.Context, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (graph.PostConnection, error) {
	return made[graph.PostConnection](ctx)
}
func (query) Home(ctx context.Context, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (*graph.PostConnection, error) {
	return made[*graph.PostConnection](ctx)
}
func (query) UserPosts(ctx context.Context, _, _ *string, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (*graph.PostConnection, error) {
	return made[*graph.PostConnection](ctx)
}
func (query) Comments(ctx context.Context, _ string, _ *string, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (*graph.CommentConnection, error) {
	return made[*graph.CommentConnection](ctx)
}
func (query) Threads(ctx context.Context, _ string, _ *int, _ *string, _ *int, _ *string) (*graph.ThreadConnection, error) {
	return made[*graph.ThreadConnection](ctx)
}

func (query) Thread(ctx context.Context, _ string, _ *int, _ *string, _ *int, _ *string) (*graph.ThreadConnection, error) {
	return made[*graph.ThreadConnection](ctx)
}

func (query) Likes(ctx context.Context, _ string, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (*graph.LikeConnection, error) {
	return made[*graph.LikeConnection](ctx)
}

func (user) Email(ctx context.Context, _ *blog.User) (*string, error) { return made[*string](ctx) }
func (user) EmailVerified(ctx context.Context, _ *blog.User) (*bool, error) {
	return made[*bool](ctx)
}
func (user) Suspended(ctx context.Context, _ *blog.User) (*bool, error) { return made[*bool](ctx) }
func (user) Posts(ctx context.Context, _ *blog.User, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (graph.PostConnection, error) {
	return made[graph.PostConnection](ctx)
}
func (user) Comments(ctx context.Context, _ *blog.User, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (graph.CommentConnection, error) {
	return made[graph.CommentConnection](ctx)
}

func (post) Author(ctx context.Context, _ *blog.Post) (blog.User, error) { return made[blog.User](ctx) }
func (post) Content(ctx context.Context, _ *blog.Post) (string, error)   { return made[string](ctx) }
func (post) ViewerHasBookmarked(ctx context.Context, _ *blog.Post) (*bool, error) {
	return made[*bool](ctx)
}

func (post) ViewerHasLiked(ctx context.Context, _ *blog.Post) (*bool, error) {
	return made[*bool](ctx)
}
func (post) Comments(ctx context.Context, _ *blog.Post, _ *string, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (graph.CommentConnection, error) {
	return made[graph.CommentConnection](ctx)
}
func (user) Likes(ctx context.Context, _ *blog.User, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (*graph.UserLikeConnection, error) {
	return made[*graph.UserLikeConnection](ctx)
}

func (user) Bookmarks(ctx context.Context, _ *blog.User, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (*graph.PostConnection, error) {
	return made[*graph.PostConnection](ctx)
}

func (user) FollowerCount(ctx context.Context, _ *blog.User) (int, error) { return made[int](ctx) }

func (user) FollowingCount(ctx context.Context, _ *blog.User) (int, error) { return made[int](ctx) }

func (user) ViewerFollows(ctx context.Context, _ *blog.User) (*bool, error) { return made[*bool](ctx) }

func (user) Followers(ctx context.Context, _ *blog.User, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (graph.UserConnection, error) {
	return made[graph.UserConnection](ctx)
}

func (user) Following(ctx context.Context, _ *blog.User, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (graph.UserConnection, error) {
	return made[graph.UserConnection](ctx)
}

func (post) Likes(ctx context.Context, _ *blog.Post, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (graph.LikeConnection, error) {
	return made[graph.LikeConnection](ctx)
}

func (comment) Post(ctx context.Context, _ *blog.Comment) (*blog.Post, error) {
	return made[*blog.Post](ctx)
}
func (comment) Author(ctx context.Context, _ *blog.Comment) (blog.User, error) {
	return made[blog.User](ctx)
}

func (like) User(ctx context.Context, _ *blog.Like) (blog.User, error)  { return made[blog.User](ctx) }
func (like) Post(ctx context.Context, _ *blog.Like) (*blog.Post, error) { return made[*blog.Post](ctx) }

func (user) Moderator(ctx context.Context, _ *blog.User) (*bool, error) {
	return made[*bool](ctx)
}

func (user) ViewerCanModerate(ctx context.Context, _ *blog.User) (*bool, error) {
	return made[*bool](ctx)
}

func (post) ViewerCanEdit(ctx context.Context, _ *blog.Post) (*bool, error) {
	return made[*bool](ctx)
}

func (post) ViewerCanDelete(ctx context.Context, _ *blog.Post) (*bool, error) {
	return made[*bool](ctx)
}

func (comment) ViewerCanEdit(ctx context.Context, _ *blog.Comment) (*bool, error) {
	return made[*bool](ctx)
}

func (comment) ViewerCanDelete(ctx context.Context, _ *blog.Comment) (*bool, error) {
	return made[*bool](ctx)
}

func (query) Group(ctx context.Context, _, _ *string) (*blog.Group, error) {
	return made[*blog.Group](ctx)
}

func (user) Groups(ctx context.Context, _ *blog.User, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (graph.GroupConnection, error) {
	return made[graph.GroupConnection](ctx)
}

func (user) OwnGroups(ctx context.Context, _ *blog.User) ([]blog.Group, error) {
	return made[[]blog.Group](ctx)
}

func (group) Owner(ctx context.Context, _ *blog.Group) (blog.User, error) {
	return made[blog.User](ctx)
}

func (group) MemberCount(ctx context.Context, _ *blog.Group) (int, error) { return made[int](ctx) }

func (group) ViewerIsMember(ctx context.Context, _ *blog.Group) (*bool, error) {
	return made[*bool](ctx)
}

func (group) NewestMembers(ctx context.Context, _ *blog.Group, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (graph.UserConnection, error) {
	return made[graph.UserConnection](ctx)
}

func (group) Posts(ctx context.Context, _ *blog.Group, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (graph.PostConnection, error) {
	return made[graph.PostConnection](ctx)
}

func (group) Moderators(ctx context.Context, _ *blog.Group) ([]blog.User, error) {
	return made[[]blog.User](ctx)
}

func (post) Group(ctx context.Context, _ *blog.Post) (*blog.Group, error) {
	return made[*blog.Group](ctx)
}

func (group) Members(ctx context.Context, _ *blog.Group, _ *int, _ *string, _ *int, _ *string, _ blog.Order, _, _ *time.Time) (graph.UserConnection, error) {
	return made[graph.UserConnection](ctx)
}

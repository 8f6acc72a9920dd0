package naive_test

import (
	"context"
	"reflect"
	"testing"

	"broadsheet/benchmarks/measure"
	"broadsheet/benchmarks/naive"
	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/dataset"
	"broadsheet/internal/testkeyspace"
)

func TestMain(m *testing.M) {
	cassandratest.VerifyTestMain(m)
}

// copied returns the naive models with a copy of a small blog, and the blog.
func copied(t *testing.T, meter *measure.Meter) (store *cassandra.Store, keyspace *naive.Keyspace, config cassandra.Config) {
	t.Helper()
	cassandratest.Real(t, "its indexes")
	store = testkeyspace.Open(t, testkeyspace.New(t), blog.Options{})
	plan := dataset.NewPlan(dataset.Size{Users: 8, MinPosts: 2, MaxPosts: 30, MaxComments: 25, MaxLikes: 8}, 1)
	if err := plan.Write(t.Context(), store, dataset.Writing{AtOnce: true}); err != nil {
		t.Fatal(err)
	}
	config = testkeyspace.Name(t)
	if err := naive.Create(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	keyspace, err := naive.Open(t.Context(), config, blog.Options{Observer: meter})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(keyspace.Close)
	if err := keyspace.Load(t.Context(), store, func() {}); err != nil {
		t.Fatal(err)
	}
	return store, keyspace, config
}

func TestNaive(t *testing.T) {
	t.Parallel()
	store, keyspace, config := copied(t, &measure.Meter{})
	sample, err := measure.TakeSample(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	models := []measure.Named{
		{Name: "V3", Model: store, Sample: sample}, {Name: "V1", Model: keyspace.V1(), Sample: sample}, {Name: "V2", Model: keyspace.V2(), Sample: sample},
	}
	t.Run("all models answer the same", func(t *testing.T) {
		if err := measure.SameAnswers(t.Context(), models, 1, 50); err != nil {
			t.Error(err)
		}
	})
	t.Run("what they write they find", func(t *testing.T) {
		for _, model := range models[1:] {
			t.Run(model.Name, func(t *testing.T) { testCommands(t.Context(), t, model, sample) })
		}
	})
	t.Run("answers that differ are told", func(t *testing.T) {
		for _, user := range sample.Users {
			testkeyspace.Execute(t, config, "UPDATE %s.users SET bio = 'another one' WHERE user_id = "+user.ID.String())
		}
		if err := measure.SameAnswers(t.Context(), models, 1, 1); err == nil {
			t.Error("they pass for the same")
		}
	})
	t.Run("a keyspace that is there stays", func(t *testing.T) {
		if err := naive.Create(t.Context(), config); blog.KindOf(err) != blog.Invalid {
			t.Error(err)
		}
	})
}

func testCommands(ctx context.Context, t *testing.T, model measure.Model, sample measure.Sample) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	made, err := model.CreateUser(ctx, blog.CreateUser{Subject: "dana", Username: "dana"})
	must(err)
	if u, err := model.UserByID(ctx, made.ID); err != nil || !reflect.DeepEqual(u, made) {
		t.Errorf("the user is %+v, not %+v: %v", u, made, err)
	}
	p, err := model.CreatePost(ctx, blog.CreatePost{Author: made.ID, Title: "A title", Content: "A content"})
	must(err)
	var comments []blog.CommentID
	for range 3 {
		c, _, err := model.CreateComment(ctx, blog.CreateComment{Author: sample.Users[0].ID, Post: p.ID, Content: "A comment"})
		must(err)
		comments = append(comments, c.ID)
	}
	for _, who := range []blog.UserID{sample.Users[0].ID, made.ID, made.ID} {
		_, _, err := model.LikePost(ctx, blog.LikePost{Actor: who, Post: p.ID})
		must(err)
	}
	found, err := model.PostByID(ctx, p.ID)
	must(err)
	if found.Author.Username != "dana" || found.Comments.N != 3 || found.Likes.N != 2 || found.Content != "A content" {
		t.Errorf("the post is %+v", found)
	}
	page, err := model.CommentsByPost(ctx, blog.CommentsQuery{Post: p.ID, Page: blog.FirstPage[blog.CommentID](2)})
	must(err)
	if len(page.Items) != 2 || page.Items[0].ID != comments[2] || page.Items[0].Author.ID != sample.Users[0].ID || !page.HasNext || page.Count.N != 3 {
		t.Errorf("its comments are %+v", page)
	}
	feed, err := model.Feed(ctx, blog.FirstPage[blog.PostID](1))
	must(err)
	if len(feed.Items) != 1 || feed.Items[0].ID != p.ID || !feed.HasNext {
		t.Errorf("the feed begins with %+v", feed)
	}
	if _, err := model.Feed(ctx, blog.PageRequest[blog.PostID]{Limit: 1, After: &p.ID}); blog.KindOf(err) != blog.Invalid {
		t.Errorf("a page after the first: %v", err)
	}
	if _, err := model.PostByID(ctx, blog.PostID{UUID: made.ID.UUID}); !blog.IsNotFound(err) {
		t.Errorf("a post that does not exist: %v", err)
	}
}

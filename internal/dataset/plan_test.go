package dataset

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"broadsheet/blog"
)

func TestSeedHasTheSizeOfTheGuides(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		got := NewPlan(SeedSize(200), seed).Totals()
		for _, c := range []struct {
			what       string
			got, about int
		}{{"posts", got.Posts, 5_500}, {"comments", got.Comments, 69_000}, {"likes", got.Likes, 275_000}} {
			if off := float64(c.got)/float64(c.about) - 1; off < -0.1 || off > 0.1 {
				t.Errorf("seed %d: %d %s, not about %d", seed, c.got, c.what, c.about)
			}
		}
		if got.Users != 200 {
			t.Errorf("seed %d: %d users", seed, got.Users)
		}
	}
}

func TestDemoHasSeveralPagesOfEverything(t *testing.T) {
	t.Parallel()
	plan := NewPlan(DemoSize, DemoSeed)
	got := plan.Totals()
	if got.Users != 20 || got.Posts < 180 || got.Posts > 220 || got.Comments < 300 || got.Likes < 1_200 {
		t.Errorf("the demo holds %+v", got)
	}
	for i, want := range []string{"alice", "bob"} {
		if c := account(plan.seed, i); c.Subject != want || c.Username != want {
			t.Errorf("user %d is %s with subject %s, not %s", i, c.Username, c.Subject, want)
		}
	}
}

func TestASeedMeansTheSameEveryTime(t *testing.T) {
	t.Parallel()
	a, b, other := NewPlan(SeedSize(12), 42), NewPlan(SeedSize(12), 42), NewPlan(SeedSize(12), 43)
	if !reflect.DeepEqual(a, b) {
		t.Fatal("one seed, two plans")
	}
	for _, post := range a.posts {
		if !reflect.DeepEqual(a.draft(post), b.draft(post)) {
			t.Fatal("one seed, two texts")
		}
	}
	if reflect.DeepEqual(a.posts, other.posts) {
		t.Error("two seeds, one plan")
	}
}

func TestLikersAreDifferent(t *testing.T) {
	t.Parallel()
	plan := NewPlan(SeedSize(30), 1)
	for _, post := range plan.posts {
		seen := map[int]bool{}
		for _, n := range plan.draft(post).likers {
			if n < 0 || n >= 30 || seen[n] {
				t.Fatalf("liker %d twice, or out of range", n)
			}
			seen[n] = true
		}
		if len(seen) != post.likes {
			t.Fatalf("%d likers for %d likes", len(seen), post.likes)
		}
	}
}

func TestAccountsAreValidAndUnique(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for n := range 5_000 {
		c := account(1, n)
		if err := c.Validate(); err != nil {
			t.Fatalf("user %d: %v", n, err)
		}
		if names[c.Username] {
			t.Fatalf("user %d: %s is taken", n, c.Username)
		}
		names[c.Username] = true
	}
}

// What a sentence must not show: a slot that no list fills, a doubled word.
var blemish = regexp.MustCompile(`[{}\[\]]|  |\b([Aa]n?) [Aa]n?\b|\b[Aa] [aeio]\w|^[a-z]`)

func TestTextsReadWell(t *testing.T) {
	t.Parallel()
	plan := NewPlan(SeedSize(12), 3)
	titles := map[string]int{}
	for _, post := range plan.posts {
		d := plan.draft(post)
		titles[d.title]++
		if err := (blog.CreatePost{Title: d.title, Content: d.content}).Validate(); err != nil {
			t.Fatalf("%q: %v", d.title, err)
		}
		texts := append(strings.Split(d.content, "\n\n"), d.title)
		for _, c := range d.comments {
			texts = append(texts, c.text)
		}
		for _, text := range texts {
			if found := blemish.FindString(text); found != "" {
				t.Errorf("%q in: %s", found, text)
			}
		}
	}
	if len(titles) < len(plan.posts)/4 {
		t.Errorf("%d titles for %d posts", len(titles), len(plan.posts))
	}
}

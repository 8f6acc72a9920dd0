package dataset

import "math/rand/v2"

// Size is how much a plan holds. Where two numbers bound something, every number
// between them, both included, is as likely.
type Size struct {
	Users       int
	MinPosts    int // of each user
	MaxPosts    int
	MaxComments int // on each post, by anyone
	MaxLikes    int // of each post; never more than there are users
	MaxFollows  int // of each user; less than there are users
	Groups      int // each for posts about one subject, with half of the users
}

// SeedSize is the size of the guides that the domain follows, for any number of users.
func SeedSize(users int) Size {
	return Size{Users: users, MinPosts: 5, MaxPosts: 50, MaxComments: 25, MaxLikes: 100}
}

// DemoSize is what a new server shows: enough for several pages of everything.
var DemoSize = Size{Users: 20, MinPosts: 5, MaxPosts: 15, MaxComments: 4, MaxLikes: 15, MaxFollows: 10, Groups: 3}

// DemoSeed is the seed of the demo's plan.
const DemoSeed = 7

// Plan is what will be written.
type Plan struct {
	seed  uint64
	users int
	posts []post // in the order of their creation

	follows [][2]int // who follows whom
	groups  [][]int  // who is in those of the first subjects, their owners first
}

// post is one post with all that hangs on it. Its texts follow from its seed.
type post struct {
	author   int
	seed     uint64
	comments int
	likes    int
}

// Totals counts what a plan holds.
type Totals struct{ Users, Posts, Comments, Likes, Follows, Groups, Members int }

// Commands returns how many commands it takes.
func (t Totals) Commands() int {
	return t.Users + t.Posts + t.Comments + t.Likes + t.Follows + t.Groups + t.Members
}

// NewPlan returns the plan of a size and a seed.
func NewPlan(size Size, seed uint64) *Plan {
	p := &Plan{seed: seed, users: size.Users}
	random := rand.New(rand.NewPCG(seed, uint64(size.Users)))
	upTo := func(most int) int { return random.IntN(most + 1) }
	for author := range size.Users {
		for range size.MinPosts + upTo(size.MaxPosts-size.MinPosts) {
			p.posts = append(p.posts, post{
				author: author, seed: random.Uint64(),
				comments: upTo(size.MaxComments), likes: upTo(min(size.MaxLikes, size.Users)),
			})
		}
	}
	random.Shuffle(len(p.posts), func(i, j int) { p.posts[i], p.posts[j] = p.posts[j], p.posts[i] })
	for user := range size.Users {
		for _, other := range sample(random, size.Users-1, upTo(size.MaxFollows)) {
			p.follows = append(p.follows, [2]int{user, (user + 1 + other) % size.Users})
		}
	}
	for range size.Groups {
		p.groups = append(p.groups, sample(random, size.Users, size.Users/2))
	}
	return p
}

// Totals counts what the plan holds.
func (p *Plan) Totals() Totals {
	t := Totals{Users: p.users, Posts: len(p.posts), Follows: len(p.follows), Groups: len(p.groups)}
	for _, members := range p.groups {
		t.Members += len(members)
	}
	for _, post := range p.posts {
		t.Comments += post.comments
		t.Likes += post.likes
	}
	return t
}

// draft is a post with its texts.
type draft struct {
	subject  int
	title    string
	content  string
	comments []remark
	likers   []int
}

type remark struct {
	author int
	text   string
	to     int // the one before it that it replies to, from 1 on; 0: none
	depth  int
}

// draft writes a post's texts.
func (p *Plan) draft(post post) draft {
	random := rand.New(rand.NewPCG(p.seed, post.seed))
	subject := random.IntN(len(subjects()))
	w := writer{random: random, subject: subjects()[subject], chosen: map[string]string{}}
	d := draft{subject: subject, title: w.title(), content: w.content(), likers: sample(random, p.users, post.likes)}
	for range post.comments {
		d.comments = append(d.comments, remark{author: random.IntN(p.users), text: w.comment()})
	}
	for i := range d.comments {
		if to := random.IntN(i + 1); to > 0 && d.comments[to-1].depth < 3 {
			d.comments[i].to, d.comments[i].depth = to, d.comments[to-1].depth+1
		}
	}
	return d
}

// sample returns k different numbers below n (Floyd's algorithm), in random order.
func sample(random *rand.Rand, n, k int) []int {
	taken := make(map[int]bool, k)
	all := make([]int, 0, k)
	for i := n - k; i < n; i++ {
		x := random.IntN(i + 1)
		if taken[x] {
			x = i
		}
		taken[x] = true
		all = append(all, x)
	}
	random.Shuffle(k, func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

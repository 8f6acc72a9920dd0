package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
)

// At a power cut every command that was acknowledged is on disk, and of the others
// each is there with all its copies or not at all, whatever part of what was not
// synced reached the disk.
func TestPowerCut(t *testing.T) {
	random := rand.New(rand.NewPCG(storetest.Seed(t), 0))
	for cut := range 12 {
		keep := []int{0, 50, 100}[cut%3]
		t.Run(fmt.Sprintf("cut %d, %d %% of the unsynced data kept", cut, keep), func(t *testing.T) {
			fs := vfs.NewCrashableMem()
			s := closing(t)(embedded.Open(dir, embedded.Options{FS: fs, Log: quiet}))
			load := startLoad(s, 8)
			defer load.stop()
			load.waitFor(t, 1+random.IntN(150))
			acknowledged := load.acknowledged()
			checkRecovered(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: keep, RNG: random}), acknowledged)
		})
	}
}

// checkRecovered opens a store and looks for posts, and for copies that differ.
func checkRecovered(t *testing.T, fs vfs.FS, acknowledged []blog.Post) {
	t.Helper()
	s, err := embedded.Open(dir, embedded.Options{FS: fs, Log: quiet})
	if err != nil {
		t.Errorf("opening: %v", err)
		return
	}
	defer s.Close()
	for _, p := range acknowledged {
		if _, err := s.PostByID(t.Context(), p.ID); err != nil {
			t.Errorf("an acknowledged post: %v", err)
		}
	}
	found, err := audit.Verifying{}.Run(t.Context(), s)
	if err != nil || found.Drifted() > 0 {
		t.Errorf("verify: %v, drifted: %+v", err, found)
	}
}

// load is writers that make users, posts, comments and likes until they are
// stopped or refused.
type load struct {
	store *embedded.Store
	done  chan struct{}
	ended sync.WaitGroup

	mu    sync.Mutex
	moved chan struct{} // closed and replaced with each post
	posts []blog.Post
	err   error // the first refusal
}

func startLoad(s *embedded.Store, writers int) *load {
	l := &load{store: s, done: make(chan struct{}), moved: make(chan struct{})}
	for i := range writers {
		l.ended.Go(func() { l.write(i) })
	}
	return l
}

func (l *load) stop() {
	close(l.done)
	l.ended.Wait()
}

func (l *load) write(writer int) {
	name := fmt.Sprintf("writer_%d", writer)
	u, err := l.store.CreateUser(context.Background(), blog.CreateUser{Subject: name, Username: name})
	for n := 0; err == nil; n++ {
		select {
		case <-l.done:
			return
		default:
			err = l.post(u, n)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = errors.Join(l.err, err)
	close(l.moved)
	l.moved = make(chan struct{})
}

func (l *load) post(u blog.User, n int) error {
	ctx := context.Background()
	p, err := l.store.CreatePost(ctx, blog.CreatePost{Author: u.ID, Title: "a title", Content: fmt.Sprint("content ", n)})
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.posts = append(l.posts, p)
	close(l.moved)
	l.moved = make(chan struct{})
	l.mu.Unlock()
	_, _, comment := l.store.CreateComment(ctx, blog.CreateComment{Author: u.ID, Post: p.ID, Content: "a comment"})
	_, _, like := l.store.LikePost(ctx, blog.LikePost{Actor: u.ID, Post: p.ID})
	if n%7 > 0 {
		return errors.Join(comment, like)
	}
	_, rename := l.store.UpdateUser(ctx, blog.UpdateUser{Actor: u.ID, Username: blog.SetTo(fmt.Sprintf("%s_%d", u.Username, n))})
	return errors.Join(comment, like, rename)
}

func (l *load) acknowledged() []blog.Post {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.posts[:len(l.posts):len(l.posts)]
}

// waitFor waits until so many posts stand or a writer was refused, which it
// returns.
func (l *load) waitFor(t *testing.T, posts int) error {
	t.Helper()
	hang := time.After(time.Minute)
	for {
		l.mu.Lock()
		n, err, moved := len(l.posts), l.err, l.moved
		l.mu.Unlock()
		if n >= posts || err != nil {
			return err
		}
		select {
		case <-moved:
		case <-hang:
			t.Fatal("nothing was written for a minute")
		}
	}
}

// A power cut as a log is closed, after its trailer was written and before that is synced, leaves any of the
// blocks that were not: the store opens whichever they are.
func TestPowerCutAsALogIsClosed(t *testing.T) {
	t.Parallel()
	fs := &cutAtTrailer{MemFS: vfs.NewCrashableMem(), random: rand.New(rand.NewPCG(storetest.Seed(t), 0))}
	s := closing(t)(embedded.Open(dir, embedded.Options{FS: fs, Log: quiet}))
	load := startLoad(s, 8)
	defer load.stop()
	fs.acknowledged = load.acknowledged
	for i := range 20 {
		load.waitFor(t, 1+10*i)
		s.Flush()
	}
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if len(fs.cuts) == 0 {
		t.Fatal("no trailer was seen")
	}
	for _, c := range fs.cuts {
		again := cutAsItOpens{disk: c.fs, random: fs.random}
		checkRecovered(t, errorfs.Wrap(c.fs, &again), c.acknowledged)
		again.mu.Lock()
		for _, disk := range again.cuts {
			checkRecovered(t, disk, c.acknowledged)
		}
		again.mu.Unlock()
	}
}

// cutAsItOpens keeps what the disk may have if the power is cut as a store that opens renames a file: its older
// logs are still there then, and a newer one. The names in a directory are as at the step, for a file system keeps
// the order of their changes.
type cutAsItOpens struct {
	disk *vfs.MemFS

	mu     sync.Mutex
	random *rand.Rand
	cuts   []vfs.FS
}

func (*cutAsItOpens) String() string { return "the power is cut" }

func (c *cutAsItOpens) MaybeError(op errorfs.Op) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if op.Kind != errorfs.OpRename {
		return nil
	}
	d, err := c.disk.OpenDir(dir)
	if err == nil {
		err = errors.Join(d.Sync(), d.Close())
	}
	c.cuts = append(c.cuts, c.disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: c.random}))
	return err
}

// cutAtTrailer keeps what the disk may have if the power is cut as a log's trailer is not synced yet.
type cutAtTrailer struct {
	*vfs.MemFS
	random       *rand.Rand
	acknowledged func() []blog.Post

	mu   sync.Mutex
	cuts []powerCut
}

type powerCut struct {
	fs           *vfs.MemFS
	acknowledged []blog.Post
}

func (c *cutAtTrailer) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := c.MemFS.Create(name, category)
	return c.log(name, f, err)
}

func (c *cutAtTrailer) ReuseForWrite(old, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := c.MemFS.ReuseForWrite(old, name, category)
	return c.log(name, f, err)
}

func (c *cutAtTrailer) log(name string, f vfs.File, err error) (vfs.File, error) {
	if err != nil || !strings.HasSuffix(name, ".log") {
		return f, err
	}
	return &closedLog{File: f, cuts: c}, nil
}

// closedLog is a log that notices its trailer.
type closedLog struct {
	vfs.File
	cuts    *cutAtTrailer
	trailer bool
}

const trailerSize = 11 // six zeros, its type, the next log's number

func (f *closedLog) Write(b []byte) (int, error) {
	if n := len(b) - trailerSize; n >= 0 && string(b[n:n+7]) == "\x00\x00\x00\x00\x00\x00\x05" {
		f.trailer = true
	}
	return f.File.Write(b)
}

func (f *closedLog) Sync() error     { f.cut(); return f.File.Sync() }
func (f *closedLog) SyncData() error { f.cut(); return f.File.SyncData() }

func (f *closedLog) cut() {
	c := f.cuts
	if !f.trailer || c.acknowledged == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for range 4 {
		acknowledged := c.acknowledged()
		c.cuts = append(c.cuts, powerCut{c.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: c.random}), acknowledged})
	}
}

package embedded_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/storetest"
)

// At each operation of the file system that a command makes, the disk fails or the
// power is cut: alone, and beside a flush of what is in memory.
func TestFaultAtEveryOperation(t *testing.T) {
	t.Parallel()
	faultsAtEveryOperation(t, 2)
}

// TestSoakFaultAtEveryOperation is the same ten times.
func TestSoakFaultAtEveryOperation(t *testing.T) {
	storetest.Soaks(t)
	faultsAtEveryOperation(t, 20)
}

func faultsAtEveryOperation(t *testing.T, rounds int) {
	for _, flushing := range []bool{false, true} {
		t.Run(fmt.Sprintf("flushing %v", flushing), func(t *testing.T) {
			t.Parallel()
			plan := storetest.FaultPlan{Seed: storetest.Seed(t), Rounds: rounds}
			storetest.UnderFaults(t, plan, &breakable{t: t, flushing: flushing, random: rand.New(rand.NewPCG(plan.Seed, 1))})
		})
	}
}

// breakable is a store on a disk that fails, or loses its power, at one operation.
type breakable struct {
	t        *testing.T
	flushing bool
	random   *rand.Rand
	options  embedded.Options
	disk     *vfs.MemFS
	store    *embedded.Store

	mu     sync.Mutex
	left   int // operations until the fault; 0: there is none
	met    string
	broken bool               // every operation fails
	cut    *vfs.CrashCloneCfg // for a fault that cuts the power
	after  *vfs.MemFS         // what is on the disk then
	died   func()             // ends the command's context
}

func (b *breakable) Open(t *testing.T, options blog.Options) blog.Store {
	b.options = embedded.Options{Options: options, Log: quiet}
	if err := b.open(vfs.NewCrashableMem()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.store.Close() })
	return b.store
}

func (b *breakable) open(disk *vfs.MemFS) (err error) {
	b.mu.Lock()
	b.disk = disk
	b.mu.Unlock()
	b.options.FS = errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error { return b.step(disk, op) }))
	b.store, err = embedded.Open(dir, b.options)
	return err
}

const diskFails = "fails, and so does every one after it"

func (b *breakable) Faults() []storetest.StepFault {
	faults := []storetest.StepFault{{Name: diskFails}}
	for _, kept := range []int{0, 50, 100} {
		faults = append(faults, storetest.StepFault{Name: fmt.Sprintf("is not made, for the power is cut, with %d %% of the unsynced data kept", kept), Kills: true})
	}
	return faults
}

func (b *breakable) Break(ctx context.Context, fault storetest.StepFault, k int) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	b.t.Cleanup(cancel)
	b.mu.Lock()
	b.left, b.met, b.broken, b.after, b.cut, b.died = k, "", false, nil, nil, cancel
	var kept int
	if _, err := fmt.Sscanf(fault.Name, "is not made, for the power is cut, with %d", &kept); err == nil {
		b.cut = &vfs.CrashCloneCfg{UnsyncedDataPercent: kept, RNG: b.random}
	}
	b.mu.Unlock()
	if b.flushing {
		b.store.Flush()
	}
	return ctx
}

// step counts an operation on a disk and breaks it where it is its turn.
func (b *breakable) step(disk *vfs.MemFS, op errorfs.Op) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if disk != b.disk || op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
		return nil
	}
	if b.left > 0 {
		if b.left--; b.left == 0 {
			b.met = fmt.Sprintf("%v of %s", op.Kind, op.Path)
			if b.cut != nil {
				// First, for what is answered between the two is not on the disk.
				b.died()
				b.after = disk.CrashClone(*b.cut)
			} else {
				b.broken = true
			}
		}
	}
	if b.broken {
		return syscall.EIO
	}
	return nil
}

func (b *breakable) Broken() (step string, met bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.met, b.met != ""
}

// Passed is at once: a failure of the disk is one operation's.
func (b *breakable) Passed(context.Context) error { return nil }

// Mend starts the process again where it died or the disk failed, on what is on the
// disk for certain, and has it end the erasures that it finds there.
func (b *breakable) Mend(ctx context.Context) (blog.Store, error) {
	b.mu.Lock()
	b.left = 0
	after, broken := b.after, b.broken
	b.mu.Unlock()
	switch {
	case after != nil:
	case broken:
		after = b.disk.CrashClone(vfs.CrashCloneCfg{})
	default:
		return b.store, nil
	}
	_ = b.store.Close() // may say what the disk said
	b.mu.Lock()
	b.broken = false
	b.mu.Unlock()
	if err := b.open(after); err != nil {
		return nil, err
	}
	if err := b.store.ResumeErasures(ctx); err != nil {
		return nil, err
	}
	return b.store, b.store.Settle(ctx)
}

package live

import (
	"context"
	"sync"
)

// Once is what is made of an event for all streams that ask the same of it. The nil Once shares nothing.
type Once struct {
	mu   sync.Mutex
	made map[any]*shared[any]
}

// maxMade bounds what is kept of one event.
const maxMade = 64

// Get returns what make makes for a key, made once for all that ask for it at about the same time.
// An error goes to all that waited for it, and is not kept.
func (o *Once) Get(ctx context.Context, key any, make func(context.Context) (any, error)) (any, error) {
	s := o.of(key)
	if s == nil {
		return make(ctx)
	}
	return s.get(ctx, make)
}

func (o *Once) of(key any) *shared[any] {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.made[key]
	if s == nil && len(o.made) < maxMade {
		if o.made == nil {
			o.made = map[any]*shared[any]{}
		}
		s = &shared[any]{}
		o.made[key] = s
	}
	return s
}

func (o *Once) drop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.made {
		s.drop()
	}
}

// cool forgets what is stale, and reports whether nothing is held.
func (o *Once) cool() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, s := range o.made {
		if s.cool() {
			delete(o.made, key)
		}
	}
	return len(o.made) == 0
}

package auditor

import (
	"context"
	"fmt"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/feed"
	"broadsheet/internal/audit"
)

// Indexed is a method of [audit.FeedIndex]. A name stays in the index for ever, with its layout; an
// index without layouts was written by an older program.
func (a *reader) Indexed(ctx context.Context, place blog.FeedPlace) (bool, error) {
	if _, known := a.indexed.Load(place); known {
		return true, nil
	}
	err := a.patiently(ctx, func(ctx context.Context) error {
		layouts, err := a.Feed.Written(ctx)
		if err != nil {
			return err
		}
		return a.Feed.EachBucket(ctx, func(b feed.Bucket, _ int64) error {
			if !b.Misnamed() && (len(layouts) == 0 || layouts.Covers(b)) {
				a.indexed.Store(b.FeedPlace, true)
			}
			return nil
		})
	})
	_, known := a.indexed.Load(place)
	return known, err
}

func (a *reader) EachBucket(ctx context.Context, visit func(key []any, fault string) error) error {
	return a.Feed.EachBucket(ctx, func(b feed.Bucket, _ int64) error {
		fault := ""
		if b.Misnamed() {
			fault = fmt.Sprintf("its bounds, %s to %s, are not those of its name", b.Start.Format(time.RFC3339), b.End.Format(time.RFC3339))
		}
		return visit([]any{b.End, b.Bucket, b.Shard}, fault)
	})
}

func (s *Auditor) repairIndex(ctx context.Context, d audit.Drift) error {
	if d.Kind == audit.MissingRow {
		return s.indexBucket(ctx, blog.FeedPlace{Bucket: d.Key[0].(string), Shard: d.Key[1].(int)})
	}
	latest := int64(0)
	var faulty feed.Bucket
	err := s.Feed.EachBucket(ctx, func(b feed.Bucket, written int64) error {
		if audit.SameValues(d.Key, []any{b.End, b.Bucket, b.Shard}) {
			latest, faulty = max(latest, written), b
		}
		return nil
	})
	if err != nil || faulty == (feed.Bucket{}) {
		return err
	}
	return s.Feed.Delete(ctx, faulty, blog.DeletionStamp(s.Clock, latest))
}

// indexBucket makes the index name the bucket of a post, above any deletion that may hide
// it.
func (s *Auditor) indexBucket(ctx context.Context, place blog.FeedPlace) error {
	b, ok := feed.BucketAt(place)
	if !ok {
		return blog.Errorf(blog.Invalid, "%q is not the name of a bucket", place.Bucket)
	}
	a := &reader{Auditor: s}
	now, stamp := s.Clock.Now().UnixMicro(), int64(0)
	for further := int64(0); stamp < highestStamp; further = ahead(further) {
		stamp = now + further
		if err := s.Feed.Mend(ctx, b, stamp); err != nil {
			return err
		}
		if named, err := a.Indexed(ctx, place); err != nil || named {
			return err
		}
	}
	return blog.Errorf(blog.Invalid, "a deletion hides the bucket for ever")
}

package feed

import (
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"broadsheet/blog"
)

// Layout says into which partition of the feed a new post goes. It may be changed at any time: a post keeps its place,
// and the index names every bucket that was ever used, with its bounds.
type Layout struct {
	Width  time.Duration // of a bucket
	Shards int           // partitions for each bucket
}

// Bucket is a stretch of time of the feed, in one shard.
type Bucket struct {
	blog.FeedPlace
	Start, End time.Time // End is exclusive
}

// MaxShards is how many partitions a bucket may have.
const MaxShards = 128

// bucketTime is how a bucket's name writes its start; its width follows after a "+".
const bucketTime = "2006-01-02T15:04Z"

// Place returns the bucket and shard of a post.
func (l Layout) Place(post blog.PostID) Bucket {
	hash := fnv.New32a()
	hash.Write(post.UUID[:])
	return l.at(post.Time(), int(hash.Sum32()%uint32(l.Shards)))
}

// at returns the bucket of a time, in one shard.
func (l Layout) at(t time.Time, shard int) Bucket {
	start := time.UnixMilli(t.UnixMilli() / l.Width.Milliseconds() * l.Width.Milliseconds()).UTC()
	place := blog.FeedPlace{Bucket: start.Format(bucketTime) + "+" + l.Width.String(), Shard: shard}
	return Bucket{FeedPlace: place, Start: start, End: start.Add(l.Width)}
}

// layout returns a layout that the bucket may be of.
func (b Bucket) layout() Layout { return Layout{b.End.Sub(b.Start), b.Shard + 1} }

// Layouts are the widths that buckets were ever given, each with the greatest number of shards that it had.
type Layouts map[time.Duration]int

// String writes a layout as the index has it.
func (l Layout) String() string { return l.Width.String() + "/" + strconv.Itoa(l.Shards) }

// readLayouts reads what String wrote, and maybe a newer program with more behind it. What can't
// be read is left out: verify then finds its buckets lacking.
func readLayouts(written []string) Layouts {
	layouts := Layouts{}
	for _, text := range written {
		parts := append(strings.Split(text, "/"), "")
		width, err := time.ParseDuration(parts[0])
		shards, err2 := strconv.Atoi(parts[1])
		if err == nil && err2 == nil && width >= time.Millisecond && shards > 0 && shards <= MaxShards {
			layouts.add(Layout{width, shards})
		}
	}
	return layouts
}

func (l Layouts) add(one Layout) { l[one.Width] = max(l[one.Width], one.Shards) }

// Covers reports whether a bucket is of one of the layouts.
func (l Layouts) Covers(b Bucket) bool { return b.Shard < l[b.End.Sub(b.Start)] }

// written returns the layouts as the index has them.
func (l Layouts) written() []string {
	var texts []string
	for width, shards := range l {
		texts = append(texts, Layout{width, shards}.String())
	}
	slices.Sort(texts)
	return texts
}

// narrowest returns the smallest width, 0 where there is none.
func (l Layouts) narrowest() time.Duration {
	if len(l) == 0 {
		return 0
	}
	return slices.Min(slices.Collect(maps.Keys(l)))
}

// reach returns the greatest width into which no more than so many names of the narrowest buckets fit.
func (l Layouts) reach(names int) time.Duration {
	narrowest := l.narrowest()
	reach := narrowest
	for width := range l {
		if int(width/narrowest)*l[narrowest] <= names {
			reach = max(reach, width)
		}
	}
	return reach
}

// wider returns the layouts without the narrowest.
func (l Layouts) wider() Layouts {
	wider := maps.Clone(l)
	delete(wider, l.narrowest())
	return wider
}

// around returns the buckets of each width that contain a time and end after another, with posts or without.
func (l Layouts) around(t, endsAfter time.Time) []Bucket {
	var buckets []Bucket
	for width, shards := range l {
		for shard := range shards {
			if b := (Layout{width, shards}).at(t, shard); b.End.After(endsAfter) {
				buckets = append(buckets, b)
			}
		}
	}
	return buckets
}

// Misnamed reports whether the bounds of the bucket are not those that its name tells, to the minute.
func (b Bucket) Misnamed() bool {
	named, ok := BucketAt(b.FeedPlace)
	return !ok || !named.Start.Equal(b.Start.Truncate(time.Minute)) || b.End.Sub(b.Start) != named.End.Sub(named.Start)
}

// BucketAt returns the bounds of a bucket, which its name tells.
func BucketAt(place blog.FeedPlace) (Bucket, bool) {
	from, length, _ := strings.Cut(place.Bucket, "+")
	start, err := time.Parse(bucketTime, from)
	width, err2 := time.ParseDuration(length)
	if err != nil || err2 != nil || width <= 0 {
		return Bucket{}, false
	}
	return Bucket{FeedPlace: place, Start: start.UTC(), End: start.Add(width).UTC()}, true
}

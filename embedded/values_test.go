package embedded

import (
	"testing"
	"time"

	"broadsheet/blog"
)

// everyField is one field of each type.
func everyField() []any {
	text := "a text"
	return []any{
		"text", (*string)(nil), &text, 7, false, true, time.UnixMilli(1_700_000_000_000).UTC(),
		blog.UserID{UUID: blog.UUID{1}}, blog.PostID{UUID: blog.UUID{2}}, blog.CommentID{UUID: blog.UUID{3}},
	}
}

// A value that a newer program wrote has more fields than this one knows: each type of
// field may follow, whole ones only.
func TestValueKnowsItsEnd(t *testing.T) {
	for i, more := range everyField() {
		short, whole := encode(5, "known"), encode(5, "known", more)
		for end := range len(whole) + 1 {
			f := decode(string(whole[:end]))
			known := field[string](f)
			err := f.end()
			switch sound := end == len(short) || end == len(whole); {
			case (err == nil) != sound:
				t.Errorf("field %d cut to %d of %d bytes: %v", i, end, len(whole), err)
			case err == nil && (known != "known" || f.stamp != 5):
				t.Errorf("field %d cut to %d of %d bytes: read %q at %d", i, end, len(whole), known, f.stamp)
			}
		}
	}
	f := decode(string(append(encode(5, "known"), 0xee)))
	if field[string](f); f.end() == nil {
		t.Error("a tag that is none is taken for a newer program's field")
	}
}

// A field that was added later is zero in a value of before, but damage stays damage.
func TestAddedFieldReadsAsZero(t *testing.T) {
	read := func(value []byte) (name string, place *string, n int, err error) {
		f := decode(string(value))
		name, place, n = field[string](f), added[*string](f), added[int](f)
		return name, place, n, f.end()
	}
	place := "Oslo"
	for name, c := range map[string]struct {
		value []byte
		place string
		n     int
		sound bool
	}{
		"of before":             {encode(1, "ann"), "", 0, true},
		"of between":            {encode(1, "ann", &place), "Oslo", 0, true},
		"of now":                {encode(1, "ann", &place, 3), "Oslo", 3, true},
		"of later":              {encode(1, "ann", &place, 3, "more"), "Oslo", 3, true},
		"without its first":     {encode(1), "", 0, false},
		"with another's fields": {encode(1, "ann", 3), "", 0, false},
		"that ends in a field":  {encode(1, "ann", &place)[:8], "", 0, false},
	} {
		got, from, n, err := read(c.value)
		switch {
		case (err == nil) != c.sound:
			t.Errorf("a value %s: %v", name, err)
		case err == nil && (got != "ann" || n != c.n || (from == nil) != (c.place == "") || from != nil && *from != c.place):
			t.Errorf("a value %s: %q, %v, %d", name, got, from, n)
		}
	}
}

// What a newer program added to a value stands after this one has written it again.
func TestUnknownFieldsAreKept(t *testing.T) {
	for name, c := range map[string]struct{ value, replaced, want []byte }{
		"one more":      {encode(2, "new"), encode(1, "old", 7), encode(2, "new", 7)},
		"two more":      {encode(2, "new"), encode(1, "old", 7, true), encode(2, "new", 7, true)},
		"none":          {encode(2, "new", 1), encode(1, "old", 2), encode(2, "new", 1)},
		"one less":      {encode(2, "new", 1), encode(1, "old"), encode(2, "new", 1)},
		"nothing":       {encode(2, "new"), nil, encode(2, "new")},
		"damage":        {encode(2, "new"), []byte("garbage"), encode(2, "new")},
		"damage at end": {encode(2, "new"), append(encode(1, "old"), 0xee), encode(2, "new")},
	} {
		if got := withUnknown(c.value, string(c.replaced)); string(got) != string(c.want) {
			t.Errorf("%s: %x, want %x", name, got, c.want)
		}
	}
}

// nextField returns the next field of a value by its tag.
func nextField(f *fields) any {
	switch f.unread[0] {
	case tagAbsent, tagPresent:
		return field[*string](f)
	case tagText:
		return field[string](f)
	case tagInt:
		return field[int](f)
	case tagFalse, tagTrue:
		return field[bool](f)
	case tagMoment:
		return field[time.Time](f)
	default:
		return field[blog.UUID](f)
	}
}

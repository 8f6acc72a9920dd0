package main

var relay = []fault{
	{
		name: "a cursor of another list is taken", kind: "cursor check", file: "internal/relay/cursor.go",
		old: `	key, ok := bytes.CutPrefix(raw[:end], l.head)
`, new: `	key, ok := raw[min(len(l.head), end):end], true
`,
	},
	{
		name: "the check sum of a cursor is not looked at", kind: "cursor check", file: "internal/relay/cursor.go",
		old: ` || end < 0 || !bytes.Equal(check(raw[:end]), raw[end:]) {`, new: ` || end < 0 || false && !bytes.Equal(check(raw[:end]), raw[end:]) {`,
	},
	{
		name: "a cursor does not know its order", kind: "cursor check", file: "internal/relay/cursor.go",
		old: `		return oldestFirst
`, new: `		return newestFirst
`,
	},
	{
		name: "an id has several spellings", kind: "validation", file: "internal/relay/id.go",
		old: `err == nil && base64.RawURLEncoding.EncodeToString(raw) == s`, new: `err == nil`,
	},
	{
		name: "what is no UUID of version 7 is an id", kind: "validation", file: "internal/relay/id.go",
		old: `		if !id.Valid() {`, new: `		if false {`,
	},
	{
		name: "an Int has more than 32 bits", kind: "validation", file: "internal/relay/scalars.go",
		old: `strconv.ParseInt(digits, 10, 32)`, new: `strconv.ParseInt(digits, 10, 64)`,
	},
	{
		name: "a number with a fraction is a whole one", kind: "validation", file: "internal/relay/scalars.go",
		old: `err != nil || f != math.Trunc(f)`, new: `err != nil || math.IsNaN(f)`,
	},
	{
		name: "Go's idea of RFC 3339 is a DateTime", kind: "validation", file: "internal/relay/scalars.go",
		old: `ok && rfc3339.MatchString(strings.ToUpper(s))`, new: `ok`,
	},
}

package plan

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/internal/pace"
)

// tree is a store of rows below rows, and what generated code would be for it.
type tree struct {
	rows  []row
	texts atomic.Int64 // how many were written
	text  func(ctx context.Context, r *row) error
	large bool // answers are known to be
	whole bool // answers are made in turns from their beginning

	beside int // how many rows of a list are written at the same time; 0: as usual
}

type row struct {
	text  string
	below []row
}

var treeSchema = gqlparser.MustLoadSchema(&ast.Source{Input: `
	type Query { rows: [Row]! first: Row }
	type Row { text: String! mayLack: String one(x: Int): Row other(x: Int): Row below: [Row!]! }`})

var treeResolved = map[string]bool{"Query.rows": true, "Query.first": true, "Row.one": true, "Row.other": true, "Row.below": true}

func (x *tree) place(_ context.Context, f graphql.CollectedField) (*graphql.FieldContext, error) {
	return &graphql.FieldContext{Object: f.ObjectDefinition.Name, Field: f}, nil
}

func (x *tree) query(ctx context.Context, w *Writer, f *Field, _ *struct{}) bool {
	ctx, _ = Enter(x, ctx, w, f, (*tree).place)
	if f.Name == "first" {
		return x.row(ctx, w, f, &x.rows[0])
	}
	return List(x, ctx, w, f, x.rows, (*tree).row)
}

func (x *tree) row(ctx context.Context, w *Writer, f *Field, r *row) bool {
	return Object(x, ctx, w, f.Object(), r, (*tree).field)
}

func (x *tree) field(ctx context.Context, w *Writer, f *Field, r *row) bool {
	switch f.Name {
	case "below":
		ctx, _ = Enter(x, ctx, w, f, (*tree).place)
		return List(x, ctx, w, f, r.below, (*tree).row)
	case "one", "other":
		ctx, _ = Enter(x, ctx, w, f, (*tree).place)
		return x.row(ctx, w, f, &r.below[0])
	}
	x.texts.Add(1)
	if x.text != nil {
		if err := x.text(ctx, r); err != nil {
			return Fail(ctx, err)
		}
	}
	w.Bytes = appendQuoted(w.Bytes, r.text)
	return true
}

// many returns rows of a text, each with as many below it.
func many(n, depth int, text string) []row {
	if depth == 0 {
		return nil
	}
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{text, many(n, depth-1, text)}
	}
	return rows
}

// answering is a request of a tree, which takes what it writes from left, nil for any size.
func (x *tree) answering(t *testing.T, ctx context.Context, text string, spend func(int) bool) (answer string, errs []error) {
	t.Helper()
	return x.by(t, ctx, New(treeSchema, treeResolved), operationOf(t, treeSchema, text), spend)
}

func (x *tree) by(t *testing.T, ctx context.Context, plans *Plans, oc *graphql.OperationContext, spend func(int) bool) (answer string, errs []error) {
	t.Helper()
	oc.RecoverFunc = func(_ context.Context, cause any) error { return errors.New("a panic") }
	oc.RootResolverMiddleware = func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) }
	ctx = graphql.WithResponseContext(graphql.WithOperationContext(ctx, oc), graphql.DefaultErrorPresenter, oc.RecoverFunc)
	if spend != nil {
		ctx = WithLimit(ctx, &Limit{Size: spending(spend), Turns: pace.NewPlaces(1), Large: x.large, Whole: x.whole, Beside: x.beside})
	}
	b := Execute(x, ctx, plans.Of(oc), (*tree).query)
	for _, err := range graphql.GetErrors(ctx) {
		errs = append(errs, err)
	}
	return string(b), errs
}

// The shapes of answers: rows one after the other, rows beside each other, fields of one
// object beside each other, and both below both.
var shapes = map[string]string{
	"rows":              `{ rows { text below { text } } }`,
	"rows beside":       `{ rows { one(x: 1) { text below { text } } } }`,
	"fields beside":     `{ first { text one(x: 1) { text } other(x: 1) { text below { text } } } }`,
	"both":              `{ rows { text one(x: 1) { text below { other(x: 2) { text } } } other(x: 1) { below { one(x: 3) { text } text } } } }`,
	"several at a time": `{ rows { text } again: rows { one(x: 1) { text } } first { other(x: 1) { text } one(x: 1) { text } } }`,
}

// What an answer holds is told once, whoever wrote it, in however many places at a time.
func TestWhatIsWrittenIsToldOnce(t *testing.T) {
	t.Parallel()
	for name, text := range shapes {
		for _, size := range []int{1, 3 * chunk} {
			x := &tree{rows: many(3, 5, strings.Repeat("x", size)), whole: size == 1}
			plans, oc := New(treeSchema, treeResolved), operationOf(t, treeSchema, text)
			for range 3 { // the second time with writers that were used
				var told atomic.Int64
				answer, errs := x.by(t, t.Context(), plans, oc, func(bytes int) bool { told.Add(int64(bytes)); return true })
				frame := len("{}")
				for _, f := range plans.Of(oc).query.fields {
					frame += len(f.key)
				}
				if int(told.Load()) != len(answer)-frame || len(errs) > 0 {
					t.Errorf("%s, texts of %d bytes: %d bytes were told and %d written; %v", name, size, told.Load(), len(answer)-frame, errs)
				}
			}
		}
	}
}

// An answer that has no room is not written on: each of those who write it ends soon.
func TestNothingIsWrittenWithoutRoom(t *testing.T) {
	t.Parallel()
	aliases := &strings.Builder{}
	for i := range 200 {
		aliases.WriteString(" a" + strings.Repeat("b", i) + ": text")
	}
	for name, text := range map[string]string{
		"one object":    `{ first {` + aliases.String() + ` } }`,
		"rows":          `{ rows { below { text } } }`,
		"rows beside":   `{ rows { one(x: 1) {` + aliases.String() + ` } } }`,
		"fields beside": `{ first { one(x: 1) {` + aliases.String() + ` } other(x: 1) {` + aliases.String() + ` } } }`,
	} {
		x := &tree{rows: many(14, 2, strings.Repeat("x", 2*chunk))}
		var refused atomic.Bool
		answer, _ := x.answering(t, t.Context(), text, func(int) bool { refused.Store(true); return false })
		// Each writer finds out with its first look, and an object that is null may be
		// followed by one more that looks.
		if written := x.texts.Load(); !refused.Load() || written > 14*14+1 || strings.HasPrefix(name, "one") && written > 1 || strings.HasPrefix(name, "fields") && written > 2 || name == "rows beside" && written > 14 {
			t.Errorf("%s: %d texts were written, %d bytes are left", name, written, len(answer))
		}
	}
}

// A list ends with its context, and says why it is not there.
func TestAListEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	x := &tree{rows: many(50, 1, "x")}
	x.text = func(context.Context, *row) error {
		if x.texts.Load() == 3 {
			leave()
		}
		return nil
	}
	answer, errs := x.answering(t, ctx, `{ rows { text } }`, nil)
	if answer != "null" || len(errs) != 1 || !errors.Is(errs[0], context.Canceled) || x.texts.Load() != 3 {
		t.Errorf("%s, %v after %d rows", answer, errs, x.texts.Load())
	}
}

// An error tells its place, of rows one after the other and beside each other, and what may
// lack around it is null.
func TestErrorsHaveTheirPlaces(t *testing.T) {
	t.Parallel()
	x := &tree{rows: []row{{"a", many(1, 1, "good")}, {"b", many(1, 1, "bad")}, {"c", many(1, 1, "good")}}}
	x.text = func(_ context.Context, r *row) error {
		if r.text == "bad" {
			return errors.New("broken")
		}
		return nil
	}
	for text, want := range map[string][2]string{
		`{ rows { text below { text } } }`:                    {`{"rows":[{"text":"a","below":[{"text":"good"}]},null,{"text":"c","below":[{"text":"good"}]}]}`, "rows[1].below[0]"},
		`{ rows { one(x: 1) { text } } }`:                     {`{"rows":[{"one":{"text":"good"}},{"one":null},{"one":{"text":"good"}}]}`, "rows[1].one"},
		`{ rows { one(x: 1) { mayLack } } }`:                  {`{"rows":[{"one":{"mayLack":"good"}},{"one":{"mayLack":null}},{"one":{"mayLack":"good"}}]}`, "rows[1].one"},
		`{ rows { text one(x: 1) { text } other { text } } }`: {`{"rows":[{"text":"a","one":{"text":"good"},"other":{"text":"good"}},{"text":"b","one":null,"other":null},{"text":"c","one":{"text":"good"},"other":{"text":"good"}}]}`, "rows[1].o"},
	} {
		answer, errs := x.answering(t, t.Context(), text, nil)
		if answer != want[0] || len(errs) == 0 {
			t.Errorf("%s\ngot  %s, %v\nwant %s", text, answer, errs, want[0])
		}
		for _, err := range errs {
			if !strings.Contains(err.Error(), want[1]) {
				t.Errorf("%s: %v, which is not of %s", text, err, want[1])
			}
		}
	}
}

// So many rows of a list are written at once, and no more; fewer where the answer may have fewer.
func TestRowsBesideEachOtherAreBounded(t *testing.T) {
	for may, want := range map[int]int{0: maxBeside, 4: 4, maxBeside + 1: maxBeside} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			now, most := 0, 0
			x := &tree{rows: many(100, 2, "x"), beside: may}
			x.text = func(context.Context, *row) error {
				mu.Lock()
				now++
				most = max(most, now)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				defer mu.Unlock()
				now--
				return nil
			}
			x.answering(t, t.Context(), `{ rows { one(x: 1) { text } } }`, func(int) bool { return true })
			if most != want || x.texts.Load() != 100 {
				t.Errorf("%d of %d rows were written at once, want %d", most, x.texts.Load(), want)
			}
		})
	}
}

// What a writer knows of an answer goes with it: the next one has other contexts.
func TestAReleasedWriterKnowsNothing(t *testing.T) {
	t.Parallel()
	p := &Plan{frames: 4}
	w := p.writer(&p.answers)
	w.paid, w.limit = 7, &Limit{}
	w.frames[1] = frame{parent: t.Context(), ctx: t.Context(), value: new(int)}
	aside := w.aside()
	aside.frames[2] = frame{parent: t.Context(), ctx: t.Context()}
	w.Bytes = append(w.Bytes, make([]byte, maxIdle/2)...)
	p.release(w)
	for _, w := range []*Writer{w, aside} {
		for _, f := range w.frames {
			if f != (frame{}) {
				t.Errorf("it keeps %+v", f)
			}
		}
		if w.paid != 0 || w.limit != nil || w.beside != nil || w.lent || len(w.Bytes) > 0 {
			t.Errorf("it keeps %+v", w)
		}
	}
	if cap(w.Bytes) < maxIdle/2 {
		t.Error("it has thrown its room away")
	}
	w.Bytes = make([]byte, maxIdle+1)
	p.release(w)
	if cap(w.Bytes) > maxIdle {
		t.Errorf("it keeps room for %d bytes", cap(w.Bytes))
	}
}

// Row after row has the same writer beside its own, unless that is in use.
func TestTheWriterBesideIsUsedAgain(t *testing.T) {
	t.Parallel()
	p := &Plan{}
	w := p.writer(&p.answers)
	first := w.aside()
	if w.aside() == first {
		t.Error("it is lent twice")
	}
	first.Bytes, first.paid = append(first.Bytes, "text"...), 4
	w.free([]part{{by: first, first: true}})
	if again := w.aside(); again != first || len(again.Bytes) > 0 || again.paid != 0 {
		t.Error("it is not used again, or not empty")
	}
}

package counted

import (
	"context"
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// settle finds out what became of an attempt under the guard of l.now: once the version has moved past the guard, the
// attempt is applied or never will be, and the rows that are read with the header, or after it, tell which.
//
// The header comes with the rows, in one statement: a command is told a count that has its change, and the copies,
// which go at the header's stamp, show no row that is older. Where there is none of the rows the header is the one
// read before; if a change exists without a row then, or may have been applied, it has to be one that did not move
// meanwhile: the rows of a partition that was closed since are gone.
func (l *leader[P, R]) settle(ctx context.Context, in []*pending[R]) error {
	tried := l.now
	now, err := l.HeaderSerial(ctx, l.parent)
	for err == nil {
		var rows map[blog.UUID]R
		var above *Header
		if rows, above, err = l.rowsOf(ctx, in, now.Version == tried.Version); err != nil {
			break
		}
		if above != nil {
			now = *above
		}
		verdicts, exists := judge(in, rows, now)
		if above == nil && (exists || slices.ContainsFunc(in, func(m *pending[R]) bool { return m.maybe })) {
			before := now
			if now, err = l.HeaderSerial(ctx, l.parent); err != nil || now != before {
				continue
			}
		}
		l.know(now)
		for m, v := range verdicts {
			l.answer(m, v.Outcome, v.err)
		}
		return nil
	}
	return err
}

// judge tells of each change whose row was read what is to be answered, if anything, and whether one of them exists.
func judge[R any](in []*pending[R], rows map[blog.UUID]R, now Header) (verdicts map[*pending[R]]answer, some bool) {
	verdicts = make(map[*pending[R]]answer, len(in))
	for _, m := range in {
		row, read := rows[m.Row]
		if !read {
			continue
		}
		exists, err := m.Reread(row, m.maybe)
		if m.maybe && now.Closed { // the row may be gone since
			err = cql.Unsure(err)
		}
		if exists || err != nil {
			verdicts[m] = answer{Outcome{now, now.Rows}, err}
		}
		some = some || exists && err == nil
	}
	return verdicts, some
}

// rowsOf reads the rows of changes in one statement, and with them the header: those that need a look, or all. Rows
// that do not exist are zero. Where none does, there is no header.
func (l *leader[P, R]) rowsOf(ctx context.Context, in []*pending[R], all bool) (rows map[blog.UUID]R, above *Header, err error) {
	var keys []blog.UUID
	for _, m := range in {
		if all || m.needsLook() {
			keys = append(keys, m.Row)
		}
	}
	if len(keys) == 0 {
		return nil, nil, nil
	}
	rows, now, err := l.RowsSerial(ctx, l.parent, keys)
	if len(rows) > 0 {
		above = &now
	}
	for _, key := range keys {
		if _, found := rows[key]; !found && err == nil {
			rows[key] = *new(R)
		}
	}
	return rows, above, err
}

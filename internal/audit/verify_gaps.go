package audit

import (
	"context"
	"fmt"

	"broadsheet/blog"
	"broadsheet/internal/pace"
)

// gaps looks for live rows in gaps, which say that there are none.
func (v *verification) gaps(ctx context.Context, part int) error {
	reader := v.reader.(GapReader)
	return reader.EachGap(ctx, part, func(hidden [][]any) error {
		v.read(blog.Gaps, 1)
		for _, key := range hidden {
			if err := v.hiddenRow(ctx, reader, key); err != nil {
				return err
			}
		}
		return v.step(ctx)
	})
}

// hiddenRow settles a row that stays hidden. A command that writes a row late cuts the gap right after.
func (v *verification) hiddenRow(ctx context.Context, reader GapReader, key []any) error {
	for round := range confirmations {
		if err := pace.Wait(ctx, breath(round)); err != nil {
			return err
		}
		if hidden, err := reader.Hides(ctx, key); err != nil || !hidden {
			return err
		}
	}
	return v.settle(ctx, Drift{
		Table: blog.Gaps, Kind: HiddenRow, Key: key, Row: fmt.Sprintf("%s, %s, %s", key...),
		Problem: "a row stands where readers take all rows for deleted",
	})
}

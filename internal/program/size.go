package program

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size is a number of bytes, as 1048576 or 1MiB.
type size int64

// units are what a size may be in, the powers of 1024.
var units = []struct {
	name  string
	bytes size
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}

// UnmarshalText is a method of [encoding.TextUnmarshaler].
func (s *size) UnmarshalText(text []byte) error {
	number, unit := string(text), size(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = rest, u.bytes
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n > math.MaxInt64/int64(unit) || n < math.MinInt64/int64(unit) {
		return fmt.Errorf("%q is no number of bytes, as 1048576, 1024KiB or 1MiB", text)
	}
	*s = size(n) * unit
	return nil
}

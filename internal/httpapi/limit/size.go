package limit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes, as 1048576 or 1MiB.
type Size int64

// sizes are what a Size may be in, the powers of 1024.
var sizes = []struct {
	name  string
	bytes Size
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}

// UnmarshalText is a method of [encoding.TextUnmarshaler].
func (s *Size) UnmarshalText(text []byte) error {
	number, unit := string(text), Size(1)
	for _, u := range sizes {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = rest, u.bytes
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n > math.MaxInt64/int64(unit) || n < math.MinInt64/int64(unit) {
		return fmt.Errorf("%q is no number of bytes, as 1048576, 1024KiB or 1MiB", text)
	}
	*s = Size(n) * unit
	return nil
}

package storetest

import (
	"os"
	"strconv"
	"testing"
)

// Sizes of the tests that a soak runs longer: `make soak` sets BROADSHEET_SOAK.
//
//	BROADSHEET_SOAK           runs the tests that are named TestSoak…, and the
//	                          others at ten times their size
//	BROADSHEET_SOAK_FACTOR    another factor

// SoakEnv is set by `make soak`.
const SoakEnv = "BROADSHEET_SOAK"

// Soaks skips t but in a soak.
func Soaks(t testing.TB) {
	t.Helper()
	if os.Getenv(SoakEnv) == "" {
		t.Skipf("%s is not set: this takes minutes; `make soak` runs it", SoakEnv)
	}
}

// SoakFactor is how much longer tests are to run.
func SoakFactor(t testing.TB) int {
	t.Helper()
	if os.Getenv(SoakEnv) == "" {
		return 1
	}
	text := os.Getenv("BROADSHEET_SOAK_FACTOR")
	if text == "" {
		return 10
	}
	factor, err := strconv.Atoi(text)
	if err != nil || factor < 1 {
		t.Fatalf("BROADSHEET_SOAK_FACTOR=%q: want a number", text)
	}
	return factor
}

// SoakTimes is a number of commands, or in a soak a multiple.
func SoakTimes(t testing.TB, n int) int { return n * SoakFactor(t) }

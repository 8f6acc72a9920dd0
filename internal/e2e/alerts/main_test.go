package alerts

import (
	"testing"

	"broadsheet/internal/e2e/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

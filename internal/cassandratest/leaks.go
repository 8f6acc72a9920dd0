package cassandratest

import (
	"testing"

	"go.uber.org/goleak"
)

// VerifyTestMain runs a package's tests, and fails where they leave a goroutine behind, but for what
// a shared node and closed sessions do.
func VerifyTestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// A node that the tests share is waited for as long as the process runs.
		goleak.IgnoreAnyFunction("broadsheet/internal/cassandratest.startProcess.func1"),
		goleak.IgnoreAnyFunction("broadsheet/internal/cassandratest/cqlnode.(*Node).accept"),
		goleak.IgnoreAnyFunction("broadsheet/internal/cassandratest/cqlnode.(*connection).serve"),
		// The driver still waits a second to connect again when its session is closed.
		goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*hostConnPool).connectMany"),
		goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*hostConnPool).connectMany.func1"),
		// A session that is closed while a schema changes still asks whether the nodes agree.
		goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*Conn).awaitSchemaAgreement"),
		// It leaves this behind where a session is closed before that has begun.
		goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*controlConn).heartBeat"))
}

package cassandratest

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// findJava prints the path of a Java that fits. The shell has it, so that `make test` can ask
// before Go has compiled anything.
//
//go:embed java.sh
var findJava string

// What the server reaches into, after conf/jvm17-server.options of Cassandra.
var (
	exported = []string{
		"java.base/java.lang.ref", "java.base/jdk.internal.misc",
		"java.management.rmi/com.sun.jmx.remote.internal.rmi",
		"java.rmi/sun.rmi.registry", "java.rmi/sun.rmi.server", "java.sql/java.sql",
		"jdk.attach/sun.tools.attach", "jdk.unsupported/sun.misc",
	}
	opened = []string{
		"java.base/java.io", "java.base/java.lang", "java.base/java.lang.module",
		"java.base/java.lang.reflect", "java.base/java.nio", "java.base/java.util",
		"java.base/java.util.concurrent", "java.base/java.util.concurrent.atomic", "java.base/java.util.concurrent.locks",
		"java.base/jdk.internal.loader", "java.base/jdk.internal.math",
		"java.base/jdk.internal.module", "java.base/jdk.internal.ref",
		"java.base/jdk.internal.reflect", "java.base/jdk.internal.util.jar",
		"java.base/sun.nio.ch", "jdk.management/com.sun.management.internal",
	}
)

// javaPath finds a Java that runs Cassandra, or says what there is instead: 17, which Cassandra
// 5.0 is made for, or 21, with securityManager. On 24 and later it does not start: it sets
// a security manager, which they refuse.
func javaPath(ctx context.Context) (string, error) {
	var complaint strings.Builder
	find := exec.CommandContext(ctx, "/bin/sh", "-c", findJava)
	find.Stderr = &complaint
	path, err := find.Output()
	if err != nil {
		return "", errors.New(strings.TrimSpace(cmp.Or(complaint.String(), err.Error())))
	}
	return strings.TrimSpace(string(path)), nil
}

// securityManager lets Cassandra set one, as it does at its start: Java 18 to 23 ask for this flag.
const securityManager = "-Djava.security.manager=allow"

// reaches are the arguments that let the server reach into Java.
func reaches() (args []string) {
	for _, name := range exported {
		args = append(args, "--add-exports="+name+"=ALL-UNNAMED")
	}
	for _, name := range opened {
		args = append(args, "--add-opens="+name+"=ALL-UNNAMED")
	}
	return args
}

// javaArgs are the arguments with which java is a node that lives in dir.
func javaArgs(dir, jars string, jmx int, o Options) []string {
	args := append(reaches(),
		securityManager,
		// Cassandra locks the heap it has in memory, so it begins small.
		"-Xms64m", fmt.Sprintf("-Xmx%dm", o.HeapMB), "-Xss256k",
		"-XX:MaxDirectMemorySize=256m", "-XX:+UseSerialGC",
		"-XX:+ExitOnOutOfMemoryError", "-XX:+PerfDisableSharedMem",
		"-XX:ErrorFile="+filepath.Join(dir, "hs_err.log"),
		"-Djava.io.tmpdir="+filepath.Join(dir, "tmp"),
		"-Djava.net.preferIPv4Stack=true",
		"-Djdk.attach.allowAttachSelf=true",
		"-Dio.netty.tryReflectionSetAccessible=true",
		"-Dlogback.configurationFile="+filepath.Join(dir, "logback.xml"),
		"-Dcassandra.config=file://"+filepath.Join(dir, "cassandra.yaml"),
		"-Dcassandra.storagedir="+dir,
		"-Dcassandra.logdir="+dir,
		"-Dcassandra-foreground=yes",
	)
	if o.JMX { // none is had by naming no port for it
		args = append(args, fmt.Sprintf("-Dcassandra.jmx.local.port=%d", jmx))
	}
	args = append(args, quickProperties(o)...)
	args = append(args, o.JVM...)
	return append(args, "-cp", dir+":"+filepath.Join(jars, "*"), "org.apache.cassandra.service.CassandraDaemon") // the folder has the datacentre
}

// quickProperties make a node's start short without weakening what it stores.
func quickProperties(o Options) []string {
	props := []string{
		"-Dcassandra.skip_wait_for_gossip_to_settle=0",
		"-Dcassandra.ring_delay_ms=2000",
		// So that a read of ALL copies is one of all nodes: see agree.
		fmt.Sprintf("-Dcassandra.system_distributed.default_rf=%d", o.Nodes),
	}
	if !o.Optimize {
		props = append(props, "-XX:TieredStopAtLevel=1")
	}
	return props
}

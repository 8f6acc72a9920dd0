package cassandratest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// javaVersion finds 17 in `openjdk version "17.0.15" 2025-04-15`.
var javaVersion = regexp.MustCompile(`version "(\d+)`)

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
		"java.base/java.util.concurrent", "java.base/java.util.concurrent.atomic",
		"java.base/jdk.internal.loader", "java.base/jdk.internal.math",
		"java.base/jdk.internal.module", "java.base/jdk.internal.ref",
		"java.base/jdk.internal.reflect", "java.base/jdk.internal.util.jar",
		"java.base/sun.nio.ch", "jdk.management/com.sun.management.internal",
	}
)

// javaUsable returns nil if a node can be launched with Java, jars fetched or
// fetchable, and else what is missing.
func javaUsable(ctx context.Context) error {
	if _, err := javaPath(ctx); err != nil {
		return err
	}
	dir, err := jarsDir()
	if err != nil {
		return err
	}
	if exists(dir) {
		return nil
	}
	_, err = exec.LookPath("mvn")
	return err
}

// javaPath finds a Java 17: that of JAVA_HOME, else that on the PATH.
// Cassandra 5.0 runs on no later one.
func javaPath(ctx context.Context) (string, error) {
	candidates := []string{"java"}
	if home := os.Getenv("JAVA_HOME"); home != "" {
		candidates = []string{filepath.Join(home, "bin", "java"), "java"}
	}
	var found error
	for _, java := range candidates {
		out, err := exec.CommandContext(ctx, java, "-version").CombinedOutput()
		if err != nil {
			found = fmt.Errorf("%s -version: %w", java, err)
			continue
		}
		m := javaVersion.FindSubmatch(out)
		if m != nil && string(m[1]) == "17" {
			return exec.LookPath(java)
		}
		first, _, _ := strings.Cut(string(out), "\n")
		found = fmt.Errorf("%s is %s", java, strings.TrimSpace(first))
	}
	return "", found
}

// javaArgs are the arguments with which java is a node that lives in dir.
func javaArgs(dir, jars string, o Options) []string {
	var args []string
	for _, name := range exported {
		args = append(args, "--add-exports="+name+"=ALL-UNNAMED")
	}
	for _, name := range opened {
		args = append(args, "--add-opens="+name+"=ALL-UNNAMED")
	}
	args = append(args,
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
		// No JMX is had by naming no port for it.
	)
	args = append(args, quickProperties(o)...)
	args = append(args, o.JVM...)
	return append(args, "-cp", filepath.Join(jars, "*"), "org.apache.cassandra.service.CassandraDaemon")
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

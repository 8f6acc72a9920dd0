package cassandratest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	dockerImage = "cassandra:5.0"

	// dockerYAML is where the container finds our cassandra.yaml. The image's
	// own is rewritten by its entry point.
	dockerYAML = "/broadsheet-cassandra.yaml"
)

// dockerUsable returns nil if a Docker daemon answers. The image is pulled
// when it is first used.
func dockerUsable(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_, err := docker(ctx, "version", "--format", "{{.Server.Version}}")
	return err
}

// docker runs the client and returns what it printed.
func docker(ctx context.Context, args ...string) (string, error) {
	var complaint strings.Builder
	cmd := exec.CommandContext(ctx, "docker", args...)
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("docker %s: %w: %s", args[0], err, lastLines(complaint.String(), 3))
	}
	return strings.TrimSpace(string(out)), nil
}

// startDocker launches one node in a container that listens on a free port of
// 127.0.0.1, the same inside and outside.
func startDocker(ctx context.Context, o Options) (*Cluster, error) {
	if o.Nodes > 1 {
		return nil, fmt.Errorf("cassandratest: %d nodes: Docker launches one, for more install Java 17 or 21", o.Nodes)
	}
	ports, err := freePorts([]string{"127.0.0.1"}, 1)
	if err != nil {
		return nil, err
	}
	ctx, cancel := startLimit(ctx, 1)
	defer cancel()
	id, err := docker(ctx, dockerCreateArgs(ports[0], o)...)
	if err != nil {
		return nil, fmt.Errorf("cassandratest: %w", err)
	}
	c := &Cluster{source: Docker, container: id}
	c.nodes = []*Node{{cluster: c, host: fmt.Sprintf("127.0.0.1:%d", ports[0])}}
	c.close = sync.OnceValue(c.removeContainer)
	if err := c.runContainer(ctx, ports[0], o); err != nil {
		logs, _ := docker(context.WithoutCancel(ctx), "logs", "--tail", "20", id)
		_ = c.Close()
		return nil, fmt.Errorf("cassandratest: %w\n%s", err, logs)
	}
	return c, nil
}

// dockerCreateArgs are the arguments that create the container, not started
// yet.
func dockerCreateArgs(port int, o Options) []string {
	extra := append(quickProperties(o), "-Dcassandra.config=file://"+dockerYAML)
	extra = append(extra, o.JVM...)
	return []string{"create", "--rm",
		"-p", fmt.Sprintf("127.0.0.1:%d:%d", port, port),
		"-e", fmt.Sprintf("MAX_HEAP_SIZE=%dM", o.HeapMB),
		"-e", fmt.Sprintf("HEAP_NEWSIZE=%dM", o.HeapMB/4),
		"-e", "JVM_EXTRA_OPTS=" + strings.Join(extra, " "),
		dockerImage,
	}
}

// runContainer copies the configuration in, starts the container and waits
// until it serves.
func (c *Cluster) runContainer(ctx context.Context, port int, o Options) error {
	yaml, err := cassandraYAML(nodeConfig{
		Dir: "/var/lib/cassandra", Tokens: tokens(0, 1), CommitLogSync: o.CommitLogSync,
		Listen: "127.0.0.1", StoragePort: 7000, Seeds: "127.0.0.1:7000",
		RPC: "0.0.0.0", BroadcastRPC: "127.0.0.1", NativePort: port,
	}, o.Settings)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "broadsheet-docker-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	file := filepath.Join(tmp, "cassandra.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o644); err != nil {
		return err
	}
	// Copied and not mounted: the daemon may run on another machine.
	if _, err := docker(ctx, "cp", file, c.container+":"+dockerYAML); err != nil {
		return err
	}
	if _, err := docker(ctx, "start", c.container); err != nil {
		return err
	}
	host := c.nodes[0].host
	return poll(ctx, func(ctx context.Context) error { return ping(ctx, host) }, func() error {
		_, err := docker(ctx, "inspect", "--format", "{{.State.Running}}", c.container)
		return err // with --rm, one that ended is gone
	})
}

// removeContainer is Close, once.
func (c *Cluster) removeContainer() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	_, err := docker(ctx, "rm", "--force", "--volumes", c.container)
	return err
}

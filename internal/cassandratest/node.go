package cassandratest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stopLimit is how long a node may take to drain and end after SIGTERM.
const stopLimit = time.Minute

// Node is one node of a Cluster. Its methods may be called from several
// goroutines, but what two at once leave behind is not defined. Only a node
// that Java runs can be controlled; of others, all methods that would return
// errors.ErrUnsupported.
type Node struct {
	cluster *Cluster
	host    string   // "ip:port"
	dir     string   // its data and logs
	java    string   // the program; empty if it's not a process of ours
	args    []string // its arguments
	env     []string // beside this process's environment
	jars    string
	jmx     int // its port

	mu     sync.Mutex
	proc   *process // nil before the first start
	paused bool
}

// Host returns the node's address for CQL, "ip:port". It keeps it over a
// Restart.
func (n *Node) Host() string { return n.host }

// Log returns the file to which the node logs. Close removes it.
func (n *Node) Log() string { return filepath.Join(n.dir, "system.log") }

// Kill sends SIGKILL and returns when the node is gone. Its peers
// get no word of it: they notice as phi_convict_threshold has it. Killing a node that doesn't run does nothing.
func (n *Node) Kill() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.end(os.Kill)
}

// Stop sends SIGTERM, with which the node takes leave of its peers and
// flushes, and returns when it has ended. A paused node is resumed for it.
// Stopping a node that doesn't run does nothing. A node that takes longer
// than a minute is killed, and an error returned.
func (n *Node) Stop() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.end(syscall.SIGTERM)
}

// Restart starts the node again, on its address and with its data, after
// stopping it as Stop does if it runs. It returns when the node answers CQL
// and, if all others run as well, all see each other. An error carries the
// end of the node's log.
func (n *Node) Restart(ctx context.Context) error {
	if err := n.Stop(); err != nil {
		return err
	}
	ctx, cancel := startLimit(ctx, 1)
	defer cancel()
	if err := n.launch(); err != nil {
		return err
	}
	if err := n.awaitServing(ctx); err != nil {
		return err
	}
	if !n.cluster.allRun() {
		return nil
	}
	return n.cluster.awaitAgreement(ctx)
}

// Pause freezes the node with SIGSTOP: its connections stay open and nothing
// answers. It is an error if the node doesn't run.
func (n *Node) Pause() error { return n.freeze(sigPause, true) }

// Resume lets a paused node go on.
func (n *Node) Resume() error { return n.freeze(sigResume, false) }

func (n *Node) freeze(s os.Signal, paused bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.controllable(); err != nil {
		return err
	}
	if n.proc == nil || n.proc.ended() {
		return fmt.Errorf("cassandratest: node %s doesn't run", n.host)
	}
	if err := n.proc.signal(s); err != nil {
		return fmt.Errorf("cassandratest: node %s: %w", n.host, err)
	}
	if n.paused = paused; paused {
		return awaitStopped(n.proc.cmd.Process.Pid)
	}
	return nil
}

// Data is the folder with the tables' files: a folder for each keyspace.
func (n *Node) Data() string { return filepath.Join(n.dir, "data") }

// Lose kills the node and removes all that it has stored, as the loss of its disks does. A Restart makes a new node of
// it, which works only if all nodes were lost.
func (n *Node) Lose() error {
	err := n.Kill()
	for _, folder := range []string{"data", "commitlog", "saved_caches", "hints", "cdc_raw"} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(n.dir, folder)))
	}
	return err
}

// Replace loses the node and its disks, and has an empty one take its place and address, which gets all data from the
// others. These have to have noticed that it is gone.
func (n *Node) Replace(ctx context.Context) error {
	if err := n.Lose(); err != nil {
		return err
	}
	ip, _, _ := strings.Cut(n.host, ":")
	file := filepath.Join(n.dir, "cassandra.yaml")
	yaml, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	own := regexp.QuoteMeta(ip) + `:\d+`
	for before, after := range map[string]string{ // a seed, or one whose data is laid out, would not ask for it
		own + ",|," + own: "", "initial_token: .*": "", "auto_bootstrap: false": "auto_bootstrap: true",
	} {
		yaml = regexp.MustCompile(before).ReplaceAll(yaml, []byte(after))
	}
	if err := os.WriteFile(file, yaml, 0o644); err != nil {
		return err
	}
	n.args = append([]string{"-Dcassandra.replace_address_first_boot=" + ip}, n.args...)
	return n.Restart(ctx)
}

// Nodetool returns a command line that is Cassandra's nodetool for the node: what it is to do comes behind. Options.JMX
// has to be set.
func (n *Node) Nodetool() []string {
	return slices.Concat([]string{n.java}, reaches(), []string{
		"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-Djava.net.preferIPv4Stack=true",
		"-Duser.home=" + filepath.Join(n.dir, "tmp"), // where it keeps a history
		"-Dcassandra.config=file://" + filepath.Join(n.dir, "cassandra.yaml"),
		"-Dlogback.configurationFile=" + filepath.Join(n.dir, "silent.xml"),
		"-cp", filepath.Join(n.jars, "*"), "org.apache.cassandra.tools.NodeTool",
		"-h", "127.0.0.1", "-p", fmt.Sprint(n.jmx),
	})
}

// runs reports whether the node runs and isn't paused.
func (n *Node) runs() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.proc != nil && !n.proc.ended() && !n.paused
}

// controllable returns an error if the node is not a process of ours.
func (n *Node) controllable() error {
	if n.java == "" {
		return fmt.Errorf("cassandratest: node %s is no process of this one: %w", n.host, errors.ErrUnsupported)
	}
	return nil
}

// end sends s and waits for the end. The caller holds mu.
func (n *Node) end(s os.Signal) error {
	if err := n.controllable(); err != nil {
		return err
	}
	if n.proc == nil || n.proc.ended() {
		return nil
	}
	if err := n.signalAwake(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("cassandratest: node %s: %w", n.host, err)
	}
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	select {
	case <-n.proc.done:
		return nil
	case <-limit.C:
		_ = n.proc.signal(os.Kill)
		<-n.proc.done
		return fmt.Errorf("cassandratest: node %s killed, it had not ended %v after signal %v", n.host, stopLimit, s)
	}
}

// signalAwake sends s to the node, which a paused one gets when resumed. One
// that is to be killed stays as it is: it must not write another byte.
func (n *Node) signalAwake(s os.Signal) error {
	err := n.proc.signal(s)
	if err == nil && n.paused && s != os.Kill {
		err = n.proc.signal(sigResume)
	}
	n.paused = false
	return err
}

// launch starts the process and returns at once.
func (n *Node) launch() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	out, err := os.OpenFile(n.outFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(n.java, n.args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = n.dir, out, out
	cmd.Env = append(os.Environ(), n.env...)
	if n.proc, err = startProcess(cmd); err != nil {
		return fmt.Errorf("cassandratest: node %s: %w", n.host, err)
	}
	return nil
}

// awaitServing waits until the node answers CQL. If it ends instead, or ctx
// does, the error carries the last lines of what it wrote.
func (n *Node) awaitServing(ctx context.Context) error {
	attempt := func(ctx context.Context) error { return ping(ctx, n.host) }
	if err := poll(ctx, attempt, n.endedEarly); err != nil {
		return fmt.Errorf("cassandratest: node %s doesn't serve: %w\n%s", n.host, err, n.lastWords())
	}
	return nil
}

// endedEarly returns an error if the process ended.
func (n *Node) endedEarly() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.proc.ended() {
		return fmt.Errorf("it ended: %w", cmp.Or(n.proc.err, errors.New("exit status 0")))
	}
	return nil
}

// outFile gets what the node writes to its standard output and error.
func (n *Node) outFile() string { return filepath.Join(n.dir, "out.log") }

// lastWords are the last lines of the node's log and output.
func (n *Node) lastWords() string {
	words := ""
	for _, file := range []string{n.Log(), n.outFile()} {
		if text, err := os.ReadFile(file); err == nil && len(text) > 0 {
			words += "--- end of " + filepath.Base(file) + "\n" + lastLines(string(text), 20) + "\n"
		}
	}
	return words
}

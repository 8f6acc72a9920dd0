package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/prometheus/procfs"
)

// storeEnvironment returns the store's flags as environment variables, for a process
// that shall have the same store.
func storeEnvironment(line *kong.Context) []string {
	var all []string
	for _, flag := range line.Flags() {
		if flag.Group == nil || flag.Group.Key != "Store" {
			continue
		}
		text := fmt.Sprint(flag.Target.Interface())
		if flag.Target.Kind() == reflect.Slice {
			text = strings.Join(flag.Target.Interface().([]string), ",")
		}
		if text != "" {
			all = append(all, flag.Envs[0]+"="+text)
		}
	}
	return all
}

// subprocess is this program in a process of its own.
type subprocess struct {
	url     string
	admin   string // where it answers operators; empty: it did not say so before
	command *exec.Cmd
	input   io.Closer // the tests' binary ends with it
	ended   chan error
}

// subprocessEnds is how long one may take to end by itself.
const subprocessEnds = 30 * time.Second

// startSubprocess starts this program with a command, and waits until it says where it
// listens. The rest of what it says is dropped.
func startSubprocess(ctx context.Context, url *regexp.Regexp, environment []string, args ...string) (*subprocess, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &subprocess{command: exec.CommandContext(ctx, path, args...), ended: make(chan error, 1)}
	c.command.Env = append(os.Environ(), environment...)
	c.command.Cancel = func() error { return c.command.Process.Signal(os.Interrupt) }
	c.command.WaitDelay = subprocessEnds
	output, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.command.Stderr = c.command.Stdout // its log
	if c.input, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	said := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if found := operatorsURL.FindStringSubmatch(lines.Text()); found != nil {
				c.admin = found[1]
				continue
			}
			if found := url.FindString(lines.Text()); found != "" {
				said <- found
				break
			}
		}
		_, _ = io.Copy(io.Discard, output)
		c.ended <- c.command.Wait()
	}()
	select {
	case c.url = <-said:
		return c, nil
	case err := <-c.ended:
		return nil, fmt.Errorf("%s ended before it listened (%w): run it by itself to see why", strings.Join(c.command.Args, " "), err)
	}
}

// operatorsURL is in the line of a server's log that says where it answers operators.
var operatorsURL = regexp.MustCompile(`"answering operators" url=(http://\S+)`)

// cpu returns the CPU time that the subprocess has used, in steps of 10 ms.
func (c *subprocess) cpu() (time.Duration, error) { return cpuTime(c.command.Process.Pid) }

func cpuTime(pid int) (time.Duration, error) {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return 0, fmt.Errorf("the time of a process can't be read here, but on Linux: %w", err)
	}
	stat, err := process.Stat()
	return time.Duration(stat.CPUTime() * float64(time.Second)), err
}

// stop ends the subprocess and waits for it.
func (c *subprocess) stop() error {
	_ = c.command.Process.Signal(os.Interrupt) // it may have ended
	err := <-c.ended
	_ = c.input.Close()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == -1 {
		return nil // ended by the signal itself
	}
	return err
}

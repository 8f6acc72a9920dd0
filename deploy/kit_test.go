// Package deploy has no code of its own: its tests read the files beside it as the programs do that they
// are for, and give their flags and variables to the server.
package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

var program string // the server

func TestMain(m *testing.M) {
	os.Exit(built(m))
}

func built(m *testing.M) int {
	directory, err := os.MkdirTemp("", "broadsheet-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(directory)
	program = filepath.Join(directory, "broadsheet")
	if out, err := exec.Command("go", "build", "-C", "..", "-o", program, ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
	return m.Run()
}

// accepts fails unless the program takes a command line with variables: what is wrong with these it says
// with exit code 2. Of serve it is asked by check, which starts nothing.
func accepts(t *testing.T, arguments []string, variables map[string]string) {
	t.Helper()
	if arguments = slices.Clone(arguments); arguments[0] == "serve" {
		arguments[0] = "check"
	}
	command := exec.Command(program, arguments...)
	command.Dir = t.TempDir()
	for name, value := range variables {
		command.Env = append(command.Env, name+"="+value)
	}
	out, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil && exit.ExitCode() == 2 {
		t.Errorf("broadsheet %v with %v:\n%s", arguments, slices.Sorted(maps.Keys(variables)), out)
	}
}

func TestCompose(t *testing.T) {
	options, err := cli.NewProjectOptions([]string{"compose.yaml"}, cli.WithProfiles([]string{"*"}))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ours := 0
	for _, service := range project.Services {
		if service.Image != "broadsheet" {
			continue
		}
		ours++
		variables := map[string]string{}
		for name, value := range service.Environment {
			variables[name] = *value
		}
		if hosts := "BROADSHEET_CASSANDRA_HOSTS"; variables[hosts] != "" {
			variables[hosts] = "127.0.0.1:1"
		}
		command := slices.Clone(service.Command)
		for i, word := range command {
			if filepath.IsAbs(word) {
				command[i] = filepath.Join(t.TempDir(), "keys")
			}
		}
		accepts(t, command, variables)
	}
	if ours != 3 {
		t.Errorf("%d services are of this image, want 3: a key, the migrations, the server", ours)
	}
	if _, needed := project.Services["broadsheet"].DependsOn["migrate"]; !needed {
		t.Error("the server does not wait for the migrations")
	}
	if condition := project.Services["migrate"].DependsOn["cassandra"].Condition; condition != types.ServiceConditionHealthy {
		t.Errorf("the migrations wait for a node that is %q", condition)
	}
}

// manifests are the documents of the folder, by their kinds: fields that these don't have are refused.
func manifests(t *testing.T) (job batchv1.Job, deployment appsv1.Deployment) {
	t.Helper()
	files, err := filepath.Glob("kubernetes/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var service corev1.Service
	var budget policyv1.PodDisruptionBudget
	kinds := map[string]any{"Job": &job, "Deployment": &deployment, "Service": &service, "PodDisruptionBudget": &budget}
	for _, file := range files {
		for document := range bytes.SplitSeq(read(t, file), []byte("\n---\n")) {
			var head struct{ Kind string }
			if err := yaml.Unmarshal(document, &head); err != nil {
				t.Fatal(file, err)
			}
			if kind, ours := kinds[head.Kind]; ours {
				if err := yaml.UnmarshalStrict(document, kind); err != nil {
					t.Errorf("%s: %v", file, err)
				}
				delete(kinds, head.Kind)
			}
		}
	}
	if len(kinds) > 0 {
		t.Errorf("there is no %v", slices.Sorted(maps.Keys(kinds)))
	}
	for name, selector := range map[string]map[string]string{"service": service.Spec.Selector, "budget": budget.Spec.Selector.MatchLabels} {
		for key, value := range selector {
			if deployment.Spec.Template.Labels[key] != value {
				t.Errorf("the %s chooses by %s=%s, which the servers don't have", name, key, value)
			}
		}
	}
	return job, deployment
}

func TestKubernetes(t *testing.T) {
	job, deployment := manifests(t)
	var settings struct {
		Resources          []string
		ConfigMapGenerator []struct {
			Name     string
			Literals []string
		}
	}
	if err := yaml.Unmarshal(read(t, "kubernetes/kustomization.yaml"), &settings); err != nil {
		t.Fatal(err)
	}
	for _, pod := range []corev1.PodSpec{job.Spec.Template.Spec, deployment.Spec.Template.Spec} {
		container := pod.Containers[0]
		if pod.EnableServiceLinks == nil || *pod.EnableServiceLinks {
			t.Errorf("%s: Kubernetes adds BROADSHEET_PORT and others for the service, which the server refuses", container.Name)
		}
		if !*pod.SecurityContext.RunAsNonRoot || !*container.SecurityContext.ReadOnlyRootFilesystem {
			t.Errorf("%s may do more than it has to", container.Name)
		}
		variables := map[string]string{}
		for _, generated := range settings.ConfigMapGenerator {
			for _, literal := range generated.Literals {
				name, value, _ := strings.Cut(literal, "=")
				variables[name] = value
			}
		}
		for _, variable := range container.Env {
			variables[variable.Name] = variable.Value
			if variable.ValueFrom != nil {
				variables[variable.Name] = "secret"
			}
		}
		variables["BROADSHEET_CASSANDRA_HOSTS"] = "127.0.0.1:1"
		accepts(t, container.Args, variables)
	}
}

func TestUnit(t *testing.T) {
	variables := map[string]string{}
	for line := range strings.Lines(string(read(t, "broadsheet.env"))) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			variables[name] = value
		}
	}
	variables["BROADSHEET_DATA_DIR"] = filepath.Join(t.TempDir(), "data")
	run := regexp.MustCompile(`(?m)^Exec\w+=-?/usr/local/bin/broadsheet (.*)$`).FindAllStringSubmatch(string(read(t, "broadsheet.service")), -1)
	if len(run) != 2 {
		t.Fatalf("the unit runs %v, want check and serve", run)
	}
	for _, line := range run {
		accepts(t, strings.Fields(line[1]), variables)
	}
}

func TestEveryAlertHasARunbookAndATest(t *testing.T) {
	named := func(pattern, file string) (names []string) {
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(read(t, file)), -1) {
			names = append(names, found[1])
		}
		return slices.Compact(slices.Sorted(slices.Values(names)))
	}
	alerts := named(`(?m)- alert: (\w+)`, "alerts.yml")
	for file, pattern := range map[string]string{"runbooks.md": `(?m)^## (\w+)$`, "alerts_test.yml": `alertname: (\w+)`} {
		if names := named(pattern, file); !slices.Equal(alerts, names) {
			t.Errorf("alerts: %v\n%s: %v", alerts, file, names)
		}
	}
}

func TestDashboard(t *testing.T) {
	var dashboard struct {
		Title, UID string
		Panels     []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(read(t, "grafana.json"), &dashboard); err != nil {
		t.Fatal(err)
	}
	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, panel := range dashboard.Panels {
		if ids[panel.ID] || panel.Title == "" || len(panel.Targets) == 0 {
			t.Errorf("panel %d, %q: its id is another's, or it shows nothing", panel.ID, panel.Title)
		}
		ids[panel.ID] = true
		for x := panel.GridPos.X; x < panel.GridPos.X+panel.GridPos.W; x++ {
			if place := [2]int{x, panel.GridPos.Y}; x >= 24 || taken[place] != "" {
				t.Errorf("%q is beyond the grid or lies on %q", panel.Title, taken[place])
			} else {
				taken[place] = panel.Title
			}
		}
	}
}

// The image that an engine builds is of files that a release has.
func TestDockerfile(t *testing.T) {
	for _, line := range regexp.MustCompile(`(?m)^(?:ADD|COPY) (\S+) `).FindAllStringSubmatch(string(read(t, "Dockerfile")), -1) {
		if !slices.Contains([]string{"dist/rootfs.tar.gz", "dist/broadsheet-linux-${TARGETARCH}"}, line[1]) {
			t.Errorf("it copies %s, which make release does not write", line[1])
		}
	}
}

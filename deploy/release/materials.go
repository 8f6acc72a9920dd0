package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// writeMaterials lists the modules that a binary was made of, Go itself, and packages of the pages (CycloneDX 1.6).
func writeMaterials(b built, pages []cyclonedx.Component) error {
	info, err := buildinfo.ReadFile(b.file)
	if err != nil {
		return err
	}
	program := component(&debug.Module{Path: info.Main.Path, Version: b.version})
	program.Type = cyclonedx.ComponentTypeApplication
	parts := []cyclonedx.Component{component(&debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")})}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, component(m))
	}
	parts = append(parts, pages...)
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: &program}
	bom.Components = &parts
	var out bytes.Buffer
	encoder := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false)
	if err := encoder.EncodeVersion(bom, cyclonedx.SpecVersion1_6); err != nil {
		return err
	}
	return os.WriteFile(b.file+".cdx.json", out.Bytes(), 0o644)
}

// component returns a module by its package URL, with the hash that go.sum has of it.
func component(m *debug.Module) cyclonedx.Component {
	return library("golang", m.Path, m.Version, cyclonedx.HashAlgoSHA256, strings.TrimPrefix(m.Sum, "h1:"))
}

// library returns a part by its package URL, with its hash where there is one.
func library(kind, name, version string, algorithm cyclonedx.HashAlgorithm, hash string) cyclonedx.Component {
	url := fmt.Sprintf("pkg:%s/%s@%s", kind, strings.ReplaceAll(name, "@", "%40"), version)
	c := cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary, BOMRef: url, Name: name, Version: version, PackageURL: url}
	if sum, err := base64.StdEncoding.DecodeString(hash); err == nil && len(sum) > 0 {
		c.Hashes = &[]cyclonedx.Hash{{Algorithm: algorithm, Value: fmt.Sprintf("%x", sum)}}
	}
	return c
}

// packages returns those that lock files of npm name, each once, but those that only build the pages.
func packages(locks []string) (all []cyclonedx.Component, err error) {
	for _, file := range locks {
		var lock struct {
			Packages map[string]struct {
				Version, Integrity string
				Dev                bool
			}
		}
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &lock)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for path, p := range lock.Packages {
			folders := strings.Split(path, "node_modules/")
			if name := folders[len(folders)-1]; name != "" && !p.Dev { // the page itself has none
				all = append(all, library("npm", name, p.Version, cyclonedx.HashAlgoSHA512, strings.TrimPrefix(p.Integrity, "sha512-")))
			}
		}
	}
	byURL := func(a, b cyclonedx.Component) int { return strings.Compare(a.PackageURL, b.PackageURL) }
	slices.SortFunc(all, byURL)
	return slices.CompactFunc(all, func(a, b cyclonedx.Component) bool { return byURL(a, b) == 0 }), nil
}
